extension ToolProfile {
    /// Sequelize.
    ///
    /// sequelize-cli has no command that only prints (sequelize/cli#219); `logging` in its configuration does.
    static let sequelize = ToolProfile(
        CodeMigrations(
            "Sequelize", isIn: nil,
            recipe:
                "with logging: true in its configuration, 'npx sequelize-cli db:migrate' on an empty database logs the SQL: write "
                + "that of each migration into a folder, as sql/NAME.sql. The history has the file's whole name, here with .js.",
            settings: CodeMigrations.custom(
                "SequelizeMeta", "SELECT name FROM SequelizeMeta", transaction: "none", foreignKeys: true,
                identifier: "${version}.js",
                record: "(name) VALUES (:version)"),
            programs: ["sequelize"],
            command: [
                #"command: npx sequelize-cli db:migrate --url "sqlite:$DRYDOCK_DATABASE""#
            ]),
        namedBy: [.packages("sequelize", "sequelize-cli")],
        tables: ["SequelizeMeta": ["name"]],
        history: CommandHistory("SequelizeMeta", ["name"], "SELECT name FROM SequelizeMeta ORDER BY name"))
}
