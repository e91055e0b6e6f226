-- A mail client's first release: accounts, their mail, and what is attached to it.

CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    address TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT
);

-- AUTOINCREMENT: the id of a deleted email is never given to another one, so that what a
-- notification or the search index remembers cannot come to mean the wrong email.
CREATE TABLE email (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
    message_id TEXT,                                            -- its Message-ID; not all mail has one
    sender TEXT NOT NULL,
    subject TEXT NOT NULL DEFAULT '',
    body TEXT,                                                  -- NULL until downloaded
    snippet TEXT,
    labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(labels)),   -- names, as a JSON array
    is_read INTEGER NOT NULL DEFAULT 0 CHECK (is_read IN (0, 1)),
    received_at REAL NOT NULL                                   -- seconds since 1970
);

CREATE INDEX email_on_account ON email(account_id, received_at);

CREATE TABLE attachment (
    id INTEGER PRIMARY KEY,
    email_id INTEGER NOT NULL REFERENCES email(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size INTEGER NOT NULL,                                      -- bytes
    content BLOB                                                -- NULL until downloaded
);

CREATE INDEX attachment_on_email ON attachment(email_id);
