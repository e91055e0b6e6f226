-- The snippet was computed once by the app, and stayed as it was when a body came later. SQLite
-- computes it from the body instead.
--
-- drydock: drops column email.snippet

-- The view is made anew, with the preview in it.
DROP VIEW inbox;

ALTER TABLE email DROP COLUMN snippet;
ALTER TABLE email ADD COLUMN preview TEXT
    GENERATED ALWAYS AS (substr(replace(body, char(10), ' '), 1, 100)) VIRTUAL;

CREATE VIEW inbox AS
SELECT email.id, account.address AS account, email.from_address, email.subject, email.preview,
    email.is_read, email.received_at,
    (SELECT count(*) FROM attachment WHERE attachment.email_id = email.id) AS attachments
FROM email JOIN account ON account.id = email.account_id;
