-- Until now a sync that was interrupted fetched the same mail again. Of such copies, equal in account
-- and Message-ID, the first one stays. Mail without a Message-ID is never a copy: NULL equals nothing.
--
-- A migration runs with foreign keys off, so nothing cascades: attachments go by a statement of
-- their own, and first, while the emails still tell which ones.
--
-- drydock: deletes from attachment where exists (select 1 from email as copy join email as kept on kept.account_id = copy.account_id and kept.message_id = copy.message_id and kept.id < copy.id where copy.id = attachment.email_id)
-- drydock: deletes from email where exists (select 1 from email as kept where kept.account_id = email.account_id and kept.message_id = email.message_id and kept.id < email.id)

DELETE FROM attachment WHERE EXISTS (
    SELECT 1 FROM email AS copy
    JOIN email AS kept
        ON kept.account_id = copy.account_id AND kept.message_id = copy.message_id AND kept.id < copy.id
    WHERE copy.id = attachment.email_id
);

DELETE FROM email WHERE EXISTS (
    SELECT 1 FROM email AS kept
    WHERE kept.account_id = email.account_id AND kept.message_id = email.message_id AND kept.id < email.id
);
