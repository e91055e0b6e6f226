extension LintRuleText {
    static let addColumnFails = LintRuleText(
        summary: "ADD COLUMN fails as soon as the table has a row",
        detail: """
            SQLite takes the statement on an empty table, so tests pass, and refuses it for users who have rows: \
            NOT NULL without a default, a default that is computed (`CURRENT_TIMESTAMP`, anything in \
            parentheses that is not a literal), a STORED generated column, a foreign key with a default while \
            foreign keys are on, and a CHECK that the default breaks. Add the column with a literal default, or \
            without one, and fill it with UPDATE.
            """,
        bad: "ALTER TABLE email ADD COLUMN seen_at TEXT NOT NULL;",
        good: "ALTER TABLE email ADD COLUMN seen_at TEXT NOT NULL DEFAULT '';")

    static let expressionFails = LintRuleText(
        summary: "a generated column, CHECK, DEFAULT or index can be computed for no row",
        detail: """
            ALTER TABLE takes a generated column, and CREATE TABLE a DEFAULT, that calls a function which this \
            SQLite does not have, or calls one with the wrong number of arguments; `date('now')` is refused only \
            where there is a row. `json_extract` of a text that is not JSON fails for that row, which is a warning. \
            The migration succeeds, and from then on every SELECT of all columns or every \
            write fails. The expressions are compiled by the SQLite that Drydock runs on; \
            `sqlite:` in drydock.yml, or `--sqlite`, names an older one, whose functions `minimum-sqlite` knows. \
            Functions that the app registers are named under `functions:` in drydock.yml.
            """,
        bad: """
            -- if() came with SQLite 3.48: older ones accept this, and then cannot read the table
            ALTER TABLE hook ADD COLUMN kind TEXT AS (if(n > 1, 'many', 'one'));
            """,
        good: "ALTER TABLE hook ADD COLUMN kind TEXT AS (CASE WHEN n > 1 THEN 'many' ELSE 'one' END);")

    static let uniqueOverExisting = LintRuleText(
        summary: "UNIQUE for rows that were written without it",
        detail: """
            `CREATE UNIQUE INDEX` fails with "UNIQUE constraint failed" for every user who has two rows with \
            the same values, and a rebuild's `INSERT ... SELECT` fails alike, as does one into a table of its own \
            key. With `INSERT OR IGNORE` or `OR REPLACE` the rows are lost in silence, which is an error where the old key \
            had more columns than the new one: it allowed such rows. Merge such rows first, and \
            declare it. It is a note once a DELETE picked rows by all of these columns or by a query, or an UPDATE changed one, \
            and an error where an UPDATE gave every row the same.
            """,
        bad: "CREATE UNIQUE INDEX email_on_message ON email(message_id);",
        good: """
            -- drydock: deletes from email where id NOT IN (SELECT min(id) FROM email GROUP BY message_id)
            DELETE FROM email WHERE id NOT IN (SELECT min(id) FROM email GROUP BY message_id);
            CREATE UNIQUE INDEX email_on_message ON email(message_id);
            """)

    static let expressionIndexFails = LintRuleText(
        summary: "an index computes what can be an error for a row",
        detail: """
            The expression of an index is computed for every row. `json_extract` and `->` fail with "malformed \
            JSON" on text that is not JSON, and then neither the index can be made nor, later, such a row be \
            written. `date()` and `strftime('now')` are refused as non-deterministic, but only when there is a \
            row. Make the index partial with `WHERE json_valid(column)`, or check the column.
            """,
        bad: "CREATE INDEX event_on_kind ON event(json_extract(body, '$.kind'));",
        good: "CREATE INDEX event_on_kind ON event(json_extract(body, '$.kind')) WHERE json_valid(body);")

    static let destructiveUndeclared = LintRuleText(
        summary: "existing data is dropped, deleted or rewritten without a declaration",
        detail: """
            DROP TABLE, DROP COLUMN and DELETE take data that users have; nothing brings it back after the \
            upgrade. Where it is meant, a declaration says so, and `drydock verify` holds the migration to \
            exactly that. UPDATE of a column that existed is a warning, and so is the UPDATE of an upsert. REPLACE \
            deletes the row that has the same key: what it does not name is lost and, with foreign keys on, \
            ON DELETE acts on the children. So does DELETE, and UPDATE of a key by ON UPDATE: the children's \
            rows are declared beside the parent's. What a trigger deletes that a statement fires counts as \
            well. A table whose rows the migration copied before to one that is there at the end, and what the \
            migration itself made, is not meant here. Where an earlier migration copied the rows, it is a warning: \
            rows that came since are not in the copy.
            """,
        bad: "DROP TABLE legacy_label;",
        good: """
            -- drydock: drops table legacy_label
            DROP TABLE legacy_label;
            """)

    static let positionalCopy = LintRuleText(
        summary: "rows are copied by the order of columns",
        detail: """
            `INSERT INTO new SELECT * FROM old` puts the first column into the first one, whatever they are \
            called. Where the orders differ, values land in the wrong columns, and SQLite stores them without \
            a word. That is an error, and so are two lists of names that cross, in each part of a UNION and in \
            a trigger as well; where a name differs a warning, and where all are in line a note, for a \
            column that ALTER added stands at another place than in a new database. Name the columns.
            """,
        bad: "INSERT INTO new_email SELECT * FROM email;",
        good: "INSERT INTO new_email (id, subject) SELECT id, subject FROM email;")

    static let copiedConstant = LintRuleText(
        summary: "a copy puts the same value into a column of every row",
        detail: """
            `SELECT id, 'title', artist FROM song` reads no column `title`: `'title'` is a text, and every row gets this \
            word. So does `"heading"` in double quotes where no column has the name. Both are errors where the text is the \
            name of the column that was meant; SQLite stores it without an error. Any other value, such as NULL or `''`, \
            that a rebuild puts into a column of the old table, in place of its values, is a warning, unless another \
            statement reads them or `rewrites` declares it.
            """,
        bad: "INSERT INTO new_song (id, title) SELECT id, 'title' FROM song;",
        good: "INSERT INTO new_song (id, title) SELECT id, title FROM song;")

    static let rebuildStricter = LintRuleText(
        summary: "a rebuilt table may refuse rows that the old one took",
        detail: """
            A NOT NULL, a CHECK, a foreign key, an INTEGER PRIMARY KEY or STRICT that the old table did not have \
            is asked of every row that the copy brings, and the migration fails for users who have other rows. Fix such rows in the copy, as with \
            `coalesce`, or before it. A NOT NULL column without a default that the copy leaves out is an error: it \
            fails on the first row. A CHECK that only allows more than before, or that what held before \
            implies, is not meant.
            """,
        bad: """
            CREATE TABLE new_email (id INTEGER PRIMARY KEY, subject TEXT NOT NULL);
            INSERT INTO new_email (id, subject) SELECT id, subject FROM email;
            """,
        good: """
            CREATE TABLE new_email (id INTEGER PRIMARY KEY, subject TEXT NOT NULL);
            INSERT INTO new_email (id, subject) SELECT id, coalesce(subject, '') FROM email;
            """)

    static let rebuildForgets = LintRuleText(
        summary: "a rebuilt table loses an index, a trigger, a DEFAULT or AUTOINCREMENT",
        detail: """
            DROP TABLE takes a table's indexes and triggers along; a rebuild has to make them again \
            (https://www.sqlite.org/lang_altertable.html#otheralter, steps 3 and 8). AUTOINCREMENT that is lost \
            lets ids be given twice, and so does its mark, which does not move along by itself. A trigger that is \
            recreated under another name is a warning, since a later DROP TRIGGER would not find it. A DEFAULT that \
            the new table does not have, or an index that is made again with other columns, is a note: a rebuild \
            may be there for that.
            """,
        bad: """
            CREATE TABLE new_email (id INTEGER PRIMARY KEY, subject TEXT NOT NULL);
            INSERT INTO new_email (id, subject) SELECT id, subject FROM email;
            DROP TABLE email;
            ALTER TABLE new_email RENAME TO email;
            """,
        good: """
            -- the same, and then
            CREATE INDEX email_on_subject ON email(subject);
            """)

    static let constraintLost = LintRuleText(
        summary: "a table that stays loses a constraint, or the action of a foreign key",
        detail: """
            A rebuild writes a table's whole definition again, and CREATE TABLE AS copies no constraint at all. \
            What the new definition leaves out (PRIMARY KEY, UNIQUE, CHECK, NOT NULL, COLLATE, REFERENCES with its \
            actions, STRICT) is gone without an error, and no row shows it: later ones may break what the app \
            relies on. A constraint that another key, index or CHECK enforces is not lost, nor one of a column that \
            is dropped. If it may go, declare it. A list of values that has only become longer is a note.
            """,
        bad: """
            CREATE TABLE new_email (id INTEGER PRIMARY KEY, subject TEXT, folder INTEGER);
            INSERT INTO new_email (id, subject, folder) SELECT id, subject, folder FROM email;
            DROP TABLE email;
            ALTER TABLE new_email RENAME TO email;
            """,
        good: """
            CREATE TABLE new_email (
                id INTEGER PRIMARY KEY, subject TEXT NOT NULL, folder INTEGER REFERENCES folder ON DELETE CASCADE);
            -- and the rest is the same
            """)

    static let rebuildRenamesFirst = LintRuleText(
        summary: "a rebuild renames the old table first, and references follow it",
        detail: """
            Since SQLite 3.26 ALTER TABLE RENAME rewrites the foreign keys, triggers and views that name the \
            table. A rebuild that renames the old table away, makes the new one and drops the old one leaves \
            them with a name that is gone: with foreign keys on, every write to such a child fails. Make \
            the new table under another name, copy, drop the old one, and rename the new one.
            """,
        bad: """
            ALTER TABLE account RENAME TO old_account;
            CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO account (id, name) SELECT id, name FROM old_account;
            DROP TABLE old_account;
            """,
        good: """
            CREATE TABLE new_account (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO new_account (id, name) SELECT id, name FROM account;
            DROP TABLE account;
            ALTER TABLE new_account RENAME TO account;
            """)

    static let dropParentCascades = LintRuleText(
        summary: "DROP TABLE of a parent acts on its children, since foreign keys are on",
        detail: """
            With foreign keys on, DROP TABLE deletes the table's rows first. ON DELETE CASCADE then deletes the \
            children's rows, SET NULL and SET DEFAULT change them, and without an action the statement fails \
            if a child row exists. `PRAGMA foreign_keys = OFF` does nothing inside a transaction. Have the \
            tool run the migration outside of one with foreign keys off, or copy the children to safety first. A \
            table that references itself is its own child: the copy that a rebuild makes references the old \
            table, and its rows go with it.
            """,
        bad: """
            -- under a tool that enforces foreign keys
            DROP TABLE account;
            ALTER TABLE new_account RENAME TO account;
            """)

    static let refusedInTransaction = LintRuleText(
        summary: "a statement that SQLite refuses inside the tool's transaction",
        detail: """
            VACUUM, PRAGMA synchronous = ..., and PRAGMA journal_mode = WAL on a database that has another mode, \
            are errors inside a transaction, and the migration fails. BEGIN and COMMIT are `transaction-ended`, a PRAGMA that is \
            passed over in silence is `pragma-ignored`.
            """,
        bad: "VACUUM;")

    static let notRestartable = LintRuleText(
        summary: "a statement that fails when a killed migration is started again",
        detail: """
            Where the tool opens no transaction, a kill or a power cut leaves what had run by then, and the next start runs the \
            file from its first statement. One that fails on what it left behind fails on every later start. Each point between \
            two statements is tried, with the schema alone; `verify --crash` also starts the tool on rows. The first migration \
            is left out, since no database has data before it. Under a tool that refuses to start after a kill (Prisma, \
            golang-migrate), the end of the file is left out: there its own commands help.
            """,
        bad: """
            -- +goose NO TRANSACTION
            CREATE TABLE tag(id INTEGER PRIMARY KEY);
            CREATE INDEX email_tag ON email(tag_id);
            """,
        good: """
            -- +goose NO TRANSACTION
            CREATE TABLE IF NOT EXISTS tag(id INTEGER PRIMARY KEY);
            CREATE INDEX IF NOT EXISTS email_tag ON email(tag_id);
            """)
}
