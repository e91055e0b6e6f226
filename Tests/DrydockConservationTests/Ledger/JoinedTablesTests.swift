import Drydock
import Testing

@testable import DrydockTestSupport

/// A dropped table that another one was joined with or updated from: equal values alone do not show that its rows are there.
@Suite struct JoinedTablesTests {
    private static let schema = """
        CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT NOT NULL, level INTEGER);
        CREATE TABLE setting(user_id INTEGER PRIMARY KEY, theme TEXT, level INTEGER);
        """
    private static let rows = """
        INSERT INTO user VALUES (1, 'ann', 1), (2, 'bob', 1), (3, 'cy', 3);
        INSERT INTO setting VALUES (1, 'dark', 1), (3, 'light', 3);
        """
    private static let drop = "DROP TABLE setting;"

    private static func update(_ assignments: String) -> String {
        "ALTER TABLE user ADD COLUMN theme TEXT; UPDATE user SET " + assignments + drop
    }

    private static func insert(_ select: String) -> String {
        "CREATE TABLE account(id INTEGER PRIMARY KEY, name TEXT NOT NULL, level INTEGER, theme TEXT);"
            + "INSERT INTO account " + select + ";" + drop + "DROP TABLE user;"
    }

    @Test(arguments: [
        RuleCase(
            "one value is left out",
            update("theme = (SELECT theme FROM setting WHERE user_id = user.id AND theme <> 'light');"),
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "the next row's values",
            update("theme = s.theme FROM setting AS s WHERE s.user_id = user.id + 1;"),
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "rows of which nothing is left but their absence",
            update("theme = (SELECT theme FROM setting WHERE user_id = user.id);"),
            schema: schema, rows: rows + "UPDATE setting SET theme = NULL", errors: [.tableDropped]),
        RuleCase(
            "a table that is only compared with, and has equal values",
            "UPDATE user SET level = abs(level) WHERE id IN (SELECT user_id FROM setting);" + drop,
            schema: schema, rows: rows, errors: [.tableDropped]),
        RuleCase(
            "columns change places",
            insert("SELECT u.id, s.theme, u.level, u.name FROM user u JOIN setting s ON s.user_id = u.id"),
            schema: schema, rows: rows, errors: [.tableDropped, .tableDropped]),
        RuleCase(
            "a join by another column",
            insert(
                "SELECT u.id, u.name, u.level, s.theme FROM user u LEFT JOIN setting s ON s.user_id = u.level"
            ),
            schema: schema, rows: rows, errors: [.tableDropped], notes: [.tableDropped]),
    ])
    func lossesAreErrors(_ it: RuleCase) async throws { try await it.check() }
}
