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

/// Takes from a connection what only a program may use: native code by its address or by its file.
static inline void csqlite_forbid_native_code(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
}

/// Refuses statements that could damage the file: writes to sqlite_schema and to shadow tables.
static inline void csqlite_set_defensive(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/// Has every connection of the process read `file:` names as URIs, ATTACH included, also where SQLite was built
/// without SQLITE_USE_URI (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfiguri).
/// SQLITE_MISUSE when SQLite is in use already.
static inline int csqlite_read_uris(void) { return sqlite3_config(SQLITE_CONFIG_URI, 1); }

/// The functions that SQLite takes its memory with.
static inline int csqlite_get_memory_methods(sqlite3_mem_methods *methods) {
    return sqlite3_config(SQLITE_CONFIG_GETMALLOC, methods);
}

/// Has SQLite not count the memory that it uses. To count it, it takes a lock of the whole process at each allocation
/// (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus). SQLITE_MISUSE when SQLite is in
/// use already.
static inline int csqlite_keep_no_memory_account(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Has SQLite take its memory with other functions. SQLITE_MISUSE when SQLite is in use already.
static inline int csqlite_set_memory_methods(sqlite3_mem_methods *methods) {
    return sqlite3_config(SQLITE_CONFIG_MALLOC, methods);
}
