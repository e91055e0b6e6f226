-- The list that the app opens with, and an index for its badge: unread mail is a small part of all
-- mail, so only that part is indexed.

CREATE INDEX email_unread ON email(account_id, received_at) WHERE is_read = 0;

CREATE VIEW inbox AS
SELECT email.id, account.address AS account, email.sender, email.subject,
    email.is_read, email.received_at,
    (SELECT count(*) FROM attachment WHERE attachment.email_id = email.id) AS attachments
FROM email JOIN account ON account.id = email.account_id;
