import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport
import Foundation

/// A run of `drydock diff --data`: rows instead of schemas.
struct DataDiffRun {
    /// What `--format` accepts with `--data`.
    static let formats = ["human", "json", "sql"]

    let engine: any Engine
    var request: DataDiffRequest
    var format = "human"
    var isSummary = false
    var options = RenderOptions()

    func run() async throws {
        let isHuman = format == "human"
        let isScript = format == "sql"
        var isLineStart = true
        let sink: OutputBuffer.Sink = { bytes in
            if isHuman {
                Terminal.show(bytes)
            } else if isScript {
                Terminal.write(sql: bytes, &isLineStart)
            } else {
                Terminal.write(bytes)
            }
        }
        let consumer: any DataDiffConsumer =
            switch format {
            case "json": DataJSONRenderer(options, isSummary: isSummary, sink)
            case "sql": DataScriptRenderer(sink)
            default: DataDiffRenderer(options, isSummary: isSummary, sink)
            }
        var request = request
        request.wantsScript = format == "sql"
        let report = try await DataDiffer(engine: engine).run(request, to: consumer)
        if !report.isSame { throw ExitCode(1) }
        if report.isIncomplete {
            Terminal.complain("not every table could be compared")
            throw ExitCode(2)
        }
    }
}
