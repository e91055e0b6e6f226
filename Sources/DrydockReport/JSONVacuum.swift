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

    package static func json(_ message: String, _ error: RequestError? = nil, of path: String) -> String {
        jsonText(
            JSONEnvelope(
                command: "vacuum", hasFailed: true, failure: Finding(.vacuumFailed, message),
                FailedVacuum(database: path, error: error.map(JSONFailure.init))))
    }
}

/// The document of several vacuums: the documents of each.
package enum SeveralVacuums {
    package static func json(_ documents: [String], hasFailed: Bool) -> String {
        """
        {
        "tool" : "drydock",
        "formatVersion" : 1,
        "command" : "vacuum",
        "verdict" : "\(hasFailed ? "failed" : "passed")",
        "findings" : [],
        "notChecked" : [],
        "databases" : [
        \(documents.joined(separator: ",\n"))
        ]
        }

        """
    }
}
