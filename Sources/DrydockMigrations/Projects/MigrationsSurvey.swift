import DrydockFiles
import DrydockFindings
import Foundation

/// A search of a project for folders of migrations.
///
/// It reads the names in folders, never more than ``SearchLimits`` allow, and the beginnings of very few files.
package struct MigrationsSurvey: Sendable {
    package struct Candidate: Sendable, Hashable {
        /// The path, relative to the folder that was searched; `.` for that folder.
        package var path: String
        /// The format that a summary suggests.
        package var format: String
        package var sign: String
    }

    package struct Code: Sendable, Hashable {
        package var path: String
        package var tool: CodeMigrations
    }

    /// Folders of migrations that Drydock can read.
    package private(set) var candidates: [Candidate] = []
    /// Folders with migrations for a database other than SQLite.
    package private(set) var others: [Candidate] = []
    /// Folders of SQL, most of it in folders in them, which no format reads.
    package private(set) var unknown: [String] = []
    /// Migrations that Drydock cannot read.
    package private(set) var code: [Code] = []
    /// Whether the search came to its end, rather than to its limit.
    package private(set) var isWhole = true
    /// How many folders were read.
    package private(set) var folderCount = 0

    private let root: String
    private var nameCount = 0
    private var links: [String] = []

    private struct Place {
        var path: String
        var level: Int
        var isForMigrations: Bool
    }

    /// Searches a folder and what is at most three levels below it.
    package init(_ root: String) {
        self.root = root.isEmpty ? "." : root
        var queue = [Place(path: ".", level: 0, isForMigrations: Self.isForMigrations(self.root))]
        var next = 0
        while next < queue.count {
            guard folderCount < SearchLimits.folders, nameCount < SearchLimits.names else {
                isWhole = false
                break
            }
            queue += visit(queue[next])
            next += 1
        }
        followLinks()
        let real = candidates.filter { !SearchLimits.isTrial($0.path) }
        if !real.isEmpty { candidates = real }
        let written = code.filter { !SearchLimits.isTrial($0.path) }
        if !written.isEmpty { code = written }
    }

    /// Returns what a single folder holds, without those in it; nil if they are not migrations.
    package static func sign(of folder: String) -> Candidate? {
        guard let summary = FolderSummary(folder, isForMigrations: isForMigrations(folder)),
            let found = FoundTrace.first(in: summary)
        else { return nil }
        return Candidate(path: ".", format: found.format, sign: found.trace.sign)
    }

    private static func isForMigrations(_ folder: String) -> Bool {
        FolderSummary.isForMigrations(PathParts.name(of: FolderListing.realPath(folder)))
    }

    /// Reads a folder.
    /// - Returns: the folders in it that are searched next.
    private mutating func visit(_ place: Place) -> [Place] {
        guard !candidates.contains(where: { place.path.hasPrefix($0.path + "/") || $0.path == place.path }),
            let summary = summary(place)
        else { return [] }
        // A folder that drydock shrink made is a project of its own.
        if place.level > 0,
            ["finding.sql", "drydock.yml"].allSatisfy({
                FolderListing.exists(absolute(place.path) + "/" + $0)
            })
        {
            return []
        }
        if let trace = FoundTrace.first(in: summary) {
            add(place.path, trace, summary)
            return []
        }
        if let tool = CodeMigrations.first(in: summary) { code.append(Code(path: place.path, tool: tool)) }
        if summary.folders.contains("src") { visitPrescribed(place.path) }
        links += summary.links.filter(FolderSummary.isForMigrations).map { join(place.path, $0) }
        // A folder of migrations may have one for each database in it, and Room's one for each class.
        let isInside =
            place.level == 0
            ? place.isForMigrations : FolderSummary.isForMigrations(PathParts.name(of: place.path))
        let isSchemas = PathParts.name(of: place.path) == "schemas" && place.level <= SearchLimits.levels
        return summary.folders.sorted(by: naturallyPrecedes).compactMap { name in
            guard !SearchLimits.skipped.contains(name.lowercased()) else { return nil }
            let level = place.level + 1
            guard level <= SearchLimits.levels || level == SearchLimits.levels + 1 && isInside || isSchemas
            else { return nil }
            return Place(
                path: join(place.path, name), level: level,
                isForMigrations: isInside || FolderSummary.isForMigrations(name))
        }
    }

    private mutating func summary(_ place: Place) -> FolderSummary? {
        folderCount += 1
        let summary = FolderSummary(absolute(place.path), isForMigrations: place.isForMigrations)
        nameCount += summary?.entryCount ?? 0
        return summary
    }

    private mutating func add(_ path: String, _ found: FoundTrace, _ summary: FolderSummary) {
        let candidate = Candidate(path: path, format: found.format, sign: found.trace.sign)
        if found.trace.kind == .plain, !SearchLimits.isOfAnotherDatabase(path), isMostlyBelow(summary) {
            unknown.append(path)
        } else if SearchLimits.isOfAnotherDatabase(path) || Self.namesAnotherDatabase(summary, found.trace) {
            others.append(candidate)
        } else {
            candidates.append(candidate)
        }
    }

    /// Returns whether more folders in a folder have SQL than it has scripts itself.
    private mutating func isMostlyBelow(_ summary: FolderSummary) -> Bool {
        let own = summary.scripts.count
        var others = 0
        for name in summary.folders.prefix(own + SearchLimits.weakLimit) where others <= own {
            folderCount += 1
            let inside = FolderSummary(summary.path + "/" + name, isForMigrations: false)
            others += inside?.scripts.isEmpty == false ? 1 : 0
        }
        return others > own
    }

    /// Returns whether the crate that a folder belongs to connects by sqlx or Diesel to other databases alone.
    private static func isInCrateOfAnotherDatabase(_ summary: FolderSummary) -> Bool {
        guard let bytes = try? FolderListing.contents(of: summary.path + "/../Cargo.toml", limit: 1 << 16)
        else {
            return false
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return ["sqlx", "diesel"].contains(where: text.contains) && !text.contains("\"sqlite")
            && ["\"postgres\"", "\"mysql\""].contains(where: text.contains)
    }

    /// Returns whether what the tool wrote into the folder is about another database.
    private static func namesAnotherDatabase(_ summary: FolderSummary, _ trace: FolderTrace) -> Bool {
        if trace.isOfCrate, isInCrateOfAnotherDatabase(summary) { return true }
        guard let databaseKey = trace.databaseKey,
            let bytes = try? FolderListing.contents(of: summary.path + "/" + trace.sign, limit: 4096)
        else { return false }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let key = text.range(of: databaseKey) else { return false }
        let value = text[key.upperBound...].drop { !$0.isLetter }.prefix { $0.isLetter || $0.isNumber }
        return !value.isEmpty && !["sqlite", "turso", "libsql", "d1"].contains(value.lowercased())
    }

    /// Looks where frameworks prescribe it, below a folder with a folder `src`.
    private mutating func visitPrescribed(_ path: String) {
        for case .below(let name) in ToolProfile.all.flatMap(\.places) {
            let place = Place(path: join(path, name), level: SearchLimits.levels, isForMigrations: true)
            guard let summary = summary(place) else { continue }
            if let trace = FoundTrace.first(in: summary) {
                add(place.path, trace, summary)
                continue
            }
            // Folders of releases belong to one set, those of databases do not.
            let inside = summary.folders.sorted(by: naturallyPrecedes).compactMap { name in
                FolderSummary(absolute(join(place.path, name)), isForMigrations: true).flatMap { summary in
                    FoundTrace.first(in: summary).map { (join(place.path, name), $0, summary) }
                }
            }
            if let own = inside.first(where: { $0.0.hasSuffix("/sqlite") || $0.0.hasSuffix("/sqlite3") }) {
                add(own.0, own.1, own.2)
            } else if let first = inside.first(where: { !SearchLimits.isOfAnotherDatabase($0.0) }) {
                add(place.path, first.1, summary)
            }
        }
        for tool in ToolProfile.all {
            for case .inSourceSets(let name) in tool.places { visitSourceSets(path, name, tool) }
        }
    }

    /// Looks for a tool's folder in the source sets in `src`.
    private mutating func visitSourceSets(_ path: String, _ name: String, _ tool: ToolProfile) {
        let sources = join(path, "src")
        for set in (FolderListing.entries(in: absolute(sources)) ?? []).map(\.name).sorted() {
            let folder = join(join(sources, set), name)
            guard FolderListing.isFolder(absolute(folder)),
                let trace = trace(of: tool, in: folder, depth: 8)
            else { continue }
            candidates.append(Candidate(path: folder, format: tool.name, sign: trace.sign))
        }
    }

    /// Returns what a tool left in a folder or in those in it, in whatever package.
    private mutating func trace(of tool: ToolProfile, in path: String, depth: Int) -> FolderTrace? {
        let place = Place(path: path, level: SearchLimits.levels, isForMigrations: false)
        guard depth > 0, folderCount < SearchLimits.folders, let summary = summary(place) else { return nil }
        if let trace = tool.traces.first(where: { $0.isIn(summary) }) { return trace }
        for name in summary.folders {
            if let trace = trace(of: tool, in: join(path, name), depth: depth - 1) { return trace }
        }
        return nil
    }

    /// A link to a folder of migrations counts unless it leads to one that was found; nothing below it is searched, so that
    /// it cannot lead in a circle.
    private mutating func followLinks() {
        guard !links.isEmpty else { return }
        var known = Set((candidates + others).map { FolderListing.realPath(absolute($0.path)) })
        for path in links where known.insert(FolderListing.realPath(absolute(path))).inserted {
            guard FolderListing.isFolder(absolute(path)),
                let summary = summary(Place(path: path, level: SearchLimits.levels, isForMigrations: true)),
                let trace = FoundTrace.first(in: summary)
            else { continue }
            add(path, trace, summary)
        }
    }

    private func absolute(_ path: String) -> String { ProjectFolders.path(path, in: root) }

    private func join(_ folder: String, _ name: String) -> String {
        folder == "." ? name : folder + "/" + name
    }
}
