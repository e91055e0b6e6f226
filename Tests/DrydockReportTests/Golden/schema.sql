CREATE TABLE account (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL COLLATE NOCASE
);

CREATE TABLE email (
    id INTEGER PRIMARY KEY,
    account_id INT REFERENCES account ON DELETE CASCADE,
    "from address" TEXT,
    size INT CHECK (size >= 0),
    folded TEXT GENERATED ALWAYS AS (lower("from address")) VIRTUAL
);
CREATE INDEX email_size ON email (size DESC) WHERE size > 10;
CREATE TRIGGER email_gone AFTER DELETE ON email
BEGIN
    DELETE FROM label
    WHERE account_id = old.account_id;
END;

CREATE TABLE label (
    account_id INT,
    name TEXT,
    PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search USING fts5(subject, body, content='email');

CREATE VIEW big AS
SELECT id, size
FROM email
WHERE size > 100;
