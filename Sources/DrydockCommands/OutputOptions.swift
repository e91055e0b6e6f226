import ArgumentParser
import Drydock
import DrydockReport

/// What is printed of a report, what is written, and what counts as a failure.
struct OutputOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Let warnings fail too.")
    var strict: Bool?

    @Option(
        help: ArgumentHelp("What goes to standard output: \(names). (default: human)", valueName: "format"),
        completion: .list(ReportRenderers.all.map(\.name)))
    var format: String?

    @Option(
        name: .customLong("report"),
        help: ArgumentHelp("Write a report to a file as well; may be repeated.", valueName: "format=path"),
        transform: ReportFile.parsed)
    var reports: [ReportFile] = []

    @Flag(name: .shortAndLong, help: "Only what is wrong.")
    var quiet = false

    private static var names: String { ReportRenderers.all.map(\.name).joined(separator: ", ") }

    func checkFormat() throws {
        guard let format, ReportRenderers.named(format) == nil else { return }
        throw ValidationError("there is no format '\(format)'; choose one of: \(Self.names)")
    }

    /// - Parameter known: the formats of the output that replaces a report.
    func checkFormat(of known: [String]) throws {
        guard let format, !known.contains(format) else { return }
        throw ValidationError(
            "there is no format '\(format)' of this list; choose one of: \(known.joined(separator: ", "))")
    }

    /// Prints the report and writes the files.
    /// - Throws: RequestError.
    func write(_ report: VerifyReport, _ options: RenderOptions, _ config: ConfigFile) throws {
        let name = format ?? config.format ?? "human"
        let text = (ReportRenderers.named(name) ?? HumanRenderer()).render(report, options)
        if name == "human" { Terminal.show(text) } else { Terminal.write(text) }
        try reports.write(report, options)
    }
}

extension [ReportFile] {
    /// - Throws: RequestError.
    func write(_ report: VerifyReport, _ options: RenderOptions) throws {
        var options = options
        options.usesColor = false
        for file in self {
            guard let renderer = ReportRenderers.named(file.format) else { continue }
            try file.write(renderer.render(report, options))
        }
    }

    /// Refuses files that the command reads.
    /// - Throws: RequestError.
    func check(against request: VerifyRequest) throws {
        for file in self { try file.check(against: request) }
    }
}
