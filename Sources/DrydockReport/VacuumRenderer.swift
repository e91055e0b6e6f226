import Drydock
import Foundation
import SQLiteSchema

/// Turns what a vacuum did, or would do, into text.
package enum VacuumRenderer {
    package static func human(_ report: VacuumReport, _ options: RenderOptions) -> String {
        let paint = Paint(options.usesColor)
        let (old, new) = (report.forecast.bytes, report.bytesAfter)
        let size = StatisticsRenderer.size
        var text = "\(paint.bold(VisibleText.line(report.path)))  \(size(old)) -> "
        guard report.method != .forecast else {
            text += "about \(size(new))\n"
            for need in report.forecast.needs {
                let free = need.free.map { ", \(size($0)) free" } ?? ""
                text +=
                    "  needs \(size(need.bytes)) in \(VisibleText.line(need.folder))\(free): \(VisibleText.line(need.purpose))\n"
            }
            if let seconds = report.forecast.seconds, let sample = report.forecast.sampleBytes {
                text +=
                    "  takes about \(duration(seconds)), from a sample of \(size(sample)) that was copied, "
                text += "checked and compared in memory, and from how fast the disk takes 8 MiB\n"
            }
            return text + "  nothing was written\n"
        }
        text += "\(size(new)) in \(String(format: "%.1f", report.seconds)) s"
        if old > 0, new <= old { text += ", \(100 - new * 100 / old) % smaller" }
        text += "\n"
        if report.tablesCompared > 0 {
            text +=
                "  \(counted(report.rowsCompared, "row")) in \(counted(report.tablesCompared, "table")) "
                + "compared with the old ones: all there, to the bit\n"
        }
        if report.copies > 1 {
            text += "  copied \(report.copies) times: another program committed meanwhile\n"
        }
        for note in report.notes { text += "  \(paint.yellow("note:")) \(VisibleText.line(note))\n" }
        return text
    }

    private static func duration(_ seconds: Double) -> String {
        seconds < 1
            ? "a second" : seconds < 90 ? "\(Int(seconds.rounded(.up))) s" : "\(Int(seconds / 60) + 1) min"
    }

    package static func json(_ report: VacuumReport) -> String { jsonText(Envelope(report)) }

    /// Returns what is printed if no report could be made.
    package static func json(failure message: String, _ error: RequestError? = nil, of path: String) -> String
    {
        jsonText(
            FailedEnvelope(
                database: path, error: error.map(JSONFailure.init), findings: [.init(message: message)]))
    }
}

private struct FailedEnvelope: Encodable {
    struct Failure: Encodable {
        var rule = "vacuum-failed"
        var severity = "error"
        var message: String
    }

    var tool = "drydock"
    var formatVersion = 1
    var command = "vacuum"
    var verdict = "failed"
    var database: String
    var error: JSONFailure?
    var findings: [Failure]
}

private struct Envelope: Encodable {
    struct Need: Encodable {
        var folder, purpose: String
        var bytes: Int
        var freeBytes: Int?
    }

    var tool = "drydock"
    var formatVersion = 1
    var command = "vacuum"
    var verdict = "passed"
    var findings: [String] = []
    var database, method, journalMode: String
    var bytesBefore, bytesAfter, tablesCompared, rowsCompared, copies: Int
    var seconds: Double
    var forecastSeconds: Double?
    var needs: [Need]
    var notes: [String]

    init(_ report: VacuumReport) {
        (database, method) = (report.path, report.method.rawValue)
        journalMode = report.forecast.journalMode
        (bytesBefore, bytesAfter) = (report.forecast.bytes, report.bytesAfter)
        (tablesCompared, rowsCompared) = (report.tablesCompared, report.rowsCompared)
        (copies, seconds, notes) = (report.copies, report.seconds, report.notes)
        forecastSeconds = report.forecast.seconds.map { ($0 * 100).rounded() / 100 }
        needs = report.forecast.needs.map {
            Need(folder: $0.folder, purpose: $0.purpose, bytes: $0.bytes, freeBytes: $0.free)
        }
    }
}
