def up(database):
    database.execute("CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL)")
