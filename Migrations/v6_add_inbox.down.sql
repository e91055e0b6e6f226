DROP VIEW inbox;
DROP INDEX email_unread;
