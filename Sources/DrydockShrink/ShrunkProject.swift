import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockVerify
import Foundation
import OverlayVFS
import SQLiteSchema

/// The folder in which `drydock verify` gives a finding that was made small: `Migrations/` and `Snapshots/`.
struct ShrunkProject: Sendable {
    /// What was run, with all its statements.
    let fixture: StepFixture
    let outcome: Shrinker.Outcome
    /// The folder, which exists.
    let folder: String

    var set: MigrationSet { fixture.context.set }

    /// What verify has to be told.
    var settings: ShrunkSettings {
        var settings = fixture.replay?.check.settings ?? ShrunkSettings()
        let own = set.policy.foreignKeys
        settings.foreignKeys = own == set.format.policy.foreignKeys ? nil : own
        return settings
    }

    static let migrations = "Migrations"
    static let snapshot = "Snapshots/shrunk.sqlite"

    /// How much of the project's folder of migrations is copied.
    struct Extent: Equatable {
        /// Whether migrations that were applied only make the schema of the small database, so that a fresh install has no
        /// more than that.
        var isSchemaShort: Bool
        /// Whether the migrations' files have only the statements that are needed, and those without any are left out.
        var isShort: Bool
        /// Whether later migrations, those that undo and what the tool keeps beside them are there too.
        var isWholeFolder: Bool

        /// In the order in which they are tried.
        static let all = [
            (true, true, false), (false, true, false), (false, true, true), (false, false, false),
            (false, false, true),
        ].map { Extent(isSchemaShort: $0, isShort: $1, isWholeFolder: $2) }
    }

    /// The extents that are tried for the finding.
    var extents: [Extent] {
        // What a fresh install has is then what it is about.
        let isOfSchema = outcome.finding.rule == .schemaMismatch || applied.isEmpty
        return Extent.all.filter { !$0.isSchemaShort || !isOfSchema }
    }

    /// What tools keep beside their migrations, and need to read them.
    private static let bookkeeping: Set<String> = [
        "_journal.json", "metadata.toml", "migration_lock.toml", "snapshot.json",
    ]

    func writeSnapshot() throws {
        let path = folder + "/" + Self.snapshot
        try make(PathParts.folder(of: path))
        try PrivateCopy.write(outcome.state.image, to: path)
    }

    /// Copies migrations, and nothing else that the folder may have: it can be the whole project's. What was copied to
    /// another extent is replaced.
    func writeMigrations(_ extent: Extent) throws {
        let target = folder + "/" + Self.migrations
        try? FileManager.default.removeItem(atPath: target)
        try make(target)
        let root = FolderListing.realPath(set.folder)
        let needed = Set(needed(extent).map(FolderListing.realPath))
        let folders = Set(set.migrations.map { PathParts.folder(of: FolderListing.realPath($0.path)) })
        for name in try FileManager.default.subpathsOfDirectory(atPath: root).sorted() {
            let path = root + "/" + name
            let isCopied =
                needed.contains(path)
                || extent.isWholeFolder
                    && (folders.contains(PathParts.folder(of: path))
                        && set.format.fileEndings.contains(where: path.lowercased().hasSuffix)
                        || Self.bookkeeping.contains(PathParts.name(of: path)))
            // A link may lead to any file of this machine.
            guard isCopied, try isRegular(path) else { continue }
            let copy = target + "/" + name
            try make(PathParts.folder(of: copy))
            let bytes = try FolderListing.contents(of: path)
            let isReduced = extent.isShort && needed.contains(path)
            try AtomicFile.write(isReduced ? reduced(bytes, of: path, extent) : bytes, to: copy)
        }
    }

    /// The migrations that the snapshot has applied, with statements.
    private var applied: [Migration] {
        let pending = Set(fixture.migrations.map(\.identifier))
        let last = fixture.migrations.last.flatMap { set.index(of: $0.identifier) } ?? set.migrations.count
        return set.migrations.prefix(last).filter {
            !pending.contains($0.identifier) && !$0.statements.isEmpty
        }
    }

    private func reduced(_ bytes: [UInt8], of path: String, _ extent: Extent) -> [UInt8] {
        guard extent.isSchemaShort,
            let place = applied.firstIndex(where: { FolderListing.realPath($0.path) == path })
        else { return fewerStatements(bytes, of: path) }
        let schema = outcome.schema.map { $0.contains("--") ? "\($0)\n;\n" : "\($0);\n" }.joined()
        return without(
            applied[place].allStatements, bytes, of: path, adding: place == 0 ? Array(schema.utf8) : [])
    }

    /// Returns the paths of the migrations up to the last that was run, with the ways back where these are what is wrong.
    private func needed(_ extent: Extent) -> [String] {
        let kept = Set(outcome.migrations.map(\.identifier))
        let gone = Set(fixture.migrations.map(\.identifier)).subtracting(extent.isShort ? kept : [])
        let last = fixture.migrations.last.flatMap { set.index(of: $0.identifier) }
        let count = fixture.replay?.context.targetCount ?? last.map { $0 + 1 } ?? set.migrations.count
        let copied = set.migrations.prefix(count).filter { !extent.isShort || !gone.contains($0.identifier) }
        let downs =
            fixture.replay?.check.isRollback == true
            ? copied.filter { kept.contains($0.identifier) }.compactMap(\.down?.path) : []
        return copied.map(\.path) + downs
    }

    private func isRegular(_ path: String) throws -> Bool {
        try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular
    }

    /// Returns a file without the statements that are not needed. Its comments stay: a tool may read them.
    private func fewerStatements(_ bytes: [UInt8], of path: String) -> [UInt8] {
        let needed = Set(outcome.migrations.flatMap(\.allStatements).map(\.origin))
        let gone = fixture.migrations.flatMap(\.allStatements).filter { !needed.contains($0.origin) }
        return without(gone, bytes, of: path)
    }

    /// Returns a file without those of the statements that are in it.
    /// - Parameter text: what stands in the place of the first.
    private func without(
        _ statements: [SQLStatement], _ bytes: [UInt8], of path: String, adding text: [UInt8] = []
    ) -> [UInt8] {
        let all = statements.filter { FolderListing.realPath($0.source.name) == path }
        var (left, text): ([UInt8], [UInt8]) = ([], text)
        var end = 0
        for statement in all.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            // A tool may keep its SQL in a file of another kind.
            guard statement.source.bytes.elementsEqual(bytes), statement.range.lowerBound >= end else {
                return bytes
            }
            left += bytes[end..<statement.range.lowerBound] + text
            text = []
            end = statement.terminatorEnd
            // Its line goes too, where nothing else is on it.
            let rest = bytes[end...].prefix { $0 != UInt8(ascii: "\n") }
            if rest.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) {
                end = min(bytes.count, end + rest.count + 1)
            }
        }
        return left + bytes[end...]
    }

    private func make(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw RequestError(.notWritable, "'\(folder)' cannot be made: \(FolderListing.describe(error))")
        }
    }
}
