import DrydockFindings
import DatabaseEngine
import Foundation
import SQLiteSchema

/// A format that a project describes in drydock.yml under `custom:`, if no other format fits.
public struct CustomFormat: MigrationFormat {
    public static let formatName = "custom"

    public enum Order: String, Sendable, CaseIterable {
        /// As people count, part by part (the default).
        case natural
        /// As text.
        case text
    }

    public let name = CustomFormat.formatName
    /// Matches the path of a migration, relative to the folder, with the named groups `version` and optionally
    /// `down`. A file for which `down` matched something is the way back of its version.
    public var files: String
    /// The identifier of a migration in the history, made of named groups: `${version}` unless it is given.
    /// `${patch+1}` is the number of a group plus one.
    public var identifier = "${version}"
    public var order = Order.natural
    public var historyTable: String?
    /// Returns the identifiers that are applied, a row each.
    public var query: String
    /// Whether the query returns only the newest identifier, and all up to it are applied.
    public var isNewestOnly = false
    /// Creates the history where it is missing; run before the first migration.
    public var setup: [String] = []
    /// Records a migration: `:version` is its identifier, `:file` its path relative to the folder.
    public var record: [String] = []
    /// The file that creates the newest schema; it is not one of the migrations.
    public var schema: String?
    public var policy: ToolPolicy

    public init(files: String, query: String, policy: ToolPolicy = ToolPolicy(foreignKeys: false)) {
        self.files = files
        self.query = query
        self.policy = policy
    }

    public var historySetup: [Bookkeeping] { setup.map { Bookkeeping($0) } }

    public var historyQuery: String? { query }

    /// The history's table is the app's own unless the tool creates it, and so is whatever `record` writes. Where no table is
    /// named, it is what the query reads.
    public var sharedTables: [String] {
        let written = record.flatMap { SQLSource(name: "record", $0).statements() }.compactMap {
            switch $0.action {
            case .insert(let table, _, _), .update(let table, _), .delete(let table): table.name
            default: nil
            }
        }
        let own = setup.isEmpty ? nil : historyTable?.foldedASCII
        return ((historyTable.map { [$0] } ?? HistoryQuery(sql: query).tables) + written).filter {
            $0.foldedASCII != own
        }
    }

    public let namingAdvice = "'files' under 'custom' in drydock.yml says how a migration is called."
    public let readsSubfolders = true

    public func knows(_ file: String) -> Bool { file == schema }

    public func owns(_ facts: HistoryFacts) -> Bool { historyTable.map { facts.has($0) } ?? true }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? { nil }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        let pattern: NSRegularExpression
        do {
            pattern = try NSRegularExpression(pattern: files)
        } catch {
            throw RequestError(.settingInvalid, "custom.files is not a valid regular expression: \(files)")
        }
        var reader = MigrationReader(folder, options)
        let found = folder.descendants().filter { $0 != schema }.compactMap { file in
            named(file, pattern).map { (file: file, identifier: $0.identifier, isDown: $0.isDown) }
        }
        let downs = Dictionary(
            found.filter(\.isDown).map { ($0.identifier, $0.file) }, uniquingKeysWith: { first, _ in first })
        var migrations: [Migration] = []
        for (file, identifier, _) in found.filter({ !$0.isDown }).sorted(by: { precedes($0.1, $1.1) }) {
            var migration = reader.migration(identifier, in: file, policy)
            migration.record = record.map { filled($0, identifier, file) }
            migration.down = reader.down(
                in: downs[identifier], of: identifier, transaction: migration.transaction)
            migrations.append(migration)
        }
        var set = MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
        if let schema {
            do {
                set.expected[migrations.count] = try reader.source(folder.file(schema)).statements()
            } catch let problem as FileProblem {
                throw RequestError(.settingInvalid, "custom.schema: \(problem.message)")
            }
        }
        return set
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        if try connection.isEmptyDatabase { return AppliedHistory([]) }
        if let historyTable, try connection.columns(of: historyTable) == nil { return nil }
        guard Sandbox.isQuery(query) else {
            throw RequestError(.settingInvalid, "custom.history is not a query: \(query)")
        }
        let rows = try connection.rows(query) { $0.optionalString(0) }.compactMap(\.self)
        guard isNewestOnly else { return AppliedHistory(rows) }
        guard let newest = rows.first else { return AppliedHistory([]) }
        let known = set.migrations.map(\.identifier).filter { !precedes(newest, $0) }
        return AppliedHistory(known)
    }

    // MARK: - Names

    private func precedes(_ a: String, _ b: String) -> Bool {
        order == .natural
            ? naturallyPrecedes(a, b) : Array(a.utf8).lexicographicallyPrecedes(Array(b.utf8))
    }

    private func named(
        _ file: String, _ pattern: NSRegularExpression
    ) -> (identifier: String, isDown: Bool)? {
        let whole = NSRange(file.startIndex..., in: file)
        guard let match = pattern.firstMatch(in: file, range: whole), match.range == whole else { return nil }
        func group(_ name: String) -> String? {
            guard files.contains("(?<\(name)>") else { return nil }
            return Range(match.range(withName: name), in: file).map { String(file[$0]) }
        }
        var text = identifier
        for part in identifier.matches(of: /\$\{(\w+?)(?:\+(\d+))?\}/) {
            var value = group(String(part.1)) ?? ""
            // A tool may count a file as the version that it leads to.
            if let more = part.2.flatMap({ Int($0) }), let number = Int(value), number < 1 << 40 {
                value = String(number + more)
            }
            text = text.replacing(part.0, with: value)
        }
        return (text, group("down").map { !$0.isEmpty } ?? false)
    }

    private func filled(_ sql: String, _ identifier: String, _ file: String) -> Bookkeeping {
        return Bookkeeping(
            sql.replacing(":version", with: quotedText(identifier)).replacing(":file", with: quotedText(file))
        )
    }
}
