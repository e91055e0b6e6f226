/// A folder as Drizzle keeps it.
enum DrizzleProject {
    static func journal(_ tags: [String]) -> String {
        let entries = tags.enumerated().map { index, tag in
            "    { \"idx\": \(index), \"version\": \"6\", \"when\": \(1000 * (index + 1)), \"tag\": \"\(tag)\", \"breakpoints\": true }"
        }
        return "{\n  \"version\": \"7\",\n  \"dialect\": \"sqlite\",\n  \"entries\": [\n"
            + entries.joined(separator: ",\n") + "\n  ]\n}\n"
    }

    static func pieces(_ sql: String) -> String {
        sql.replacing(";\n", with: ";\n--> statement-breakpoint\n").replacing(
            "--> statement-breakpoint\n\n", with: "")
    }

    static let history = """
        CREATE TABLE __drizzle_migrations(id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric);
        INSERT INTO __drizzle_migrations(hash, created_at) VALUES ('x', 1000);
        """

    static let project = ToolProject(
        files: [
            "meta/_journal.json": journal(["0000_people", "0001_born", "0002_index"]),
            "0000_people.sql": pieces(ToolProject.one), "0001_born.sql": ToolProject.two,
            "0002_index.sql": ToolProject.three,
        ], history: history)
}
