-- How far each folder is synchronised, so that a sync can go on where it stopped. Its key is all it is
-- looked up by: WITHOUT ROWID stores it once.

CREATE TABLE sync_state (
    account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
    folder TEXT NOT NULL,
    uid_validity INTEGER,
    last_uid INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, folder)
) WITHOUT ROWID;

INSERT INTO sync_state(account_id, folder) SELECT id, 'INBOX' FROM account;
