#include <sqlite3.h>

// Swift sees no functions that take any number of arguments
// (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html).

/// Whether `"text"` that names nothing is read as a string, in DDL and elsewhere.
static inline int csqlite_set_double_quoted_strings(sqlite3 *database, int accepted) {
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, accepted, (int *)0);
    return code == SQLITE_OK
        ? sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, accepted, (int *)0)
        : code;
}

/// Whoever closes the last connection leaves the write-ahead log as it is.
static inline int csqlite_keep_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
