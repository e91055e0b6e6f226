def up(database):
    """Makes the body NOT NULL, by a rebuild."""
    database.execute(
        """
        CREATE TABLE new_post(
            id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(id), body TEXT NOT NULL DEFAULT '',
            is_draft INTEGER NOT NULL DEFAULT 0)
        """
    )
    database.execute(
        "INSERT INTO new_post SELECT id, account_id, coalesce(body, ''), is_draft FROM post"
    )
    database.execute("DROP TABLE post")
    database.execute("ALTER TABLE new_post RENAME TO post")
    database.execute("CREATE INDEX post_on_account ON post(account_id)")
