import Foundation

/// The task that runs `drydock lint` on a project with many migrations.
struct LintTask {
    static let name = "lint"
    static let migrations = 700

    let drydock: String
    let folder: String

    var task: BenchmarkTask {
        BenchmarkTask(
            name: Self.name,
            summary:
                "lint \(Self.migrations) migrations: tables, columns, indexes, rebuilds, rows",
            contenders: [
                Contender("drydock lint", [drydock, "lint", "--migrations", folder], before: write)
            ], goals: [Goal("drydock lint", .seconds(2))])
    }

    /// Writes the migrations, unless they exist from an earlier run.
    private func write() throws {
        let last = path(Self.migrations - 1)
        guard !FileManager.default.fileExists(atPath: last) else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 0..<Self.migrations {
            try sql(number).write(toFile: path(number), atomically: true, encoding: .utf8)
        }
    }

    private func path(_ number: Int) -> String { "\(folder)/v\(number).sql" }

    /// Returns the SQL of a migration; each table has seven.
    private func sql(_ number: Int) -> String {
        let table = "thing_\(number / 7)"
        // In every fourth table a column is renamed.
        let note = number / 7 % 4 == 0 ? "remark" : "note"
        return switch number % 7 {
        case 0:
            """
            CREATE TABLE \(table)(
                id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
                parent_id INTEGER REFERENCES thing_\(number / 14)(id) ON DELETE CASCADE,
                size INTEGER CHECK (size >= 0), created_at REAL NOT NULL DEFAULT (julianday('now')));
            CREATE INDEX \(table)_on_parent ON \(table)(parent_id, created_at);
            """
        case 1: "ALTER TABLE \(table) ADD COLUMN note TEXT;\nCREATE INDEX \(table)_on_note ON \(table)(note);"
        case 2:
            "-- drydock: rewrites \(table).name\nUPDATE \(table) SET name = trim(name) WHERE name <> trim(name);"
        case 3:
            """
            CREATE TRIGGER \(table)_changed AFTER UPDATE OF name ON \(table) BEGIN
                UPDATE \(table) SET note = old.name WHERE id = new.id;
            END;
            CREATE VIEW \(table)_names AS SELECT id, name FROM \(table) WHERE note IS NOT NULL;
            """
        case 4 where note == "remark": "ALTER TABLE \(table) RENAME COLUMN note TO remark;"
        case 4: "CREATE INDEX \(table)_on_name ON \(table)(name) WHERE size > 0;"
        case 5: "INSERT INTO \(table)(name, size) VALUES ('a', 1), ('b', 2);"
        default:
            """
            DROP VIEW \(table)_names;
            CREATE TABLE new_\(table)(
                id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
                parent_id INTEGER REFERENCES thing_\(number / 14)(id) ON DELETE CASCADE,
                size INTEGER CHECK (size >= 0), created_at REAL NOT NULL DEFAULT (julianday('now')), \(note) TEXT);
            INSERT INTO new_\(table)(id, name, parent_id, size, created_at, \(note))
            SELECT id, name, parent_id, size, created_at, \(note) FROM \(table);
            DROP TABLE \(table);
            ALTER TABLE new_\(table) RENAME TO \(table);
            CREATE INDEX \(table)_on_parent ON \(table)(parent_id, created_at);
            CREATE INDEX \(table)_on_note ON \(table)(\(note));
            CREATE TRIGGER \(table)_changed AFTER UPDATE OF name ON \(table) BEGIN
                UPDATE \(table) SET \(note) = old.name WHERE id = new.id;
            END;
            """
        }
    }
}
