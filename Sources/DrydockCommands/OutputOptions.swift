import ArgumentParser
import Drydock
import DrydockReport

/// What is printed of a report, what is written, and what counts as a failure.
struct OutputOptions: ParsableArguments {
    @Flag(name: Setting.strict.name, inversion: .prefixedNo, help: Setting.strict.help)
    var strict: Bool?

    @Option(
        name: Setting.format.name, help: Setting.format.help,
        completion: .list(ReportRenderers.all.names))
    var format: String?

    @Option(name: Setting.report.name, help: Setting.report.help, transform: ReportFile.parsed)
    var reports: [ReportFile] = []

    @Flag(name: Setting.quiet.name("q"), help: Setting.quiet.help)
    var quiet = false

    @Flag(name: Setting.verbose.name("v"), help: Setting.verbose.help)
    var verbose = false

    func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    }

    func isStrict(_ config: ConfigFile) -> Bool { strict ?? config.strict ?? false }

    /// The format of standard output.
    func format(_ config: ConfigFile) -> String { format ?? config.format ?? "human" }

    /// Those of the file, and those of the command line.
    /// - Parameter hasScripts: whether the command generates rows; drydock.yml is for all commands, and scripts that it
    ///   asks for are left to that one.
    func files(_ config: ConfigFile, hasScripts: Bool = false) -> [ReportFile] {
        config.reports.filter { hasScripts || !$0.isFolder } + reports
    }

    /// Refuses scripts on the command line of a command that generates no rows.
    func checkNoScripts() throws {
        guard let report = reports.first(where: \.isFolder) else { return }
        throw ValidationError(
            "--report \(report.format)=\(report.path) is only for drydock verify, which generates rows and writes a script "
                + "for each finding that they show; choose one of: \(Self.names)")
    }

    func options(_ config: ConfigFile, redacts: Bool = false) -> RenderOptions {
        RenderOptions(
            usesColor: Terminal.outputHasColor, redacts: redacts,
            isQuiet: quiet || !verbose && config.quiet ?? false,
            isVerbose: verbose || !quiet && config.verbose ?? false)
    }

    private static var names: String { ReportRenderers.all.names.joined(separator: ", ") }

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
    func write(_ report: Report, _ options: RenderOptions, _ config: ConfigFile) throws {
        let name = format(config)
        let text = (ReportRenderers.named(name) ?? HumanRenderer()).render(report, options)
        if name == "human" { Terminal.show(text) } else { Terminal.write(text) }
        try files(config).write(report, options)
    }
}

extension [ReportFile] {
    /// - Throws: RequestError.
    func write(_ report: Report, _ options: RenderOptions) throws {
        var options = options
        options.usesColor = false
        for file in self {
            guard let renderer = ReportRenderers.named(file.format) else {
                try file.writeScripts(of: report)
                continue
            }
            try file.write(renderer.render(report, options))
        }
    }

    /// Refuses files that the command reads.
    /// - Throws: RequestError.
    func check(against request: VerifyRequest) throws {
        for file in self { try file.check(against: request) }
    }
}
