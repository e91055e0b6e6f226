-- Now that the copies are gone, a UNIQUE constraint keeps them out. ALTER TABLE cannot add one, so
-- email is rebuilt the way of https://www.sqlite.org/lang_altertable.html#otheralter.
--
-- With foreign keys on, DROP TABLE would delete every attachment, and all of SQLite's own checks
-- would be content. Hence:
--
-- drydock: preserves select count(*), sum(size), count(content) from attachment

-- A view on email would make the renaming below fail.
DROP VIEW inbox;

CREATE TABLE new_email (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
    message_id TEXT,                                            -- its Message-ID; not all mail has one
    from_address TEXT NOT NULL,
    subject TEXT NOT NULL DEFAULT '',
    body TEXT,                                                  -- NULL until downloaded
    snippet TEXT,
    labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(labels)),   -- ids, as a JSON array
    is_read INTEGER NOT NULL DEFAULT 0 CHECK (is_read IN (0, 1)),
    received_at REAL NOT NULL,                                  -- seconds since 1970
    UNIQUE (account_id, message_id)
);

-- Columns by name: SELECT * would trust their order.
INSERT INTO new_email(
    id, account_id, message_id, from_address, subject, body, snippet, labels, is_read, received_at)
SELECT
    id, account_id, message_id, from_address, subject, body, snippet, labels, is_read, received_at
FROM email;

-- The AUTOINCREMENT mark moves along, or the ids of deleted mail would be given again. The copy has
-- set a mark of its own, up to the highest id that is left.
DELETE FROM sqlite_sequence WHERE name = 'new_email';
INSERT INTO sqlite_sequence(name, seq)
SELECT 'new_email', seq FROM sqlite_sequence WHERE name = 'email';

DROP TABLE email;
ALTER TABLE new_email RENAME TO email;

-- What went with the old table. The search index needs no rebuild: ids and text are the same.
CREATE INDEX email_on_account ON email(account_id, received_at);
CREATE INDEX email_unread ON email(account_id, received_at) WHERE is_read = 0;

CREATE TRIGGER email_fts_insert AFTER INSERT ON email BEGIN
    INSERT INTO email_fts(rowid, subject, body) VALUES (new.id, new.subject, new.body);
END;

CREATE TRIGGER email_fts_delete AFTER DELETE ON email BEGIN
    INSERT INTO email_fts(email_fts, rowid, subject, body)
    VALUES ('delete', old.id, old.subject, old.body);
END;

CREATE TRIGGER email_fts_update AFTER UPDATE OF id, subject, body ON email BEGIN
    INSERT INTO email_fts(email_fts, rowid, subject, body)
    VALUES ('delete', old.id, old.subject, old.body);
    INSERT INTO email_fts(rowid, subject, body) VALUES (new.id, new.subject, new.body);
END;

CREATE VIEW inbox AS
SELECT email.id, account.address AS account, email.from_address, email.subject,
    email.is_read, email.received_at,
    (SELECT count(*) FROM attachment WHERE attachment.email_id = email.id) AS attachments
FROM email JOIN account ON account.id = email.account_id;
