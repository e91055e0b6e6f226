import DatabaseEngine
import GRDBEngine
import Synchronization

/// An engine that fails where a test says so, and otherwise works as GRDB does.
struct FailingEngine: Engine {
    /// A call of a database, which is numbered from 1 in the order of opening.
    enum Moment: Hashable {
        case open(Int)
        /// Before the closure of ``OpenDatabase/withConnection(_:)`` runs.
        case before(Int)
        /// After it has run.
        case after(Int)
        case close(Int)
    }

    final class Plan: Sendable {
        private let calls = Mutex<(databases: Int, failures: [Moment: Int])>((0, [:]))

        /// Makes a call fail with an I/O error; the next one, or a later one.
        func fail(_ moment: Moment, skipping count: Int = 0) {
            calls.withLock { $0.failures[moment] = count }
        }

        fileprivate func number() -> Int {
            calls.withLock {
                $0.databases += 1
                return $0.databases
            }
        }

        fileprivate func check(_ moment: Moment) throws {
            try calls.withLock { calls in
                guard let count = calls.failures[moment] else { return }
                calls.failures[moment] = count == 0 ? nil : count - 1
                if count == 0 { throw FailingEngine.failure }
            }
        }
    }

    static let failure = EngineError(extendedCode: 10, message: "the test's error")

    let plan = Plan()
    let name = "failing"
    private let inner = GRDBDriver()

    func open(_ location: DatabaseLocation, settings: ConnectionSettings) async throws -> any OpenDatabase {
        let number = plan.number()
        try plan.check(.open(number))
        return Database(inner: try await inner.open(location, settings: settings), number: number, plan: plan)
    }

    private struct Database: OpenDatabase {
        let inner: any OpenDatabase
        let number: Int
        let plan: Plan

        func withConnection<Result: Sendable>(
            _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result {
            try plan.check(.before(number))
            let result = try await inner.withConnection(body)
            try plan.check(.after(number))
            return result
        }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result {
            try await inner.read(body)
        }

        func migrate(_ migrations: [EngineMigration]) async throws -> [EngineMigration.Ran] {
            try await inner.migrate(migrations)
        }

        func changes(every interval: Duration) async throws -> DatabaseChanges {
            try await inner.changes(every: interval)
        }

        func close() async throws {
            try await inner.close()
            try plan.check(.close(number))
        }
    }
}
