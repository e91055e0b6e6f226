import ArgumentParser
import Drydock
import DrydockReport
import Foundation

/// What is printed of a report, what is written, and what counts as a failure.
struct OutputOptions: ParsableArguments {
    @Flag(name: Setting.strict.name, inversion: .prefixedNo, help: Setting.strict.help)
    var strict: Bool?

    @Option(
        name: Setting.format.name, help: Setting.format.help,
        completion: .list(OutputFormat.names(ReportRenderers.all)))
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

    func isStrict(_ config: ConfigFile) -> Bool { strict ?? config[Setting.strict] ?? false }

    /// The format of standard output.
    func format(_ config: ConfigFile) -> OutputFormat { OutputFormat(format ?? config[Setting.format]) }

    /// Those of the file, those of the command line, and those that the service looks for which runs the command.
    /// - Parameter hasScripts: whether the command generates rows; drydock.yml is for all commands, and scripts that it
    ///   asks for are left to that one.
    func files(_ config: ConfigFile, hasScripts: Bool = false) -> [ReportFile] {
        let files = config.reports.filter { hasScripts || !$0.isFolder } + reports
        return files + format(config).files(besides: files)
    }

    /// Refuses scripts on the command line of a command that generates no rows.
    func checkNoScripts() throws {
        guard let report = reports.first(where: \.isFolder) else { return }
        throw ValidationError(
            "--report \(report.format)=\(report.path) is only for drydock verify, which generates rows and writes a script "
                + "for each finding that they show; choose one of: \(ReportRenderers.all.names.joined(separator: ", "))"
        )
    }

    func options(_ config: ConfigFile, redacts: Bool = false) -> RenderOptions {
        RenderOptions.forOutput(
            redacts: redacts, isQuiet: quiet || !verbose && config[Setting.quiet] ?? false,
            isVerbose: verbose || !quiet && config[Setting.verbose] ?? false)
    }

    func checkFormat() throws {
        let names = OutputFormat.names(ReportRenderers.all)
        guard let format, !names.contains(format) else { return }
        throw ValidationError(
            "there is no format '\(format)'; choose one of: \(names.joined(separator: ", "))")
    }

    /// - Parameter known: the formats of the output that replaces a report.
    func checkFormat(of known: [String]) throws {
        guard let format, !known.contains(format) else { return }
        throw ValidationError(
            "there is no format '\(format)' of this list; choose one of: \(known.joined(separator: ", "))")
    }

    /// Writes the files and prints the report.
    /// - Throws: RequestError.
    func write(_ report: Report, _ options: RenderOptions, _ config: ConfigFile) throws {
        try ReportFile.write {
            try files(config).write(report, options)
        } thenPrint: {
            try format(config).write(report, options)
        }
    }
}

extension RenderOptions {
    /// The options of a report in this folder and on this terminal.
    static func forOutput(redacts: Bool = false, isQuiet: Bool = false, isVerbose: Bool = false)
        -> RenderOptions
    {
        var options = RenderOptions(
            usesColor: Terminal.outputHasColor, redacts: redacts, isQuiet: isQuiet, isVerbose: isVerbose)
        options.paths = ContinuousIntegration.paths
        options.width = Terminal.outputWidth
        return options
    }

    /// The same, with the time.
    var dated: RenderOptions {
        var options = self
        options.time = Date().timeIntervalSince1970
        return options
    }

    /// The same for a file, which has no colors and no width.
    var forFile: RenderOptions {
        var options = dated
        (options.usesColor, options.width) = (false, nil)
        return options
    }
}

extension [ReportFile] {
    /// Writes each file, also those after one that fails.
    /// - Throws: RequestError of the first that fails.
    func write(_ report: Report, _ options: RenderOptions) throws {
        let options = options.forFile
        try ReportFile.writeEach(self) { file in
            guard let renderer = ReportRenderers.named(file.format) else {
                return try file.writeScripts(of: report)
            }
            try file.write(renderer.render(report, options))
        }
    }

    /// Refuses files that the command reads.
    /// - Throws: RequestError.
    func check(against request: VerifyRequest, _ config: ConfigFile) throws {
        for file in self { try file.check(against: request, config) }
    }

    /// Refuses two reports in one file, of which only the last would remain.
    /// - Throws: RequestError.
    func checkDistinct() throws {
        var seen: Set<String> = []
        for file in self {
            if seen.insert(file.target).inserted { continue }
            throw RequestError(
                .settingInvalid, "two reports would be written to '\(file.path)'; give each a path of its own"
            )
        }
    }
}
