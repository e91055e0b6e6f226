import CTestTools
import DatabaseEngine

/// Prepares SQLite as a driver does. The loader calls it before the first test.
@_cdecl("drydock_prepare_sqlite") public func prepareSQLite() { SQLiteLibrary.prepare() }
