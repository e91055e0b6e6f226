import ArgumentParser
import Drydock
import DrydockReport
import Foundation

struct SchemaCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "schema",
        abstract: "Print the schema of a database or of migrations.",
        usage: "[OPTIONS] SOURCE",
        about: """
            Prints the canonical schema of a database, a .sql file or a folder of migrations
            (FOLDER@VERSION stops there). The same schema always gives the same text, so it
            can be kept in git and checked in CI.
            """,
        examples: """
            drydock schema Migrations > schema.sql
            drydock schema Migrations --check schema.sql    status 1 when it has changed
            drydock schema app.sqlite --format mermaid      an entity diagram
            """,
        common: "format check migration-format",
        exitStatus: """
            0  printed, or the same as the file
            1  different from the file
            2  no schema could be read
            64 bad usage
            """)

    @Argument(
        help: ArgumentHelp("A database, a .sql file, FOLDER or FOLDER@VERSION.", valueName: "source"),
        completion: .file())
    var source: String

    @Option(
        help: ArgumentHelp("sql, json or mermaid.", valueName: "format"),
        completion: .list(SchemaFormat.allCases.map(\.rawValue)))
    var format = "sql"

    @Option(
        help: ArgumentHelp("Compare with a saved schema instead of printing.", valueName: "file"),
        completion: .file())
    var check: String?

    @Option(
        name: Setting.migrationFormat.name, help: Setting.migrationFormat.help,
        completion: .list(MigrationFormats.names))
    var migrationFormat: String?

    @OptionGroup var tool: ToolOptions

    @OptionGroup var engines: EngineOptions

    @OptionGroup var stubs: StubOptions

    @OptionGroup var limits: LimitOptions

    func validate() throws {
        if SchemaFormat(rawValue: format) == nil {
            throw ValidationError("there is no format '\(format)'; choose one of: sql, json, mermaid")
        }
    }

    func run() async throws {
        try await limits.run(stubs, FailureOutput(Self.self, format: format)) { config, limits in
            let engine = limits.engine(engines.driver(config))
            let (functions, collations) = stubs.stubs(config)
            let loaded = try config.source(source, migrationFormat, tool)
            if let check {
                var request = DiffRequest(from: try SchemaSource(check), to: loaded)
                (request.functions, request.collations) = (functions, collations)
                let report = try await SchemaComparer(engine: engine).run(request)
                guard !report.hasPassed else { return }
                let options = RenderOptions(usesColor: Terminal.outputHasColor)
                Terminal.show(HumanRenderer().render(report, options))
                throw ExitCode(1)
            }
            let schema = try await SchemaComparer(engine: engine).schema(
                of: loaded, functions: functions, collations: collations)
            let format = SchemaFormat(rawValue: format) ?? .sql
            let text = format.render(schema)
            switch format {
            case .sql: Terminal.write(sql: text)
            case .json: Terminal.write(text)
            case .mermaid: Terminal.show(text)
            }
        }
    }
}
