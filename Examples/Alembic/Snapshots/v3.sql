PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO alembic_version VALUES('0003_index');
CREATE TABLE customer (
	id INTEGER NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	phone VARCHAR(40), 
	PRIMARY KEY (id)
);
INSERT INTO customer VALUES(1,'Ada Ltd','+44 20 7946 0000');
INSERT INTO customer VALUES(2,'Bob & Sons',NULL);
INSERT INTO customer VALUES(3,'Zoë','0171 12345');
CREATE TABLE invoice (
	id INTEGER NOT NULL, 
	customer_id INTEGER NOT NULL, 
	amount NUMERIC(10, 2) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(customer_id) REFERENCES customer (id)
);
INSERT INTO invoice VALUES(10,1,120.5);
INSERT INTO invoice VALUES(11,1,80);
INSERT INTO invoice VALUES(12,2,19.989999999999998436);
CREATE INDEX invoice_on_customer ON invoice (customer_id);
COMMIT;
