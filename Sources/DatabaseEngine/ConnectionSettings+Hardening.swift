import CSQLite

extension ConnectionSettings {
    /// Makes a connection refuse what untrusted SQL could use against the process that runs it, as
    /// https://www.sqlite.org/security.html advises. Both engines call it for every connection, before
    /// anything else runs on the connection.
    ///
    /// - Native code is out of reach: `load_extension` is off, and `fts3_tokenizer`, which calls any address
    ///   that it is given and reveals addresses, only fails.
    /// - A limit that no migration comes near applies to a compiled statement.
    /// - `isDefensive` is for connections on which only Drydock's own SQL writes. A migration may write the
    ///   schema when its tool runs it, and so it may here.
    ///
    /// TRUSTED_SCHEMA stays on, as in the tools that are imitated. With it off, a view or trigger that calls
    /// an app's function fails, which it does not for users. What it guards against does not exist here: no
    /// function that reaches a file or the process is registered on any connection.
    /// - Throws: ``EngineError`` if SQLite does not register the replacement of `fts3_tokenizer`.
    package func harden(_ connection: OpaquePointer) throws {
        csqlite_forbid_native_code(connection)
        if isDefensive { csqlite_set_defensive(connection) }
        if let limits {
            lower(SQLITE_LIMIT_VDBE_OP, to: limits.instructions, connection)
        }
        for count: Int32 in 1...2 {
            let code = sqlite3_create_function_v2(
                connection, "fts3_tokenizer", count, SQLITE_UTF8, nil,
                { context, _, _ in
                    sqlite3_result_error(
                        context, "fts3_tokenizer() is disabled: it accepts and reveals addresses of code", -1)
                }, nil, nil, nil)
            guard code == SQLITE_OK else { throw EngineError(extendedCode: code, on: connection) }
        }
    }

    private func lower(_ limit: Int32, to value: Int, _ connection: OpaquePointer) {
        let (value, current) = (Int32(clamping: value), sqlite3_limit(connection, limit, -1))
        if value < current { _ = sqlite3_limit(connection, limit, value) }
    }
}
