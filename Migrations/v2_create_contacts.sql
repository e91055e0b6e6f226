-- Contacts, to complete addresses from. Everyone who has written becomes one.

CREATE TABLE contact (
    id INTEGER PRIMARY KEY,
    address TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT,
    avatar BLOB
) STRICT;

-- In lower case, or Ada@example.com and ada@example.com would be two rows, and the UNIQUE constraint
-- would refuse the second: on those databases only that have such mail.
INSERT INTO contact(address) SELECT DISTINCT lower(sender) FROM email ORDER BY 1;
