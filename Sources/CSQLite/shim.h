#include <sqlite3.h>

/// Whether `"text"` that names nothing is read as a string, in DDL and elsewhere
/// (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html). Swift calls no variadic functions.
static inline int drydock_set_double_quoted_strings(sqlite3 *database, int accepted) {
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, accepted, (void *)0);
    return code == SQLITE_OK
        ? sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, accepted, (void *)0)
        : code;
}
