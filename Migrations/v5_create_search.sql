-- Full-text search over subject and body. The index keeps no copy of the text: it reads it from
-- email, and three triggers keep it up to date (https://www.sqlite.org/fts5.html#external_content_tables).

CREATE VIRTUAL TABLE email_fts USING fts5(
    subject, body, content = 'email', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER email_fts_insert AFTER INSERT ON email BEGIN
    INSERT INTO email_fts(rowid, subject, body) VALUES (new.id, new.subject, new.body);
END;

CREATE TRIGGER email_fts_delete AFTER DELETE ON email BEGIN
    INSERT INTO email_fts(email_fts, rowid, subject, body)
    VALUES ('delete', old.id, old.subject, old.body);
END;

-- Of these columns only: reading or labelling an email must not index it again.
CREATE TRIGGER email_fts_update AFTER UPDATE OF id, subject, body ON email BEGIN
    INSERT INTO email_fts(email_fts, rowid, subject, body)
    VALUES ('delete', old.id, old.subject, old.body);
    INSERT INTO email_fts(rowid, subject, body) VALUES (new.id, new.subject, new.body);
END;

-- The triggers see new mail; this indexes what is there already.
INSERT INTO email_fts(email_fts) VALUES ('rebuild');
