-- Labels get a table of their own, so that they can have a colour and another name. The JSON array
-- in email.labels, which held names, holds ids from here on, in the same order.
--
-- drydock: rewrites email.labels

CREATE TABLE label (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    color TEXT
);

INSERT INTO label(name)
SELECT DISTINCT name.value FROM email, json_each(email.labels) AS name ORDER BY 1;

UPDATE email
SET labels = (
    SELECT json_group_array(id) FROM (
        SELECT label.id AS id
        FROM json_each(email.labels) AS name JOIN label ON label.name = name.value
        ORDER BY name.key
    )
)
WHERE labels <> '[]';
