extension LintRuleText {
    static let doubleQuotedString = LintRuleText(
        summary: "a string is written in double quotes",
        detail: """
            `"draft"` is the name of a column. SQLite takes it for a string where no column is called so; once \
            one is, the statement reads that column instead. GRDB, Apple's and Android's newer builds refuse \
            it, in an index, a CHECK, a view or a trigger as well. Write strings in single quotes.
            """,
        bad: "UPDATE email SET state = \"draft\";",
        good: "UPDATE email SET state = 'draft';")

    static let writableSchema = LintRuleText(
        summary: "sqlite_schema is written by hand",
        detail: """
            A typing error there makes the database unreadable for good, and what rows hold is not checked \
            against what the new SQL says. Apple's SQLite refuses it in its defensive mode. Rebuild the table \
            instead.
            """,
        bad: "PRAGMA writable_schema = ON;")

    static let foreignKeyWithoutIndex = LintRuleText(
        summary: "a foreign key's columns have no index",
        detail: """
            With foreign keys on, every DELETE and key UPDATE of a parent row reads the whole child table, unless \
            an index begins with the key's columns.
            """,
        bad: "CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES person(id));",
        good: """
            CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES person(id));
            CREATE INDEX pet_on_owner_id ON pet(owner_id);
            """)

    static let foreignKeyParent = LintRuleText(
        summary: "a foreign key names a parent that does not exist or has no such key",
        detail: """
            SQLite makes such a table without a word. With foreign keys on, the first write to it fails with "no \
            such table" or "foreign key mismatch". The parent's columns must be its primary key or have a \
            UNIQUE index of exactly these columns. A warning under a tool that leaves foreign keys off.
            """,
        bad: """
            CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT);
            CREATE TABLE pet (owner TEXT REFERENCES person(email));
            """,
        good: """
            CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
            CREATE TABLE pet (owner TEXT REFERENCES person(email));
            """)

    static let duplicateIndex = LintRuleText(
        summary: "an index holds what another one or a key holds already",
        detail: """
            It costs space and time on every write and serves no query. PRIMARY KEY and UNIQUE make an index \
            themselves, and an INTEGER PRIMARY KEY is the table's own order. Of two indexes that are alike the \
            newer one is reported.
            """,
        bad: """
            CREATE TABLE account (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
            CREATE INDEX account_on_email ON account(email);
            """)

    static let redundantIndex = LintRuleText(
        summary: "an index is the beginning of another one",
        detail: """
            A query that could use it can use the longer one. It may still be worth its space where the longer \
            one is much wider, so this is a note.
            """,
        bad: """
            CREATE INDEX email_on_account ON email(account_id);
            CREATE INDEX email_on_account_and_time ON email(account_id, received_at);
            """)

    static let viewBroken = LintRuleText(
        summary: "a view or trigger names what does not exist",
        detail: """
            SQLite makes views and triggers without looking at what they name. A view fails when it is read, a \
            trigger fails every write to its table, and both make later ALTER TABLE statements fail. A trigger \
            that waits for UPDATE OF a column that its table does not have never fires. Functions that the app \
            registers are named under `functions:` in drydock.yml.
            """,
        bad: "CREATE VIEW inbox AS SELECT id, subjct FROM email;")

    static let defaultIsIdentifier = LintRuleText(
        summary: "a DEFAULT is a bare word, which is stored as a text",
        detail: """
            `DEFAULT now` stores the three letters "now", and `DEFAULT uuid` the four of "uuid". Write a string \
            in single quotes, or an expression in parentheses.
            """,
        bad: "CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT DEFAULT now);",
        good: "CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT DEFAULT CURRENT_TIMESTAMP);")

    static let defaultOfAnotherType = LintRuleText(
        summary: "a default is text in a column for numbers or truth values",
        detail: """
            `BOOLEAN DEFAULT 'false'` stores the five letters: they equal neither FALSE nor 0, and an app that reads a \
            number fails or takes them for true. A text that is a number, such as `'1'`, is converted and is not reported. \
            CURRENT_TIMESTAMP in an INTEGER column is text, too. In a STRICT table it is an error, since every INSERT \
            that leaves the column out fails.
            """,
        bad: "ALTER TABLE job ADD COLUMN done BOOLEAN NOT NULL DEFAULT 'false';",
        good: "ALTER TABLE job ADD COLUMN done BOOLEAN NOT NULL DEFAULT FALSE;")

    static let searchIndexStale = LintRuleText(
        summary: "a full-text or spatial index loses track of its rows",
        detail: """
            A full-text table keeps its entries in tables of its own, such as `found_data`. A statement that writes to these \
            damages the index, which is an error; change the rows of the full-text table itself. It finds the rows of the \
            table with the text by rowid. A rebuild of a table without an INTEGER PRIMARY KEY renumbers its rows, and so may \
            VACUUM; if a row was ever deleted, searches then find wrong rows. Copy the rowid, or \
            rebuild the index at the end.
            """,
        bad: """
            -- page(url TEXT PRIMARY KEY, body TEXT) is the content of found
            INSERT INTO new_page (url, body) SELECT url, body FROM page;
            """,
        good: "INSERT INTO new_page (rowid, url, body) SELECT rowid, url, body FROM page;")

    static let missingStrict = LintRuleText(
        summary: "a new table is not STRICT",
        detail: "An ordinary table stores 'abc' in an INTEGER column. STRICT, since SQLite 3.37, refuses it.",
        bad: "CREATE TABLE account (id INTEGER PRIMARY KEY, age INTEGER);",
        good: "CREATE TABLE account (id INTEGER PRIMARY KEY, age INTEGER) STRICT;")

    static let missingDown = LintRuleText(
        summary: "a migration has no way back",
        detail:
            "A release that is taken back leaves a database that the older one does not know. `drydock verify --rollback` tries the ways back."
    )

    static let minimumSQLite = LintRuleText(
        summary: "a statement needs a newer SQLite than the project's oldest",
        detail: """
            `sqlite:` in drydock.yml, or `--sqlite`, names the oldest SQLite that runs the migrations: a version \
            such as 3.24, or a system such as ios-15, android-11, macos-13, debian-12 or ubuntu-22.04. Without \
            it the rule says nothing. An older SQLite refuses the statement, and the migration fails there.
            """,
        bad: """
            -- sqlite: android-11, which has SQLite 3.28
            ALTER TABLE email DROP COLUMN snippet;
            """)
}
