import CSQLite

/// Names that migrations use and this SQLite may lack: modules of virtual tables, and tokenizers of FTS5. What is missing
/// gets a stand-in, so that the statements around such a table run.
///
/// A module's stand-in takes every statement, stores nothing and shows no row. A tokenizer's splits words as FTS5 does by
/// default: the text of a table is stored and read as it is, and its index has other entries than the app's.
package struct StandIns: Sendable, Hashable, Codable {
    package var modules: Set<String> = []
    package var tokenizers: Set<String> = []

    package init() {}

    package var isEmpty: Bool { modules.isEmpty && tokenizers.isEmpty }

    /// Registers a stand-in for each name that the library lacks, and the function that says which these are.
    /// - Throws: ``EngineError`` if SQLite does not accept one.
    package func install(on connection: OpaquePointer) throws {
        guard !isEmpty else { return }
        var missing = Self.modules(on: connection).map(modules.subtracting) ?? []
        for module in missing {
            let code = sqlite3_create_module_v2(connection, module, StandInModule.methods, nil, nil)
            guard code == SQLITE_OK else { throw EngineError(extendedCode: code, on: connection) }
        }
        for tokenizer in tokenizers where StandInTokenizer.install(tokenizer, on: connection) {
            missing.insert(tokenizer)
        }
        let names = Set(missing.map { SQLValue.text(Array($0.utf8)) })
        try ComputedFunction(name: Self.function, argumentCount: 1) { arguments in
            .integer(arguments.first.map(names.contains) == true ? 1 : 0)
        }.install(on: connection)
    }

    fileprivate static let function = "drydock_stands_in"

    /// Returns the modules that the library has, folded; nil where it does not list them.
    private static func modules(on connection: OpaquePointer) -> Set<String>? {
        var statement: OpaquePointer?
        let query = "SELECT lower(name) FROM pragma_module_list"
        guard sqlite3_prepare_v2(connection, query, -1, &statement, nil) == SQLITE_OK else { return nil }
        defer { sqlite3_finalize(statement) }
        var names: Set<String> = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let name = sqlite3_column_text(statement, 0) { names.insert(String(cString: name)) }
        }
        return names
    }
}

extension Connection {
    /// Returns whether a module or tokenizer, by its folded name, is only a stand-in here.
    package func standsIn(for name: String) throws -> Bool {
        do {
            return try firstRow("SELECT \(StandIns.function)(?)", [.text(Array(name.utf8))]) {
                $0.integer(0) == 1
            }
                ?? false
        } catch let error as EngineError where SQLiteMessage.noSuchFunction.rest(of: error.message) != nil {
            return false
        }
    }
}

/// A virtual table without rows (https://www.sqlite.org/vtab.html).
private enum StandInModule {
    /// Kept by SQLite for as long as any connection is open.
    nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_module> = {
        let methods = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var module = sqlite3_module()
        module.iVersion = 1
        module.xCreate = { connection, _, count, arguments, table, _ in
            StandInModule.connect(connection, count, arguments, table)
        }
        module.xConnect = { connection, _, count, arguments, table, _ in
            StandInModule.connect(connection, count, arguments, table)
        }
        module.xBestIndex = { _, _ in SQLITE_OK }
        module.xDisconnect = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        module.xDestroy = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        module.xOpen = { _, cursor in
            let made = UnsafeMutablePointer<sqlite3_vtab_cursor>.allocate(capacity: 1)
            made.initialize(to: sqlite3_vtab_cursor())
            cursor?.pointee = made
            return SQLITE_OK
        }
        module.xClose = { cursor in
            cursor?.deallocate()
            return SQLITE_OK
        }
        module.xFilter = { _, _, _, _, _ in SQLITE_OK }
        module.xNext = { _ in SQLITE_OK }
        module.xEof = { _ in 1 }
        module.xColumn = { _, context, _ in
            sqlite3_result_null(context)
            return SQLITE_OK
        }
        module.xRowid = { _, _ in SQLITE_OK }
        module.xUpdate = { _, _, _, _ in SQLITE_OK }
        module.xRename = { _, _ in SQLITE_OK }
        methods.initialize(to: module)
        return methods
    }()

