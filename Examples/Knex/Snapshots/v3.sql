PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE knex_migrations(
            id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255), batch INTEGER, migration_time DATETIME);
INSERT INTO knex_migrations VALUES(1,'20240101_account',1,'2024-03-06 10:00:00');
INSERT INTO knex_migrations VALUES(2,'20240212_post',2,'2024-03-06 10:00:00');
INSERT INTO knex_migrations VALUES(3,'20240305_index',3,'2024-03-06 10:00:00');
CREATE TABLE knex_migrations_lock(
            "index" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, is_locked INTEGER);
CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL);
INSERT INTO account VALUES(1,'ada@example.com');
INSERT INTO account VALUES(2,'bob@example.com');
CREATE TABLE post(id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(id), body TEXT);
INSERT INTO post VALUES(1,1,'Hello');
INSERT INTO post VALUES(2,1,NULL);
INSERT INTO post VALUES(3,2,'Grüße');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('knex_migrations',3);
CREATE INDEX post_on_account ON post(account_id);
COMMIT;
