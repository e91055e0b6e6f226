def up(database):
    database.execute("CREATE INDEX post_on_account ON post(account_id)")
