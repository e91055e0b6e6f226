def up(database):
    database.execute(
        "CREATE TABLE post(id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(id), body TEXT)"
    )
