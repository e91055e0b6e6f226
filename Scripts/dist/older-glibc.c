// Three functions whose newest versions alone would keep drydock from running with a C library older than this machine's.
// Scripts/dist/binary puts them in the place of the C library's.

#include <math.h>
#include <stdint.h>
#include <sys/random.h>

// A new version since 2.35. Swift's runtime refers to them; drydock calls neither. The wider type does not overflow.
double drydock_hypot(double x, double y) { return sqrtl((long double)x * x + (long double)y * y); }
float drydock_hypotf(float x, float y) { return sqrt((double)x * x + (double)y * y); }

// Since 2.36. The C++ library's random numbers begin with it.
uint32_t drydock_arc4random(void) {
    uint32_t value;
    while (getrandom(&value, sizeof value, 0) != sizeof value) {
    }
    return value;
}
