import DrydockFiles
import DrydockFindings
import Foundation

/// The findings that are known and accepted, so that a run reports only new ones.
///
/// A finding is recognised by its database's path relative to the folder of the baseline file, its check and its
/// object; a finding with more rows than were accepted is new. Damage is never known: nothing tells the damage that was
/// accepted from what came later.
struct HealthBaseline: Sendable {
    private struct Entry: Codable, Hashable {
        var database, check: String
        var table, object: String?
    }

    private struct Known: Codable {
        var entry: Entry
        var count: Int
        var message: String
    }

    private struct File: Codable {
        var formatVersion = 1
        var known: [Known]
    }

    private var known: [Entry: Known] = [:]
    /// The folder of the baseline file, links resolved.
    private let folder: [Substring]

    /// - Parameter path: the path of the baseline file.
    private init(at path: String) { folder = Self.parts(path).dropLast() }

    /// The baseline that knows nothing.
    static let none = HealthBaseline(at: "")

    var count: Int { known.count }

    /// - Throws: ``RequestError``. A file that does not exist is an empty baseline.
    static func load(_ path: String) throws -> HealthBaseline {
        guard FolderListing.exists(path) else { return HealthBaseline(at: path) }
        do {
            let bytes = try FolderListing.contents(of: path)
            let file = try Self.file(bytes)
            var baseline = HealthBaseline(at: path)
            for var known in file.known {
                known.entry.check = HealthChecks.identifier(known.entry.check)
                baseline.known[known.entry] = known
            }
            return baseline
        } catch {
            throw RequestError(
                .unreadable,
                "the file of known findings '\(path)' cannot be read: \(error); restore it, or move it away and create it again with --accept"
            )
        }
    }

    /// - Throws: ``FileFault`` that says what is wrong with the file's content, and where.
    private static func file(_ bytes: [UInt8]) throws -> File {
        struct Version: Decodable { var formatVersion: Int }
        do {
            let version = try JSONDecoder().decode(Version.self, from: Data(bytes)).formatVersion
            guard version == 1 else {
                throw FileFault("its formatVersion is \(version), and this Drydock reads 1")
            }
            return try JSONDecoder().decode(File.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw FileFault(error.fact)
        }
    }

    /// Returns the baseline with the findings of some databases accepted; those of other databases stay.
    func accepting(_ databases: [CheckedDatabase]) -> HealthBaseline {
        var result = self
        for health in databases where health.trouble == nil {
            let reached = Set(health.checked.map(\.rawValue))
            result.known = result.known.filter { entry, _ in
                entry.database != name(of: health) || !reached.contains(entry.check)
            }
            for finding in health.findings where finding.severity > .note && Self.isAcceptable(finding) {
                let entry = entry(finding, health)
                let count = (result.known[entry]?.count ?? 0) + Self.count(finding)
                result.known[entry] = Known(entry: entry, count: count, message: finding.message)
            }
        }
        return result
    }

    /// - Throws: ``RequestError``.
    func write(to path: String) throws {
        let sorted = known.values.sorted {
            ($0.entry.database, $0.entry.check, $0.message) < ($1.entry.database, $1.entry.check, $1.message)
        }
        do {
            try AtomicFile.write(jsonDocument(File(known: sorted)) + [10], to: path)
        } catch {
            throw RequestError(.notWritable, "the baseline '\(path)' cannot be written: \(error)")
        }
    }

    func withoutKnown(_ health: CheckedDatabase) -> CheckedDatabase {
        var health = health
        let before = health.findings.count
        let counts = Dictionary(
            health.findings.filter(Self.isAcceptable).map { (entry($0, health), Self.count($0)) },
            uniquingKeysWith: +)
        health.findings = health.findings.filter { finding in
            let entry = entry(finding, health)
            return !Self.isAcceptable(finding) || known[entry].map { $0.count < counts[entry] ?? 0 } ?? true
        }
        health.knownCount = before - health.findings.count
        if !health.findings.contains(where: { $0.severity == .error }) {
            health.findings += health.gapsBehindErrors
        }
        return health
    }

    private func entry(_ finding: Finding, _ health: CheckedDatabase) -> Entry {
        Entry(
            database: name(of: health), check: finding.rule.rawValue, table: finding.table,
            object: finding.object)
    }

    /// Returns the path relative to the file's folder, so that both can be moved together.
    private func name(of health: CheckedDatabase) -> String {
        let parts = Self.parts(health.path)
        let shared = zip(parts, folder).prefix { $0 == $1 }.count
        let way = Array(repeating: "..", count: folder.count - shared) + parts.dropFirst(shared)
        return way.joined(separator: "/")
    }

    /// Returns the names on the path from the root, links followed as far as the path exists.
    private static func parts(_ path: String) -> [Substring] {
        var (head, rest) = (path.hasPrefix("/") ? path : "./" + path, [Substring]())
        while !FolderListing.exists(head), let slash = head.lastIndex(of: "/") {
            rest.insert(head[slash...].dropFirst(), at: 0)
            head = slash == head.startIndex ? "/" : String(head[..<slash])
        }
        return FolderListing.realPath(head).split(separator: "/") + rest
    }

    private static func isAcceptable(_ finding: Finding) -> Bool {
        !finding.tags.contains(.ofRun) && !finding.tags.contains(.damage)
    }

    private static func count(_ finding: Finding) -> Int { finding.evidence?.rowCount ?? 1 }
}

extension DecodingError {
    /// What is wrong with a JSON file, in words, with the place as in `known[0].entry`.
    fileprivate var fact: String {
        switch self {
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "it is not valid JSON"
        case .dataCorrupted(let context): "\(Self.place(context.codingPath)) is not a valid value"
        case .keyNotFound(let key, let context):
            "\(Self.place(context.codingPath)) has no '\(key.stringValue)'"
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            "\(Self.place(context.codingPath)) is not \(Self.words(type))"
        @unknown default: "it is not a file that --accept wrote"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        let text = path.reduce(into: "") { text, key in
            text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? "" : ".") + key.stringValue
        }
        return text.isEmpty ? "the file" : text
    }

    private static func words(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is any BinaryInteger.Type: "a whole number"
        case is any Collection.Type where !"\(type)".hasPrefix("Dictionary"): "a list"
        default: "an object"
        }
    }
}
