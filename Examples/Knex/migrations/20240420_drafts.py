def up(database):
    database.execute("ALTER TABLE post ADD COLUMN is_draft INTEGER NOT NULL DEFAULT 0")
