/// A folder as Sqlx keeps it.
enum SqlxProject {
    static func history(checksum: String = "") -> String {
        """
        CREATE TABLE _sqlx_migrations(version BIGINT PRIMARY KEY, description TEXT NOT NULL,
          installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL,
          execution_time BIGINT NOT NULL);
        INSERT INTO _sqlx_migrations VALUES (1, 'people', '2024-01-01', 1, x'\(checksum)', 1);
        """
    }

    static let first = "CREATE TABLE person(id INTEGER PRIMARY KEY);\n"

    /// `printf 'CREATE TABLE person(id INTEGER PRIMARY KEY);\n' | sha384sum`
    static let checksum =
        "85beda035de667bef15d0aac5dd57d601fa3f136f1135f95481c0e767b756441b1b1cf71ca60e37d8a563d45539dad2c"

    static let project = ToolProject(
        files: [
            "0001_people.sql": first, "0002_born.sql": "ALTER TABLE person ADD COLUMN born TEXT;\n",
            "0003_pet.sql": "CREATE TABLE pet(id INTEGER PRIMARY KEY);\n",
        ], history: history(checksum: checksum), schema: first, rows: "INSERT INTO person VALUES (1)")
}
