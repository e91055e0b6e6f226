import DatabaseEngine
import DrydockFindings
import DrydockMigrations

/// A migration that Drydock's own limit on memory stopped: whether it runs for users is not known.
struct MemoryStop {
    /// The limit, in bytes.
    private let limit: Int
    /// The index of the statement that was stopped.
    private let index: Int?

    /// Nil for an error with another cause.
    init?(_ error: any Error) {
        switch error {
        case let failure as StatementFailure:
            guard let limit = failure.error.memoryLimit else { return nil }
            (self.limit, index) = (limit, failure.index)
        case let failure as RunnerFailure:
            guard let stop = MemoryStop(failure.error) else { return nil }
            self = stop
        case let error as EngineError:
            guard let limit = error.memoryLimit else { return nil }
            (self.limit, index) = (limit, nil)
        default: return nil
        }
    }

    package func finding(_ migration: Migration) -> Finding {
        let statement = index.flatMap {
            migration.statements.indices.contains($0) ? migration.statements[$0] : nil
        }
        return Finding(
            .migrationFailed,
            "\(migration.identifier) was stopped by Drydock's limit on memory, which is \(limit >> 20) MB",
            help: "Give --memory more.", migration: migration.identifier,
            place: statement.map { .init($0) } ?? .init(file: migration.path), tags: [.notChecked])
    }
}
