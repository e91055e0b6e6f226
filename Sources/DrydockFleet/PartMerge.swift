import DrydockFiles
import DrydockFindings
import Foundation

/// The parts of one run, complete and of one kind.
///
///     let merge = try PartMerge(["part1.json", "part2.json"])
///     request.snapshots.listed = ListedSnapshots(merge.paths)
///     request.keeping = KeptReplays(merge.kept)
package struct PartMerge: Sendable {
    package let command: String
    /// What all parts have in common.
    package let first: ReportPart
    /// The databases in the order of the whole list.
    package let paths: [String]
    package let isRedacted: Bool
    private let results: [String: String]

    private struct File: Decodable {
        var tool, command: String?
        var part: ReportPart?
    }

    /// Reads the reports of shards.
    /// - Throws: ``RequestError`` that names a file that is not a part, a part that is missing, double, or of another run.
    package init(_ files: [String], version: String) throws {
        var parts: [(file: String, command: String, part: ReportPart)] = []
        for file in files {
            let (command, part) = try Self.read(file)
            parts.append((file, command, part))
        }
        guard let first = parts.first else { throw RequestError(.settingInvalid, "no part is named") }
        for other in parts { try Self.check(other, against: first, version) }
        var shards: [Int: String] = [:]
        for (file, _, part) in parts {
            if let twin = shards.updateValue(file, forKey: part.shard) {
                throw RequestError(
                    .settingInvalid,
                    "shard \(part.shard) is included twice, in '\(twin)' and in '\(file)'; leave one out")
            }
        }
        let missing = (1...max(1, first.part.shards)).filter { shards[$0] == nil }
        guard missing.isEmpty else {
            let names =
                missing.prefix(10).map(String.init).joined(separator: ", ")
                + (missing.count > 10 ? ", …" : "")
            throw RequestError(
                .notFound,
                "\(counted(missing.count, "shard")) of \(first.part.shards) \(missing.count == 1 ? "is" : "are") missing: "
                    + "\(names). Run \(missing.count == 1 ? "it" : "them") again with --shard I/\(first.part.shards)"
            )
        }
        (command, self.first) = (first.command, first.part)
        let databases = parts.flatMap(\.part.databases).sorted { $0.index < $1.index }
        guard databases.map(\.index) == Array(0..<first.part.listCount) else {
            throw RequestError(
                .settingInvalid,
                "the parts do not have each database of the list exactly once; run the shards again")
        }
        paths = databases.map(\.path)
        isRedacted = parts.contains(where: \.part.isRedacted)
        results = parts.reduce(into: Dictionary(databases.map { ($0.path, $0.result) }) { first, _ in first })
        {
            $0.merge($1.part.others) { first, _ in first }
        }
    }

    /// The results of all parts.
    package var kept: KeptResults { KeptResults(results) }

    private static func read(_ file: String) throws -> (String, ReportPart) {
        let bytes: [UInt8]
        do { bytes = try FolderListing.contents(of: file) } catch {
            throw RequestError(.notFound, "'\(file)' cannot be read: \(error)")
        }
        guard let report = try? JSONDecoder().decode(File.self, from: Data(bytes)), report.tool == "drydock",
            let command = report.command
        else {
            throw RequestError(
                .settingInvalid,
                "'\(file)' is not a whole JSON report of drydock; a part is what --report json=\(file) writes"
            )
        }
        guard let part = report.part else {
            throw RequestError(
                .settingInvalid,
                "'\(file)' is the report of a whole run, not of a shard; a part comes from a run with --shard"
            )
        }
        return (command, part)
    }

    private static func check(
        _ other: (file: String, command: String, part: ReportPart),
        against first: (file: String, command: String, part: ReportPart), _ version: String
    ) throws {
        func refuse(_ fact: String) -> RequestError {
            RequestError(.settingInvalid, "'\(other.file)' does not belong to '\(first.file)': \(fact)")
        }
        let (part, model) = (other.part, first.part)
        if part.version != version {
            throw RequestError(
                .settingInvalid,
                "'\(other.file)' is from drydock \(part.version), and this is \(version); merge with the version that made it"
            )
        }
        if other.command != first.command {
            throw refuse("it is of drydock \(other.command), not of \(first.command)")
        }
        if part.shards != model.shards {
            throw refuse("it is one of \(part.shards) shards, not of \(model.shards)")
        }
        if part.list != model.list || part.listCount != model.listCount {
            throw refuse("it is from a different list of databases")
        }
        if part.settings != model.settings {
            throw refuse("the settings or the migrations were not the same")
        }
    }
}