    private static func connect(
        _ connection: OpaquePointer?, _ count: Int32,
        _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
        _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
    ) -> Int32 {
        let texts = (0..<Int(count)).compactMap { arguments?[$0].map { String(cString: $0) } }
        let code = sqlite3_declare_vtab(connection, definition(texts))
        guard code == SQLITE_OK else { return code }
        let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
        made.initialize(to: sqlite3_vtab())
        table?.pointee = made
        return SQLITE_OK
    }

    /// Returns a table with a column for the first word of each argument that is not an option, and a hidden one with the
    /// table's name, to which many modules take commands.
    /// - Parameter arguments: the module, the schema, the table, and what the definition says.
    private static func definition(_ arguments: [String]) -> String {
        var columns: [(name: String, kind: String)] = []
        func add(_ name: String, _ kind: String = "") {
            guard !name.isEmpty, !columns.contains(where: { $0.name.lowercased() == name.lowercased() })
            else {
                return
            }
            columns.append((name, kind))
        }
        for argument in arguments.dropFirst(3) where !argument.contains("=") {
            let marks = "\"'`[]+ \t\r\n"
            add(String(argument.drop { marks.contains($0) }.prefix { !marks.contains($0) }))
        }
        if columns.isEmpty { add("value") }
        if arguments.count > 2 { add(arguments[2], " HIDDEN") }
        let list = columns.map { "\"\($0.name.replacing("\"", with: "\"\""))\"\($0.kind)" }
        return "CREATE TABLE x(\(list.joined(separator: ", ")))"
    }
}

/// FTS5's own tokenizer under another name, with the arguments left out
/// (https://www.sqlite.org/fts5.html#custom_tokenizers).
private enum StandInTokenizer {
    /// - Returns: whether the library lacks the tokenizer, and has a stand-in now.
    static func install(_ name: String, on connection: OpaquePointer) -> Bool {
        guard let api = api(on: connection) else { return false }
        var (context, tokenizer): (UnsafeMutableRawPointer?, fts5_tokenizer) = (nil, fts5_tokenizer())
        guard api.pointee.xFindTokenizer(api, name, &context, &tokenizer) != SQLITE_OK,
            api.pointee.xFindTokenizer(api, "unicode61", &context, &tokenizer) == SQLITE_OK
        else { return false }
        let own = tokenizer
        guard own.xCreate != nil else { return false }
        tokenizer.xCreate = { box, _, _, made in
            guard let box else { return SQLITE_ERROR }
            let own = Unmanaged<Original>.fromOpaque(box).takeUnretainedValue()
            return own.tokenizer.xCreate?(own.context, nil, 0, made) ?? SQLITE_ERROR
        }
        let box = Unmanaged.passRetained(Original(context, own)).toOpaque()
        let code = api.pointee.xCreateTokenizer(api, name, box, &tokenizer) { box in
            if let box { Unmanaged<Original>.fromOpaque(box).release() }
        }
        return code == SQLITE_OK
    }

    private final class Original {
        let context: UnsafeMutableRawPointer?
        let tokenizer: fts5_tokenizer

        init(_ context: UnsafeMutableRawPointer?, _ tokenizer: fts5_tokenizer) {
            (self.context, self.tokenizer) = (context, tokenizer)
        }
    }

    /// Returns FTS5's functions; nil where the library has no FTS5
    /// (https://www.sqlite.org/fts5.html#extending_fts5).
    private static func api(on connection: OpaquePointer) -> UnsafeMutablePointer<fts5_api>? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nil) == SQLITE_OK else {
            return nil
        }
        defer { sqlite3_finalize(statement) }
        var api: UnsafeMutablePointer<fts5_api>?
        return withUnsafeMutablePointer(to: &api) { place in
            sqlite3_bind_pointer(statement, 1, place, "fts5_api_ptr", nil)
            sqlite3_step(statement)
            return place.pointee
        }
    }
}
