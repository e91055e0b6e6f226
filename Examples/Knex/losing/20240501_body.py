def up(database):
    """Makes the body NOT NULL, by a rebuild that copies only what has one, and forgets the index."""
    database.execute(
        """
        CREATE TABLE new_post(
            id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(id), body TEXT NOT NULL DEFAULT '',
            is_draft INTEGER NOT NULL DEFAULT 0)
        """
    )
    database.execute("INSERT INTO new_post SELECT * FROM post WHERE body IS NOT NULL")
    database.execute("DROP TABLE post")
    database.execute("ALTER TABLE new_post RENAME TO post")
