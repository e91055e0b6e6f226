extension ToolProfile {
    /// The tools. This is the only place where one is registered.
    ///
    /// If two formats read a folder in the same way, the first one is used; of two tools with the same traces, the first
    /// counts.
    package static let all: [ToolProfile] = [
        .django, .alembic, .knex, .sequelize, .entityFramework, .rails, .ecto, .laravel, .typeORM,
        .drydock, .golangMigrate, .goose, .sqlx, .diesel, .dbmate, .maragudkMigrate, .prisma, .drizzle,
        .flyway, .refinery, .d1, .sqlDelight, .room, .drift, .userVersion,
        // What no known tool runs comes last.
        .go, .kotlin, .script,
    ]
}
