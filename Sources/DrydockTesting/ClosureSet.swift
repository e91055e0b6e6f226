import DatabaseEngine
import Drydock
import GRDB
import SQLiteSchema

/// An app's migrator as a set of migrations that can be replayed.
struct ClosureSet: Sendable {
    let engine: MigratorEngine
    let trace: FreshTrace
    /// A second trace, which shows the migrations that vary from run to run.
    let again: FreshTrace

    /// - Throws: ``EngineError`` if the app's configuration cannot be used.
    init(_ engine: MigratorEngine) async throws {
        self.engine = engine
        trace = try await FreshTrace(engine)
        again = try await FreshTrace(engine)
    }

    var identifiers: [String] { engine.migrator.migrations }

    /// Identifiers of migrations that a newer migration has merged.
    var merged: Set<String> { Set(trace.runs.values.flatMap(\.merged)).subtracting(identifiers) }

    func migrations(declaring declarations: [String: [Declaration]]) throws -> MigrationSet {
        let format = ClosureFormat(
            enforcesForeignKeys: try engine.enforcesForeignKeys(),
            doubleQuotedStrings: engine.configuration.acceptsDoubleQuotedStringLiterals, merged: merged)
        var set = MigrationSet(folder: "the migrator", format: format)
        var superseded: [String] = []
        for identifier in identifiers {
            let run = trace.runs[identifier]
            var migration = Migration(identifier: identifier, path: identifier)
            migration.declarations = declarations[identifier] ?? []
            migration.take(run?.statements ?? [])
            // A migration without a trace runs as it is registered.
            migration.closureChecks = run?.checks ?? .immediate
            superseded += run?.merged ?? []
            migration.record = Self.record(identifier, superseded)
            set.migrations.append(migration)
        }
        set.findings = varying() + misdirected(declarations)
        return set
    }

    /// Returns what GRDB records for a migration: its identifier, which replaces those that this migration and earlier
    /// ones merge.
    private static func record(_ identifier: String, _ merged: [String]) -> [Bookkeeping] {
        merged.map {
            Bookkeeping("DELETE FROM grdb_migrations WHERE identifier = ?", [SQLValue($0)])
        } + [Bookkeeping("INSERT OR IGNORE INTO grdb_migrations VALUES (?)", [SQLValue(identifier)])]
    }

    // MARK: - Findings

    private func varying() -> [Finding] {
        identifiers.compactMap { identifier in
            switch trace.difference(of: identifier, from: again) {
            case .sql(let one, let other)?:
                Finding(
                    .migrationVaries, "\(identifier) executes different SQL each time it runs",
                    help:
                        "Write only what does not depend on the clock, on random numbers, or on the order of a Set or "
                        + "Dictionary. Users would have different databases under one version.",
                    migration: identifier, place: .init(file: identifier),
                    evidence: Evidence(details: ["once:  \(one)", "again: \(other)"]))
            case .values?:
                Finding(
                    .migrationVaries, .warning, "\(identifier) writes different values each time it runs",
                    help: "It reads the clock or random numbers, so what it writes cannot be checked.",
                    migration: identifier, place: .init(file: identifier))
            case nil: nil
            }
        }
    }

    private func misdirected(_ declarations: [String: [Declaration]]) -> [Finding] {
        declarations.keys.sorted().filter { !identifiers.contains($0) }.map { name in
            let nearest = nearestName(to: name, in: identifiers)
            return Finding(
                .invalidDeclaration, "there is no migration '\(name)' to which a declaration could belong",
                help: nearest.map { "Did you mean '\($0)'?" }
                    ?? "Registered are: \(identifiers.joined(separator: ", "))",
                place: declarations[name]?.first?.place)
        }
    }
}
