import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// What another SQLite library makes of a batch of migrations, as findings.
struct LibraryReports: Sendable {
    let batch: [Migration]

    /// A migration that passes on the usual library and fails on this one.
    func failure(_ failure: RepeatedBatch.Failure, _ library: SQLiteBuild) -> Finding {
        let migration = batch.first { $0.identifier == failure.migration } ?? batch[0]
        let known = MigrationFailure(migration: migration, error: failure.error).finding
        let isCheck = MigrationFailure(migration: migration, error: failure.error).isForeignKeyCheck
        let check = isCheck ? "its foreign-key check: " : ""
        var finding = Finding(
            .migrationFailed,
            Sentence("\(migration.identifier) fails on \(place(library)): \(check)\(failure.sentence)"),
            help: isCheck
                ? checkHelp(migration)
                : LibraryAdvice(library: library).help(failure.message, compiles: failure.compiles),
            migration: migration.identifier,
            place: known?.place ?? .init(file: migration.path), tags: [.sqlite(library.version)])
        finding.resultCode = failure.code
        return finding
    }

    /// A process that a signal ended.
    func crash(_ signal: Int32, on library: SQLiteBuild) -> Finding {
        let migration = batch[batch.count - 1]
        return Finding(
            .migrationFailed,
            "\(migration.identifier) makes \(place(library)) crash: signal \(signal) ended the process",
            help: "Write it in another way, or leave users with this library on the older release.",
            migration: migration.identifier, place: .init(file: migration.path),
            tags: [.sqlite(library.version)])
    }

    /// A migration that fails on the usual library and passes on this one.
    func passes(_ migration: Migration, _ library: SQLiteBuild) -> Finding {
        Finding(
            .libraryDivergence, .note, "\(migration.identifier) passes on \(place(library))",
            migration: migration.identifier, place: .init(file: migration.path),
            tags: [.sqlite(library.version)])
    }

    /// Statements that compile on the usual library, and not on this one.
    func refusal(
        _ refusal: RepeatedBatch.Refusal, _ all: [RepeatedBatch.Refusal], at step: Migration,
        _ library: SQLiteBuild
    ) -> Finding {
        var finding = Finding(
            .libraryDivergence,
            "\(step.identifier) passes on \(place(library)), but then '\(refusal.statement)' fails there: "
                + refusal.message, help: LibraryAdvice(library: library).help(refusal.message),
            migration: step.identifier, place: .init(file: step.path), tags: [.sqlite(library.version)])
        if all.count > 1 {
            finding.evidence = Evidence(
                rowCount: nil,
                details: all.prefix(Evidence.detailLimit).map { "\($0.statement): \($0.message)" })
        }
        return finding
    }

    /// Another schema, or other rows.
    func divergence(
        _ parts: Set<StateComparison.Part>, _ rows: [Evidence.Row], at step: Migration, _ library: SQLiteBuild
    ) -> Finding {
        Finding(
            .libraryDivergence,
            "after \(step.identifier), \(place(library)) and SQLite \(SQLiteLibrary.version) differ in "
                + EngineComparison.list(Set(parts.map(\.description))),
            help:
                "Look for what SQLite does not define: the order of rows without ORDER BY, or how a number is converted to text. "
                + "If either result is right, declare it:\n"
                + Help.declaration("ignore library-divergence because REASON"),
            migration: step.identifier, place: .init(file: step.path),
            tags: [.sqlite(library.version)], evidence: rows.isEmpty ? nil : Evidence(rows: rows))
    }

    private func place(_ library: SQLiteBuild) -> String { "\(library.title) (\(library.path))" }

    /// Before 3.26 a rename left references alone while foreign keys were off (https://www.sqlite.org/lang_altertable.html).
    private func checkHelp(_ migration: Migration) -> Help {
        let renames = migration.statements.contains {
            if case .renameTable = $0.action { true } else { false }
        }
        return renames
            ? "Before SQLite 3.26, ALTER TABLE ... RENAME TO leaves references alone where foreign keys are off. Let the new "
                + "table's own references, and those of others, use the final name from the beginning."
            : "A row must not reference what does not exist. Give such rows a parent that exists, or NULL, in the migration."
    }
}
