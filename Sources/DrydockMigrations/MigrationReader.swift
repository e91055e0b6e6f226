import DatabaseEngine
import DrydockFiles
import DrydockFindings
import SQLiteSchema

/// A reader of migration files, so that every format reports a fault in the same words.
struct MigrationReader {
    let folder: FolderFiles
    let options: FormatOptions
    /// Whether `${name}` without a value is a fault wherever it appears, as in Flyway.
    var holdsPlaceholders = false
    private(set) var findings: [Finding] = []
    private var taken: [String: String] = [:]

    init(_ folder: FolderFiles, _ options: FormatOptions) {
        self.folder = folder
        self.options = options
    }

    /// What a format reads in a file's text.
    struct Sections {
        var up: [SQLStatement]
        var down: Migration.Down?
        var transaction: ToolPolicy.Transaction?
        /// ``Migration/marks``.
        var marks: [String]

        init(
            up: [SQLStatement], down: Migration.Down? = nil, transaction: ToolPolicy.Transaction? = nil,
            marks: [String] = []
        ) {
            self.up = up
            self.down = down
            self.transaction = transaction
            self.marks = marks
        }
    }

    /// Reads one file that holds nothing but SQL.
    mutating func migration(_ identifier: String, in file: String, _ policy: ToolPolicy) -> Migration {
        let cache = folder.cache
        return migration(identifier, in: file, policy) { Sections(up: cache.statements(of: $0)) }
    }

    /// Reads one file; what is wrong with it becomes the migration's fault.
    mutating func migration(
        _ identifier: String, in file: String, _ policy: ToolPolicy, read: (SQLSource) throws -> Sections
    ) -> Migration {
        let path = folder.file(file)
        var migration = Migration(identifier: identifier, path: path)
        migration.transaction = policy.transaction
        migration.foreignKeys = policy.foreignKeys
        migration.isDeferred = policy.isRunByEngine
        do {
            if let first = taken.updateValue(path, forKey: identifier) {
                throw FileProblem(
                    "two migrations are called '\(identifier)': \(first) and \(path)",
                    "Rename one: the history tells migrations apart only by this name.")
            }
            let source = try self.source(path)
            let sections = try read(source)
            migration.statements = sections.up
            migration.down = sections.down
            // The project's settings do not override what a file says about itself.
            migration.transaction = sections.transaction ?? policy.transaction
            migration.ownTransaction = sections.transaction
            migration.marks = sections.marks
            migration.declarations = DeclarationParser.declarations(
                in: source, findings: &findings, migration: identifier)
            if migration.statements.isEmpty {
                findings.append(
                    Finding(
                        .migrationEmpty, .note, "\(path) holds no statement",
                        help: "It is recorded as applied and changes nothing.", migration: identifier,
                        place: .init(file: path)))
            }
        } catch {
            migration.fault = finding(error, identifier, path)
            migration.isFaultyWhenPending = (error as? FileProblem)?.whenPending ?? false
            if !migration.isFaultyWhenPending { findings.append(finding(error, identifier, path)) }
        }
        return migration
    }

    /// Reads the way back, if it is a separate file.
    mutating func down(
        in file: String?, of identifier: String, transaction: ToolPolicy.Transaction = .each
    ) -> Migration.Down? {
        guard let file, folder.exists(file) else { return nil }
        do {
            let statements = try source(folder.file(file)).statements()
            return .init(path: folder.file(file), statements: statements, transaction: transaction)
        } catch {
            findings.append(finding(error, identifier, folder.file(file)))
            return nil
        }
    }

    /// Returns a file's bytes on the disk, for checksums: placeholders do not count.
    func bytes(_ file: String) -> [UInt8] { (try? folder.contents(of: folder.file(file))) ?? [] }

    /// Returns the same bytes with other systems' line endings, which Git may write; nothing if that changes nothing.
    static func otherLineEndings(_ bytes: [UInt8]) -> [[UInt8]] {
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var (unix, windows): ([UInt8], [UInt8]) = ([], [])
        unix.reserveCapacity(bytes.count)
        windows.reserveCapacity(bytes.count + bytes.count / 16)
        for (index, byte) in bytes.enumerated() {
            if byte == carriage, index + 1 < bytes.count, bytes[index + 1] == feed { continue }
            if byte == feed { windows.append(carriage) }
            unix.append(byte)
            windows.append(byte)
        }
        return [unix, windows].filter { $0 != bytes }
    }

    mutating func note(_ finding: Finding) { findings.append(finding) }

    /// Returns a file's SQL with the project's placeholders filled in.
    /// - Throws: ``FileProblem``.
    func source(_ path: String) throws -> SQLSource {
        let bytes: [UInt8]
        do {
            bytes = try folder.contents(of: path)
        } catch {
            let isOfLimit = (error as? FileFault)?.isOfLimit == true
            var problem = FileProblem(
                "\(path) cannot be read: \(error)",
                isOfLimit ? "" : "A migration is a readable text file of SQL.")
            problem.isOfLimit = isOfLimit
            throw problem
        }
        if let known = folder.checkedSource(of: path, bytes) {
            return try Placeholders(options.placeholders, isStrict: holdsPlaceholders).filling(known)
        }
        let source = SQLSource(name: path, bytes: bytes)
        if let offset = firstInvalidUTF8(in: bytes) {
            let line = source.location(at: offset).line
            throw FileProblem(
                "\(path) is not UTF-8: byte 0x\(String(bytes[offset], radix: 16)) at line \(line)",
                "Save the file as UTF-8. SQLite would store characters other than those that the editor shows.",
                line: line)
        }
        if let offset = bytes.firstIndex(of: 0) {
            let line = source.location(at: offset).line
            throw FileProblem(
                "\(path) holds a NUL character at line \(line)", "SQLite stops reading there. Remove it.",
                line: line)
        }
        folder.note(checked: source)
        return try Placeholders(options.placeholders, isStrict: holdsPlaceholders).filling(source)
    }

    private func finding(_ error: any Error, _ identifier: String, _ path: String) -> Finding {
        let problem = error as? FileProblem ?? FileProblem(String(describing: error), "")
        var place = Finding.Place(file: problem.file ?? path)
        place.line = problem.line
        return Finding(
            .migrationFailed, problem.message, help: problem.help, migration: identifier, place: place,
            tags: problem.isOfLimit ? [.notChecked] : [])
    }
}

/// Why a migration file cannot be run.
struct FileProblem: Error {
    var message: String
    var help: String
    var line: Int?
    /// The file that has the problem, if it is not the migration's own.
    var file: String?
    /// Whether it is a fault only in a file that was not run yet.
    var whenPending: Bool
    /// Whether the system opens no more files: nothing is known of this one.
    var isOfLimit = false

    init(
        _ message: String, _ help: String, line: Int? = nil, file: String? = nil, whenPending: Bool = false
    ) {
        self.message = message
        self.help = help
        self.line = line
        self.file = file
        self.whenPending = whenPending
    }
}

/// Returns the offset of the first byte that is not valid UTF-8.
package func firstInvalidUTF8(in bytes: [UInt8]) -> Int? {
    // Nearly every text is valid, and that is quickly established.
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while true {
        switch decoder.parseScalar(from: &iterator) {
        case .valid(let scalar): offset += scalar.count
        case .emptyInput: return nil
        case .error: return offset
        }
    }
}
