import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS
import SQLiteSchema

/// A source of a schema: a database file, a `.sql` file, or a folder of migrations, which `FOLDER@VERSION` reads up to
/// a version.
public struct SchemaSource: Sendable {
    public enum Kind: Sendable, Hashable {
        case database
        case script
        case migrations(upTo: String?)
    }

    public var path: String
    public var kind: Kind
    /// The format of a folder of migrations; nil to detect it.
    public var migrationFormat: String?
    /// The project's options for a folder of migrations.
    public var options = FormatOptions()

    /// Parses a source as it is written on the command line.
    /// - Throws: ``RequestError`` if it does not exist.
    public init(_ text: String) throws {
        if FolderListing.isSpecial(text) {
            throw RequestError(.unreadable, "'\(text)' is not a regular file, so it is not a database")
        }
        if let kind = Self.kind(of: text) {
            self.init(path: text, kind: kind)
        } else if let at = text.lastIndex(of: "@"), FolderListing.isFolder(String(text[..<at])) {
            let version = String(text[text.index(after: at)...])
            guard !version.isEmpty else {
                throw RequestError(.settingInvalid, "no version follows the @ of '\(text)'")
            }
            self.init(path: String(text[..<at]), kind: .migrations(upTo: version))
        } else {
            throw RequestError(
                .notFound,
                "there is no '\(text)'; a source is a database, a .sql file, or a folder of migrations")
        }
    }

    private init(path: String, kind: Kind) {
        self.path = path
        self.kind = kind
    }

    private static func kind(of path: String) -> Kind? {
        if FolderListing.isFolder(path) { return .migrations(upTo: nil) }
        guard FolderListing.exists(path) else { return nil }
        return CompressedFile.contentName(of: path).lowercased().hasSuffix(".sql") ? .script : .database
    }

    /// The source as it is written on the command line.
    public var text: String {
        if case .migrations(let version?) = kind { "\(path)@\(version)" } else { path }
    }
}

/// A source that was read: its schema, and its rows if it has any.
struct LoadedSource: Sendable {
    let source: SchemaSource
    let schema: Schema
    let image: Image

    /// Checks that no file was written since it was first read.
    /// - Throws: ``RequestError`` if one was.
    func checkUnchanged() throws {
        do {
            try image.checkUnchanged()
        } catch {
            throw RequestError(
                .databaseBusy,
                "\(source.text) was written while it was read, so no result would be valid; compare a copy, "
                    + "made with: sqlite3 \(source.text) \"VACUUM INTO 'copy.sqlite'\"")
        }
    }
}

