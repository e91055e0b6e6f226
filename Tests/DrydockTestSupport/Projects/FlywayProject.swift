/// A folder as Flyway keeps it.
enum FlywayProject {
    static func history(checksum: String = "NULL", _ rest: String = "") -> String {
        """
        CREATE TABLE "flyway_schema_history"("installed_rank" INT NOT NULL PRIMARY KEY, "version" VARCHAR(50),
          "description" VARCHAR(200) NOT NULL, "type" VARCHAR(20) NOT NULL, "script" VARCHAR(1000) NOT NULL, "checksum" INT,
          "installed_by" VARCHAR(100) NOT NULL, "installed_on" TEXT NOT NULL, "execution_time" INT NOT NULL,
          "success" BOOLEAN NOT NULL);
        INSERT INTO flyway_schema_history VALUES
          (1, '1', 'people', 'SQL', 'V1__people.sql', \(checksum), 'me', '2024-01-01', 1, 1);
        \(rest)
        """
    }

    static let project = ToolProject(
        files: [
            "V1__people.sql": ToolProject.one, "V1_1__born.sql": ToolProject.two,
            "U1_1__born.sql": "ALTER TABLE person DROP COLUMN born;",
            "later/V2__index.sql": ToolProject.three,
            "R__names.sql": "DROP VIEW IF EXISTS names;\nCREATE VIEW names AS SELECT name FROM person;\n",
        ], history: history())
}
