#include "CTestTools.h"

/// Some settings SQLite takes only before its first use, and nobody knows which test comes first.
__attribute__((constructor)) static void prepare(void) { drydock_prepare_sqlite(); }
