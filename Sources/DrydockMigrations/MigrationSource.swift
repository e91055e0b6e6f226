import DatabaseEngine

/// Where a project's migrations are, and how they are read and run.
///
///     var migrations = MigrationSource()
///     (migrations.folder, migrations.format) = ("db/migrations", "goose")
public struct MigrationSource: Sendable {
    public var folder = "Migrations"
    /// The name of their format; nil to detect it.
    public var format: String?
    /// The project's settings for them besides the files.
    public var options = FormatOptions()
    /// What the app registers with SQLite, in so far as they use it.
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []
    /// Declarations from drydock.yml, by migration identifier.
    public var declarations: [String: [Declaration]] = [:]

    public init() {}
}

extension FormatChoice {
    /// - Throws: ``RequestError`` for what is wrong with the source itself.
    package init(
        _ source: MigrationSource, edited: [String: [UInt8]] = [:], cache: FileCache = FileCache()
    ) throws {
        try self.init(
            folder: source.folder, named: source.format, options: source.options, edited: edited, cache: cache
        )
    }
}