/// Reads sources. A script or a migration folder is run on an empty database, so every schema is one that SQLite made.
package struct SchemaLoader: Sendable {
    let engine: any Engine
    let functions: [FunctionStub]
    let collations: [CollationStub]
    /// Names of history tables that tools were given, in addition to the default names.
    var historyTables: [String] = []

    package init(
        engine: any Engine, functions: [FunctionStub], collations: [CollationStub],
        historyTables: [String] = []
    ) {
        (self.engine, self.functions, self.collations) = (engine, functions, collations)
        self.historyTables = historyTables
    }

    private var history: [String] { MigrationFormats.all.flatMap(\.ownTables) + historyTables }

    private var settings: ConnectionSettings {
        var settings = ConnectionSettings()
        settings.functions = functions
        settings.collations = collations
        settings.setup = ["PRAGMA secure_delete = OFF"]
        return settings
    }

    var inspector: StateInspector {
        StateInspector(
            engine: engine, settings: settings, historyTables: history)
    }

    /// Reads a source.
    /// - Throws: ``RequestError`` that names the source, with line and column if its SQL is wrong.
    func load(_ source: SchemaSource) async throws -> LoadedSource {
        let overlay: Overlay
        do {
            switch source.kind {
            case .database where isEmpty(source), .script where isEmpty(source):
                // SQLite treats a file without a byte as an empty database, and an empty schema prints as an empty
                // file.
                overlay = try Overlay(emptyNamed: "empty.sqlite")
            case .database, .script:
                let opener = SnapshotOpener(engine: engine, settings: settings, allowsEmptyDumps: true)
                overlay = try await opener.open(Snapshot(path: source.path))
            case .migrations(let version): overlay = try await migrate(source, upTo: version)
            }
            let image = try await settle(overlay)
            let loaded = LoadedSource(
                source: source, schema: try await schema(of: image, source.kind), image: image)
            try loaded.checkUnchanged()
            return loaded
        } catch let fault as SnapshotFault {
            throw Self.describe(fault, source.kind)
        } catch let error as EngineError {
            throw RequestError(.init(error), "\(source.text) cannot be read: \(error.message)")
        }
    }

    private func isEmpty(_ source: SchemaSource) -> Bool {
        (try? FolderListing.size(of: source.path)) == 0
    }

    /// Returns the schema of a state. Settings of the file's layout are read from database files only: a script or
    /// migrations say nothing about them, nor about a version that is zero because nothing set it.
    func schema(of image: Image, _ kind: SchemaSource.Kind) async throws -> Schema {
        let history = history
        return try await inspector.withConnection(to: image) { connection in
            let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema") {
                SchemaRow(
                    type: $0.string(0), name: $0.string(1), table: $0.string(2), sql: $0.optionalString(3))
            }
            var settings = DatabaseSettings()
            func number(_ pragma: String) throws -> Int64 {
                try connection.firstRow("PRAGMA \(pragma)") { $0.integer(0) } ?? 0
            }
            func version(_ pragma: String) throws -> Int32? {
                let value = Int32(truncatingIfNeeded: try number(pragma))
                return value == 0 && kind != .database ? nil : value
            }
            settings.userVersion = try version("user_version")
            settings.applicationID = try version("application_id")
            if kind == .database {
                settings.pageSize = Int(try number("page_size"))
                settings.autoVacuum = .init(rawValue: Int(try number("auto_vacuum")))
                settings.encoding =
                    try connection.firstRow("PRAGMA encoding") { row in
                        TextEncoding(rawValue: row.string(0))
                    } ?? nil
            }
            return SchemaParser(historyTables: history).schema(of: rows, settings: settings)
        }
    }

    /// Returns the content, including that of a write-ahead log.
    private func settle(_ overlay: Overlay) async throws -> Image {
        try await engine.openWhole(overlay, settings: settings).close()
        return overlay.freeze().image
    }

    private func migrate(_ source: SchemaSource, upTo version: String?) async throws -> Overlay {
        let set = try MigrationFormats.load(
            folder: source.path, named: source.migrationFormat, options: source.options)
        let count = try Self.count(of: set, source, upTo: version)
        if let statements = set.expected[count] {
            let overlay = try Overlay(emptyNamed: "migrated.sqlite")
            return try await maker.run(statements, on: overlay) { _ in overlay }
        }
        return try await migrated(set, count)
    }

    /// Returns the set of a folder, and the database that its migrations make of an empty one, with the tool's history.
    /// - Parameter version: The last migration that runs; nil for all.
    /// - Throws: ``RequestError``.
    package func migrated(
        _ source: SchemaSource, upTo version: String?
    ) async throws -> (set: MigrationSet, version: String, overlay: Overlay) {
        do {
            let set = try MigrationFormats.load(
                folder: source.path, named: source.migrationFormat, options: source.options)
            let count = try Self.count(of: set, source, upTo: version)
            return (set, set.migrations[count - 1].identifier, try await migrated(set, count))
        } catch let fault as SnapshotFault {
            throw Self.describe(fault, source.kind)
        }
    }

    private static func count(
        of set: MigrationSet, _ source: SchemaSource, upTo version: String?
    ) throws -> Int {
        guard !set.migrations.isEmpty else {
            throw RequestError(.notFound, "there is no migration in '\(source.path)'")
        }
        guard let version else { return set.migrations.count }
        return try set.requiredIndex(of: version, in: "'\(source.path)'") + 1
    }

    private func migrated(_ set: MigrationSet, _ count: Int) async throws -> Overlay {
        let overlay = try await maker.base(set.base)
        var settings = settings
        settings.foreignKeys = set.policy.foreignKeys
        settings.doubleQuotedStrings = set.policy.doubleQuotedStrings
        try await engine.use(overlay, settings: settings) { database in
            let run = BatchRun(set: set, database: database, overlay: overlay)
            for batch in set.batches(of: Array(0..<count)).map({ $0.map { set.migrations[$0] } }) {
                if let fault = batch.compactMap(\.fault).first {
                    throw RequestError(.migrationsInvalid, fault.message)
                }
                if let code = batch.first(where: \.isCode) {
                    throw RequestError(.migrationsInvalid, "\(code.path) is not SQL: Drydock cannot run it")
                }
                if let (migration, error) = try await run.run(batch).failure {
                    throw Self.fault(migration, error)
                }
            }
        }
        return overlay
    }

    private var maker: DatabaseMaker { DatabaseMaker(engine: engine, settings: settings) }

    private static func fault(_ migration: Migration, _ error: any Error) -> any Error {
        guard let failure = error as? StatementFailure else {
            let message = ((error as? RunnerFailure)?.error as? EngineError)?.message
            return message.map {
                RequestError(.migrationsInvalid, "\(migration.identifier) fails on an empty database: \($0)")
            } ?? error
        }
        return SnapshotFault(
            "\(migration.identifier) fails on an empty database: \(failure.sentence)", help: "",
            place: Finding.Place(migration.statements[failure.index], offset: failure.error.offset))
    }

    /// Returns one sentence, then the line with a caret under the fault.
    private static func describe(_ fault: SnapshotFault, _ kind: SchemaSource.Kind) -> RequestError {
        let reason: RequestError.Reason =
            if case .migrations = kind { .migrationsInvalid } else { .databaseUnreadable }
        guard let place = fault.place, let line = place.line, let column = place.column,
            let text = place.lineText
        else {
            return RequestError(
                reason, fault.help.isEmpty ? fault.sentence.text : "\(fault.sentence.text). \(fault.help)")
        }
        let (shown, blanks) = SourceQuote.cut(text, at: column)
        return RequestError(
            reason, "\(place.file):\(line):\(column): \(fault.sentence.text)",
            quote: "  \(shown)\n  \(blanks)^",
            file: place.file, line: line)
    }
}
