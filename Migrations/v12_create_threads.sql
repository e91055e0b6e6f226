-- Conversations: mail of one account whose subject is the same but for one leading "Re:".

CREATE TABLE thread (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    UNIQUE (account_id, subject)
);

ALTER TABLE email ADD COLUMN thread_id INTEGER REFERENCES thread(id) ON DELETE SET NULL;

CREATE INDEX email_on_thread ON email(thread_id);

INSERT INTO thread(account_id, subject)
SELECT DISTINCT account_id, iif(subject LIKE 're: %', substr(subject, 5), subject)
FROM email ORDER BY 1, 2;

UPDATE email SET thread_id = (
    SELECT thread.id FROM thread
    WHERE thread.account_id = email.account_id
        AND thread.subject = iif(email.subject LIKE 're: %', substr(email.subject, 5), email.subject)
);
