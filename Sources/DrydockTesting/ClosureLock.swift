import Drydock
import Foundation
import SQLiteSchema

/// The lock file of a migrator: compares what each migration executes with what was locked, or records it.
///
/// A closure cannot be hashed, but the SQL that it runs on an empty database can. Bound values have a separate digest,
/// because a closure that reads the clock binds different values each time.
struct ClosureLock {
    private let path: String
    private let closures: ClosureSet
    private let order: RecordOrder?

    /// What `DRYDOCK_RECORD` requests.
    private struct RecordOrder {
        /// Entries that may be rewritten or dropped; new entries are always added.
        var replaced: Set<String>
    }

    /// - Throws: ``RequestError`` if `DRYDOCK_RECORD` is set in CI.
    init(_ name: String, beside snapshots: String, _ site: CallSite, _ closures: ClosureSet) throws {
        let folder = URL(fileURLWithPath: snapshots).deletingLastPathComponent()
        path = TestFiles(site: site).find(name) ?? folder.appending(path: name).path
        self.closures = closures
        let environment = ProcessInfo.processInfo.environment
        guard let words = environment["DRYDOCK_RECORD"], !words.isEmpty, words != "0" else {
            order = nil
            return
        }
        guard environment["CI"] == nil else {
            throw RequestError(
                .settingInvalid,
                "DRYDOCK_RECORD is set in CI: a lock that CI writes protects nothing; record it by hand and commit it"
            )
        }
        let names = words.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        order = RecordOrder(replaced: Set(names).subtracting(["1"]))
    }

    /// Returns how the migrations violate the lock, after recording what `DRYDOCK_RECORD` requests.
    /// - Throws: ``RequestError`` if the lock cannot be read or written.
    func findings() throws -> [Finding] {
        let old = try Lock.load(path)
        guard let order else { return old.map(findings) ?? [] }
        var lock = old ?? Lock(migrationsFolder: "", format: "")
        lock.closures.removeAll { order.replaced.contains($0.identifier) }
        let known = Set(lock.closures.map(\.identifier))
        lock.closures += closures.identifiers.filter { !known.contains($0) }.compactMap(entry)
        let places = Dictionary(
            closures.identifiers.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        lock.closures.sort { places[$0.identifier] ?? -1 < places[$1.identifier] ?? -1 }
        if lock != old, !lock.closures.isEmpty { try lock.write(to: path) }
        return findings(lock)
    }

    /// Returns nil for a migration that failed, and for one whose SQL varies from run to run.
    private func entry(_ identifier: String) -> LockedClosure? {
        guard let run = closures.trace.runs[identifier], run.identifier == identifier else { return nil }
        let difference = closures.trace.difference(of: identifier, from: closures.again)
        if case .sql? = difference { return nil }
        var entry = LockedClosure(
            identifier: identifier, sql: digest(run.entries.map(\.template)), values: nil)
        let values = digest(run.statements)
        if difference == nil, values != entry.sql { entry.values = values }
        return entry
    }

    private func digest(_ texts: [String]) -> String {
        TokenDigest.of(texts.flatMap { SQLSource(name: "", $0).statements() })
    }

    // MARK: - Findings

    private func findings(_ lock: Lock) -> [Finding] {
        lock.closures.compactMap(edited) + lock.closures.compactMap(removed) + late(lock)
    }

    private func edited(_ locked: LockedClosure) -> Finding? {
        guard let now = entry(locked.identifier) else { return nil }
        let name = locked.identifier
        let help =
            "A released migration must not change: restore it, and register a new one. If no database has applied it: "
            + "DRYDOCK_RECORD=\(name) swift test"
        guard now.sql == locked.sql else {
            return Finding(
                .migrationEdited, "\(name) executes different SQL than when it was locked", help: help,
                migration: name, place: .init(file: name))
        }
        guard let then = locked.values, let values = now.values, then != values else { return nil }
        return Finding(
            .migrationEdited, .warning,
            "\(name) executes the same SQL with different values than when it was locked",
            help: help, migration: name, place: .init(file: name))
    }

    private func removed(_ locked: LockedClosure) -> Finding? {
        let name = locked.identifier
        guard !closures.identifiers.contains(name), !closures.merged.contains(name) else { return nil }
        return Finding(
            .migrationRemoved, "\(name) is locked but no longer registered",
            help:
                "Register it again, or merge it: registerMigration(_:merging:migrate:). If no database has applied "
                + "it: DRYDOCK_RECORD=\(name) swift test", migration: name, place: .init(file: name))
    }

    private func late(_ lock: Lock) -> [Finding] {
        let known = Set(lock.closures.map(\.identifier))
        let identifiers = closures.identifiers
        guard let last = identifiers.lastIndex(where: known.contains) else { return [] }
        return identifiers[..<last].filter { name in
            !known.contains(name) && closures.trace.runs[name]?.merged.isEmpty != false && entry(name) != nil
        }.map { name in
            Finding(
                .migrationOutOfOrder, .warning,
                "\(name) is new and comes before \(identifiers[last]), which is locked",
                help: "GRDB runs it late on databases that have the others. Register it last.",
                migration: name,
                place: .init(file: name))
        }
    }
}
