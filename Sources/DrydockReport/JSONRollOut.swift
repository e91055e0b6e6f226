import Drydock

/// What was done to many databases, in the JSON contract.
struct JSONRollOut: Encodable {
    struct Summary: Encodable {
        struct Version: Encodable {
            var version: String?
            var databases: Int
        }

        struct Wave: Encodable {
            var name: String
            var databases, applied, failed: Int
            var seconds: Double
        }

        var mode: String
        var versions: [Version]
        /// The number of databases by outcome.
        var outcomes: [String: Int]
        var waves: [Wave]
        var drifted, unread: Int
        var stopped, log: String?
    }

    struct Database: Encodable {
        var path: String
        var version: String?
        var outcome: String
        var pending: Int
        var drifted: Bool
        var seconds: Double
        var backup, reason: String?
    }

    var rollOut: Summary
    var databases: [Database]

    init(_ summary: RollOutSummary) {
        rollOut = Summary(
            mode: summary.mode.rawValue,
            versions: summary.versions.map { .init(version: $0.version, databases: $0.count) },
            outcomes: Dictionary(grouping: summary.databases, by: \.outcome.rawValue).mapValues(\.count),
            waves: summary.waves.map {
                .init(
                    name: $0.name, databases: $0.count, applied: $0.applied, failed: $0.failed,
                    seconds: rounded($0.seconds))
            },
            drifted: summary.databases.count(where: \.hasDrifted), unread: summary.unread,
            stopped: summary.stopped,
            log: summary.log)
        databases = summary.databases.map {
            Database(
                path: $0.path, version: $0.version, outcome: $0.outcome.rawValue, pending: $0.pending,
                drifted: $0.hasDrifted, seconds: rounded($0.seconds), backup: $0.backup, reason: $0.reason)
        }
    }
}
