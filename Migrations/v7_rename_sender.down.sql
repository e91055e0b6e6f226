ALTER TABLE email RENAME COLUMN from_address TO sender;
