-- Drafts survive a restart. One answers an email by its Message-ID and not by a foreign key: the
-- email may be on the server only.

CREATE TABLE draft (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
    recipients TEXT NOT NULL DEFAULT '[]'
        CHECK (json_valid(recipients) AND json_type(recipients) = 'array'),
    in_reply_to TEXT,
    subject TEXT,
    body TEXT,
    updated_at REAL NOT NULL
);

CREATE INDEX draft_on_account ON draft(account_id, updated_at);
