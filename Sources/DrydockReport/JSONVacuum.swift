import Drydock

/// What `drydock vacuum` writes besides what every report has.
struct JSONVacuum: Encodable {
    var database, method, journalMode: String
    var bytesBefore, bytesAfter, tablesCompared, rowsCompared, copies: Int
    var forecastSeconds: Double?
    var needs: [JSONNeed]
    var notes: [String]

    init(_ vacuum: VacuumSummary) {
        (database, method) = (vacuum.database, vacuum.method.rawValue)
        journalMode = vacuum.forecast.journalMode
        (bytesBefore, bytesAfter) = (vacuum.forecast.bytes, vacuum.bytesAfter)
        (tablesCompared, rowsCompared) = (vacuum.tablesCompared, vacuum.rowsCompared)
        (copies, notes) = (vacuum.copies, vacuum.notes)
        forecastSeconds = vacuum.forecast.seconds.map { ($0 * 100).rounded() / 100 }
        needs = vacuum.forecast.needs.map(JSONNeed.init)
    }
}

/// The document that is written if a vacuum was not done.
package struct FailedVacuum: Encodable {
    private let database: String
    private let error: JSONFailure?

    static func document(of database: VacuumFleetSummary.Database) -> JSONEnvelope<FailedVacuum> {
        JSONEnvelope(
            command: "vacuum", hasFailed: true,
            failure: database.trouble.map { Finding(.vacuumFailed, $0.description) },
            FailedVacuum(database: database.path, error: database.trouble.map(JSONFailure.init)))
    }

    package static func json(_ message: String, _ error: RequestError? = nil, of path: String) -> String {
        jsonText(
            JSONEnvelope(
                command: "vacuum", hasFailed: true, failure: Finding(.vacuumFailed, message),
                FailedVacuum(database: path, error: error.map(JSONFailure.init))))
    }
}

/// What `drydock vacuum` writes of several databases: the document of each.
struct JSONVacuums: Encodable {
    /// The document of one database, done or not.
    private struct Database: Encodable {
        let database: VacuumFleetSummary.Database
        let options: RenderOptions

        func encode(to encoder: any Encoder) throws {
            guard let vacuum = database.vacuum else {
                return try FailedVacuum.document(of: database).encode(to: encoder)
            }
            var report = Report(.vacuum(vacuum))
            report.seconds = database.seconds
            try JSONEnvelope(report, options, JSONVacuum(vacuum)).encode(to: encoder)
        }
    }

    private struct Totals: Encodable {
        var databases, done, notDone, bytesBefore, bytesAfter: Int
    }

    private let databases: [Database]
    private let totals: Totals

    init(_ summary: VacuumFleetSummary, _ options: RenderOptions) {
        databases = summary.databases.map { Database(database: $0, options: options) }
        let done = summary.done.count
        totals = Totals(
            databases: databases.count, done: done, notDone: databases.count - done,
            bytesBefore: summary.bytesBefore, bytesAfter: summary.bytesAfter)
    }
}
