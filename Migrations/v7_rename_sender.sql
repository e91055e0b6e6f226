-- "Sender" is another header in RFC 5322; what the app keeps is From. SQLite renames the column in
-- the inbox view too.

ALTER TABLE email RENAME COLUMN sender TO from_address;
