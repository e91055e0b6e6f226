import SQLiteSchema

extension Migration {
    /// Whether its connection may differ afterwards from a new one on the same database, by more than whether foreign keys
    /// are enforced: by a temporary object, an attached database or a setting.
    package var leavesTraces: Bool { statements.contains { $0.action.leavesTraces } }
}

extension StatementAction {
    /// Pragmas that are kept in the file, end with the transaction, or only query
    /// (https://www.sqlite.org/pragma.html).
    private static let traceless: Set<String> = [
        "application_id", "defer_foreign_keys", "foreign_key_check", "foreign_key_list", "foreign_keys",
        "incremental_vacuum", "index_info", "index_list", "index_xinfo", "integrity_check", "optimize",
        "quick_check", "table_info", "table_list", "table_xinfo", "user_version", "wal_checkpoint",
    ]

    fileprivate var leavesTraces: Bool {
        switch self {
        case .attach, .detach: true
        case .pragma(_, let name, let value): value != nil && !Self.traceless.contains(name.foldedASCII)
        default: target?.schema?.foldedASCII == "temp"
        }
    }
}
