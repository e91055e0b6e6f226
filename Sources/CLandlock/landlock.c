#define _GNU_SOURCE
#include "CLandlock.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// As linux/landlock.h has them, which older systems lack. The numbers are the same on every architecture but Alpha.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define RULE_PATH_BENEATH 1
#define WRITE_FILE (1ULL << 1)
#define REMOVE_DIR (1ULL << 4)
#define REMOVE_FILE (1ULL << 5)
#define MAKE_ANY (0x7fULL << 6)
#define REFER (1ULL << 13)
#define TRUNCATE (1ULL << 14)

struct ruleset {
    uint64_t handled_access_fs;
};

struct __attribute__((packed)) path_beneath {
    uint64_t allowed_access;
    int32_t parent_fd;
};

int clandlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1U);
    return version > 0 ? (int)version : 0;
}

/// Adds a rule for a path; one that does not exist needs none.
static int allow(int ruleset, const char *path, uint64_t access) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    struct stat status;
    int code = fstat(descriptor, &status) == 0 ? 0 : errno;
    if (code == 0) {
        uint64_t ofFiles = access & (WRITE_FILE | TRUNCATE);
        struct path_beneath rule = {S_ISDIR(status.st_mode) ? access : ofFiles, descriptor};
        if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0U) != 0) code = errno;
    }
    close(descriptor);
    return code;
}

int clandlock_restrict_writes(const char *const *paths, int count) {
    int version = clandlock_version();
    if (version == 0) return ENOSYS;
    uint64_t access = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_ANY;
    if (version >= 2) access |= REFER;
    if (version >= 3) access |= TRUNCATE;
    struct ruleset handled = {access};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0U);
    if (ruleset < 0) return errno;
    int code = 0;
    for (int index = 0; index < count && code == 0; index += 1) code = allow(ruleset, paths[index], access);
    if (code == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) code = errno;
    if (code == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0U) != 0) code = errno;
    close(ruleset);
    return code;
}

#else

#include <errno.h>

int clandlock_version(void) { return 0; }
int clandlock_restrict_writes(const char *const *paths, int count) {
    (void)paths;
    (void)count;
    return ENOSYS;
}

#endif
