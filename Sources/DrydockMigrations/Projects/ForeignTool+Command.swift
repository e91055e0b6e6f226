extension ForeignTool {
    /// The tool's own command that runs the pending migrations; nil where each project has its own.
    package var command: String? {
        switch self {
        case .django: "python manage.py migrate"
        case .alembic: "alembic upgrade head"
        case .rails: "bin/rails db:migrate"
        case .ecto: "mix ecto.migrate"
        case .laravel: "php artisan migrate --force"
        case .knex: "npx knex migrate:latest"
        case .sequelize: "npx sequelize-cli db:migrate"
        case .typeORM: "npx typeorm migration:run -d DATASOURCE"
        case .entityFramework: "dotnet ef database update"
        default: nil
        }
    }
}
