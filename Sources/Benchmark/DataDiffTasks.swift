import Foundation

/// The tasks that compare `drydock diff --data` with sqldiff and cmp.
struct DataDiffTasks {
    let drydock: String
    let database: BenchmarkDatabase

    var all: [BenchmarkTask] {
        let mail = database.snapshot
        return [
            task("diff-equal", "a file and its copy", mail, status: 0, edit: "", besideCmp: true),
            task("diff-vacuumed", "a file and its VACUUMed copy", mail, status: 0, edit: "VACUUM"),
            task(
                "diff-few", "0.1 % of the biggest table's rows changed", mail, status: 1,
                edit: "UPDATE email SET subject = subject || '!' WHERE id % 1000 = 7"),
            task(
                "diff-text-key", "a text primary key, 0.1 % of the rows changed, VACUUMed", texts, status: 1,
                edit: "UPDATE document SET size = size + 1 WHERE rowid % 1000 = 7; VACUUM"),
            task(
                "diff-all", "all of the biggest table's rows changed", mail, status: 1,
                edit: "UPDATE email SET size = size + 1", goals: Self.goals),
            task(
                "diff-blobs", "every value of \(Self.files) files with contents changed", files, status: 1,
                edit: "UPDATE file SET name = name || '!', modified = modified + 0.5, "
                    + "data = CAST(data || x'ff' AS BLOB)",
                goals: Self.goals),
        ]
    }

    private static let (json, sql) = ("drydock --format json", "drydock --format sql")
    private static let goals = [
        Goal("drydock", .times(0.8, of: "sqldiff")), Goal(sql, .times(0.8, of: "sqldiff")),
        Goal(json, .times(1.3, of: "drydock")), Goal("drydock", .privateMegabytes(128)),
    ]
    private static let files = 100_000

    /// A copy of the biggest table with a text key.
    private var texts: String { database.folder + "/text.sqlite" }

    /// A table with a blob of about 1 kB in each row.
    private var files: String { database.folder + "/files.sqlite" }

    private func task(
        _ name: String, _ summary: String, _ old: String, status: Int32, edit: String,
        besideCmp: Bool = false, goals: [Goal] = []
    ) -> BenchmarkTask {
        let new = "\(database.folder)/\(name).sqlite"
        let prepare = {
            if !FileManager.default.fileExists(atPath: old) { try old == texts ? makeTexts() : makeFiles() }
            if !FileManager.default.fileExists(atPath: new) {
                try FileManager.default.copyItem(atPath: old, toPath: new)
                try database.sqlite(new, edit + ";")
            }
        }
        let command = [drydock, "diff", "--data", old, new]
        var contenders = [
            Contender("drydock", command, statuses: [status], before: prepare),
            Contender(Self.json, command + ["--format", "json"], statuses: [status]),
            Contender(Self.sql, command + ["--format", "sql"], statuses: [status]),
            Contender("drydock --summary", command + ["--summary"], statuses: [status]),
            Contender("sqldiff", ["sqldiff", old, new]),
            Contender("sqldiff --summary", ["sqldiff", "--summary", old, new]),
        ]
        if besideCmp { contenders.append(Contender("cmp", ["cmp", old, new])) }
        return BenchmarkTask(
            name: name, summary: old == files ? summary : "\(summary), on \(database.megabytes) MB",
            contenders: contenders,
            goals: goals)
    }

    private func makeTexts() throws {
        try database.sqlite(
            texts,
            """
            ATTACH '\(database.snapshot)' AS mail; BEGIN;
            CREATE TABLE document(
                name TEXT PRIMARY KEY, subject TEXT, sender TEXT, body TEXT, size INTEGER, received_at REAL);
            INSERT INTO document
            SELECT message_id, subject, sender, body, size, received_at FROM mail.email ORDER BY id % 1009, id;
            COMMIT;
            """)
    }

    private func makeFiles() throws {
        try database.sqlite(
            files,
            """
            BEGIN;
            CREATE TABLE file(id INTEGER PRIMARY KEY, name TEXT NOT NULL, modified REAL, data BLOB);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT \(Self.files))
            INSERT INTO file SELECT n, 'file ' || n, n * 1.37, randomblob(500 + n % 1000) FROM s;
            COMMIT;
            """)
    }
}
