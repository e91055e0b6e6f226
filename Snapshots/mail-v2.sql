PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('v1_create_emails');
INSERT INTO "grdb_migrations" VALUES('v2_create_contacts');
CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    address TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT
);
INSERT INTO "account" VALUES(1,'captain@drydock.example','The Captain');
INSERT INTO "account" VALUES(2,'Mia.O''Hara@example.org','Mia O''Hara');
INSERT INTO "account" VALUES(3,'büro@example.de',NULL);
CREATE TABLE email (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
    message_id TEXT,                                            -- its Message-ID; not all mail has one
    sender TEXT NOT NULL,
    subject TEXT NOT NULL DEFAULT '',
    body TEXT,                                                  -- NULL until downloaded
    snippet TEXT,
    labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(labels)),   -- names, as a JSON array
    is_read INTEGER NOT NULL DEFAULT 0 CHECK (is_read IN (0, 1)),
    received_at REAL NOT NULL                                   -- seconds since 1970
);
INSERT INTO "email" VALUES(1,3,'<3mmb3vpntwf77@example.cn>','li@example.cn','Lunch?','Let me know whether Thursday suits you -- otherwise it''ll be next month. Let me know whether Thursday suits you -- otherwise it''ll be next month.
Ок, до встречи на причале 🚢 ','Let me know whether Thursday suits you -- otherwise it''ll be','["Inbox","Work","Family"]',1,1600156408.11);
INSERT INTO "email" VALUES(2,2,'<v9m5sx3jkc69@example.com>','ada@example.com','Your berth is booked ⚓️','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen. Let me know whether Thursday suits you -- otherwise it''ll be next month.
We''d rather haul her out a week early than miss the tide. ','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusage','[]',1,1600299483.616);
INSERT INTO "email" VALUES(3,3,'<3jffr6uzzruys@example.mil>','grace@example.mil','50% off antifouling_paint','We''d rather haul her out a week early than miss the tide. We''d rather haul her out a week early than miss the tide. ','We''d rather haul her out a week early than miss the tide. We','["Inbox","Work","Family","Boats & Co"]',0,1600316333.921);
INSERT INTO "email" VALUES(4,3,'<3jffr6uzzruys@example.mil>','grace@example.mil','50% off antifouling_paint','We''d rather haul her out a week early than miss the tide. We''d rather haul her out a week early than miss the tide. ','We''d rather haul her out a week early than miss the tide. We','["Inbox","Work","Family","Boats & Co"]',0,1600316333.921);
INSERT INTO "email" VALUES(5,1,'<afxsmki0f6h8@example.com>','amal@example.com','"Urgent": keel bolts','We''d rather haul her out a week early than miss the tide. ','We''d rather haul her out a week early than miss the tide. ','[]',1,1600361738.232);
INSERT INTO "email" VALUES(6,1,'<afxsmki0f6h8@example.com>','amal@example.com','"Urgent": keel bolts','We''d rather haul her out a week early than miss the tide. ','We''d rather haul her out a week early than miss the tide. ','[]',1,1600361738.232);
INSERT INTO "email" VALUES(7,3,NULL,'amal@example.com','Re: 50% off antifouling_paint','次の満潮は午前六時です。 L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min.
L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. ','次の満潮は午前六時です。 L''hélice est réparée, mais l''arbre fait encore ','["Inbox","Wichtig!"]',1,1600440369.196);
INSERT INTO "email" VALUES(8,3,NULL,'amal@example.com','Re: 50% off antifouling_paint','次の満潮は午前六時です。 L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min.
L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. ','次の満潮は午前六時です。 L''hélice est réparée, mais l''arbre fait encore ','["Inbox","Wichtig!"]',1,1600440369.196);
INSERT INTO "email" VALUES(9,2,'<123gatabye5h9@example.net>','jose.garcia@example.net','Your berth is booked ⚓️','Could you send me the drawings again? The last ones wouldn''t open. ','Could you send me the drawings again? The last ones wouldn''t','["Wichtig!"]',1,1600545088.28);
INSERT INTO "email" VALUES(10,3,NULL,'hanako@example.jp','50% off antifouling_paint','The survey found two soft spots below the waterline, none of them deep. ','The survey found two soft spots below the waterline, none of','[]',1,1600605860.923);
INSERT INTO "email" VALUES(11,3,NULL,'hanako@example.jp','50% off antifouling_paint','The survey found two soft spots below the waterline, none of them deep. ','The survey found two soft spots below the waterline, none of','[]',1,1600605860.923);
INSERT INTO "email" VALUES(12,3,'<u0mw08ph30g8@example.org>','zoe@example.org','Invoice 2041 – dry dock','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. ','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 ','["Work"]',1,1600639868.218);
INSERT INTO "email" VALUES(13,2,NULL,'nafsika@example.gr','','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. 次の満潮は午前六時です。 ','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 ','[]',1,1600666764.313);
INSERT INTO "email" VALUES(14,3,'<1p5xmdifj4dbf@example.com>','amal@example.com','Photos from the launch 🎉','Paint, primer and labour come to 1,284.50 in all. 次の満潮は午前六時です。 ','Paint, primer and labour come to 1,284.50 in all. 次の満潮は午前六時で','["Work","Family","Boats & Co"]',0,1600775000.02);
INSERT INTO "email" VALUES(15,2,NULL,'jose.garcia@example.net','Lunch?','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min.
He said "that''s no leak, that''s condensation", and went home.
He said "that''s no leak, that''s condensation", and went home. ','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 ','["Inbox","Family","Boats & Co"]',1,1600894277.583);
INSERT INTO "email" VALUES(16,1,'<quyya92ij3mp@example.pl>','lukasz@example.pl','موعد السفينة','Paint, primer and labour come to 1,284.50 in all. Could you send me the drawings again? The last ones wouldn''t open. Paint, primer and labour come to 1,284.50 in all. ','Paint, primer and labour come to 1,284.50 in all. Could you ','[]',1,1600975071.438);
INSERT INTO "email" VALUES(18,2,'<2xdwqrpy63o3b@example.org>','zoe@example.org','Re: موعد السفينة','Let me know whether Thursday suits you -- otherwise it''ll be next month.
Paint, primer and labour come to 1,284.50 in all. ','Let me know whether Thursday suits you -- otherwise it''ll be','["Work"]',1,1601144670.688);
INSERT INTO "email" VALUES(19,2,'<2mwvcby6uh85m@example.net>','jose.garcia@example.net','Re: ','Let me know whether Thursday suits you -- otherwise it''ll be next month. ','Let me know whether Thursday suits you -- otherwise it''ll be','["Inbox","Family","旅行"]',1,1601181151.59);
INSERT INTO "email" VALUES(20,1,'<1zuowxe2tbmvh@example.pl>','lukasz@example.pl','Re: Your berth is booked ⚓️','Let me know whether Thursday suits you -- otherwise it''ll be next month.
','Let me know whether Thursday suits you -- otherwise it''ll be','[]',1,1601223850.798);
INSERT INTO "email" VALUES(21,1,'<3db6l76t1d7ju@example.dk>','soeren@example.dk','Weekly digest; unread: 7','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen. We''d rather haul her out a week early than miss the tide. ','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusage','["Inbox"]',1,1601275945.336);
INSERT INTO "email" VALUES(22,1,'<3fiizptfb32ba@example.dk>','soeren@example.dk','Invoice 2041 – dry dock','He said "that''s no leak, that''s condensation", and went home.
Ок, до встречи на причале 🚢 ','He said "that''s no leak, that''s condensation", and went home','["Work","Family","旅行"]',0,1601406681.593);
INSERT INTO "email" VALUES(23,3,'<o4izfhk65zx4@example.org>','ZOE@EXAMPLE.ORG','موعد السفينة','Could you send me the drawings again? The last ones wouldn''t open. Let me know whether Thursday suits you -- otherwise it''ll be next month. ','Could you send me the drawings again? The last ones wouldn''t','[]',0,1601465016.836);
INSERT INTO "email" VALUES(24,1,'<7ltd9wvv47u@example.jp>','hanako@example.jp','Weekly digest; unread: 7','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen. L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. We''d rather haul her out a week early than miss the tide. ','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusage','["Inbox","旅行"]',1,1601637146.542);
INSERT INTO "email" VALUES(25,3,'<3485egft2o33w@example.jp>','hanako@example.jp','Lunch?','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min.
Paint, primer and labour come to 1,284.50 in all. 次の満潮は午前六時です。
','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 ','["Work","Family","Boats & Co","Wichtig!"]',1,1601741627.443);
INSERT INTO "email" VALUES(26,2,'<1xmf0nmu6sqgj@harbour.example>','no-reply@harbour.example','Re: Don''t forget the anchor','The survey found two soft spots below the waterline, none of them deep. The survey found two soft spots below the waterline, none of them deep. The survey found two soft spots below the waterline, none of them deep. ','The survey found two soft spots below the waterline, none of','["Inbox","Work"]',0,1601781571.666);
INSERT INTO "email" VALUES(27,3,NULL,'li@example.cn','Re: "Urgent": keel bolts','次の満潮は午前六時です。 次の満潮は午前六時です。 ','次の満潮は午前六時です。 次の満潮は午前六時です。 ','["Boats & Co"]',1,1601879473.923);
INSERT INTO "email" VALUES(28,2,'<1vmi5r68bhalk@example.jp>','hanako@example.jp','Re: Lunch?',NULL,NULL,'[]',1,1601887982.204);
INSERT INTO "email" VALUES(29,2,'<2wnbq2z968g96@example.pl>','lukasz@example.pl','Re: 50% off antifouling_paint','次の満潮は午前六時です。 Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen.
','次の満潮は午前六時です。 Der Kran ist ab Montag wieder frei; bitte bis F','["Boats & Co"]',1,1601913222.53);
INSERT INTO "email" VALUES(30,1,'<2avwxx92m8f4b@example.org>','zoe@example.org','Grüße aus Kiel','Ок, до встречи на причале 🚢 We''d rather haul her out a week early than miss the tide.
Let me know whether Thursday suits you -- otherwise it''ll be next month. ','Ок, до встречи на причале 🚢 We''d rather haul her out a week ','["Wichtig!"]',1,1601958822.892);
INSERT INTO "email" VALUES(31,2,'<1obfufjwfqwhb@example.com>','ada@example.com','50% off antifouling_paint','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. ','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 ','["Inbox","Boats & Co","Wichtig!"]',1,1602112136.475);
INSERT INTO "email" VALUES(32,1,'<16lk2o33qykhd@example.gr>','nafsika@example.gr','Re: Weekly digest; unread: 7','Ок, до встречи на причале 🚢 Ок, до встречи на причале 🚢 He said "that''s no leak, that''s condensation", and went home. ','Ок, до встречи на причале 🚢 Ок, до встречи на причале 🚢 He s','["Wichtig!"]',1,1602171790.7);
INSERT INTO "email" VALUES(33,2,'<38a18wc6fdas5@example.mil>','grace@example.mil','50% off antifouling_paint','次の満潮は午前六時です。 Ок, до встречи на причале 🚢 ','次の満潮は午前六時です。 Ок, до встречи на причале 🚢 ','[]',1,1602203161.921);
INSERT INTO "email" VALUES(35,1,'<2p46r79zhofhh@example.com>','amal@example.com','50% off antifouling_paint','次の満潮は午前六時です。 Paint, primer and labour come to 1,284.50 in all. L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. ','次の満潮は午前六時です。 Paint, primer and labour come to 1,284.50 in al','["Work","Wichtig!"]',0,1602363162.689);
INSERT INTO "email" VALUES(36,1,'<2p46r79zhofhh@example.com>','amal@example.com','50% off antifouling_paint','次の満潮は午前六時です。 Paint, primer and labour come to 1,284.50 in all. L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. ','次の満潮は午前六時です。 Paint, primer and labour come to 1,284.50 in al','["Work","Wichtig!"]',0,1602363162.689);
INSERT INTO "email" VALUES(37,1,'<23ex5uufihxuk@example.dk>','soeren@example.dk','Re: Lunch?','次の満潮は午前六時です。 Paint, primer and labour come to 1,284.50 in all. ','次の満潮は午前六時です。 Paint, primer and labour come to 1,284.50 in al','["Inbox","Family"]',1,1602445220.91);
INSERT INTO "email" VALUES(38,2,'<g7ygzk3em400@harbour.example>','no-reply@harbour.example','','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. We''d rather haul her out a week early than miss the tide. ','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 ','["Work"]',1,1602496198.794);
INSERT INTO "email" VALUES(39,3,'<ri3512viyw36@example.com>','ada@example.com','Your berth is booked ⚓️','He said "that''s no leak, that''s condensation", and went home. ','He said "that''s no leak, that''s condensation", and went home','["Inbox"]',1,1602639007.421);
INSERT INTO "email" VALUES(40,3,'<1tge203p93lwr@example.org>','zoe@example.org','','The survey found two soft spots below the waterline, none of them deep.
','The survey found two soft spots below the waterline, none of','["Inbox","Work","Family","Boats & Co"]',1,1602689748.299);
INSERT INTO "email" VALUES(41,1,'<1s3k3yo23mqfh@example.cn>','li@example.cn','Re: Weekly digest; unread: 7','Could you send me the drawings again? The last ones wouldn''t open. ','Could you send me the drawings again? The last ones wouldn''t','["Work","Family"]',1,1602698587.887);
INSERT INTO "email" VALUES(42,1,'<3huugmepe9fr1@example.vn>','mai@example.vn','"Urgent": keel bolts',NULL,NULL,'["Inbox","旅行"]',1,1602875783.359);
INSERT INTO "email" VALUES(43,2,'<2vlaury4rulpg@example.pl>','lukasz@example.pl','"Urgent": keel bolts','Let me know whether Thursday suits you -- otherwise it''ll be next month. ','Let me know whether Thursday suits you -- otherwise it''ll be','[]',1,1603037794.268);
INSERT INTO "email" VALUES(44,3,'<qat1dviizui0@example.org>','zoe@example.org','会議の議事録','He said "that''s no leak, that''s condensation", and went home. Ок, до встречи на причале 🚢 Could you send me the drawings again? The last ones wouldn''t open. ','He said "that''s no leak, that''s condensation", and went home','["Work"]',0,1603064640.315);
INSERT INTO "email" VALUES(45,2,'<1dnm2mlyhdpd8@example.pl>','lukasz@example.pl','Lunch?','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen. 次の満潮は午前六時です。
We''d rather haul her out a week early than miss the tide. ','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusage','["Wichtig!"]',1,1603168346.382);
INSERT INTO "email" VALUES(46,3,'<2h4ktk03pex7d@example.net>','jose.garcia@example.net','"Urgent": keel bolts','The survey found two soft spots below the waterline, none of them deep. ','The survey found two soft spots below the waterline, none of','["Family"]',1,1603196410.926);
INSERT INTO "email" VALUES(47,2,'<13pvnxlg6urj9@example.dk>','soeren@example.dk','Don''t forget the anchor',NULL,NULL,'["Work"]',0,1603321521.906);
INSERT INTO "email" VALUES(48,2,NULL,'no-reply@harbour.example','Hull inspection on Thursday','We''d rather haul her out a week early than miss the tide.
','We''d rather haul her out a week early than miss the tide.
','["Family","Wichtig!","旅行"]',0,1603407829.039);
INSERT INTO "email" VALUES(49,3,'<2hm8lnwwengg1@example.com>','amal@example.com','Hull inspection on Thursday','We''d rather haul her out a week early than miss the tide. Let me know whether Thursday suits you -- otherwise it''ll be next month. Let me know whether Thursday suits you -- otherwise it''ll be next month. ','We''d rather haul her out a week early than miss the tide. Le','["Inbox","Wichtig!"]',1,1603599043.629);
INSERT INTO "email" VALUES(50,1,'<27ee8tymzrqcm@example.com>','ada@example.com','Invoice 2041 – dry dock','He said "that''s no leak, that''s condensation", and went home. L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min.
L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min.
','He said "that''s no leak, that''s condensation", and went home','["Wichtig!"]',1,1603763848.452);
INSERT INTO "email" VALUES(52,1,'<z7pp3vstwp23@example.pl>','LUKASZ@EXAMPLE.PL','Re: Weekly digest; unread: 7','He said "that''s no leak, that''s condensation", and went home. Could you send me the drawings again? The last ones wouldn''t open. ','He said "that''s no leak, that''s condensation", and went home','[]',1,1603858060.509);
INSERT INTO "email" VALUES(53,1,NULL,'lukasz@example.pl','Grüße aus Kiel','We''d rather haul her out a week early than miss the tide. ','We''d rather haul her out a week early than miss the tide. ','[]',1,1603987491.494);
INSERT INTO "email" VALUES(54,1,'<2gsah12iitdlq@example.com>','amal@example.com','50% off antifouling_paint',NULL,NULL,'[]',1,1604066675.609);
INSERT INTO "email" VALUES(55,2,NULL,'amal@example.com','Grüße aus Kiel','Paint, primer and labour come to 1,284.50 in all. Let me know whether Thursday suits you -- otherwise it''ll be next month. Ок, до встречи на причале 🚢 ','Paint, primer and labour come to 1,284.50 in all. Let me kno','[]',1,1604180684.742);
INSERT INTO "email" VALUES(56,3,'<4vbvxtq2fb6c@example.cn>','li@example.cn','Weekly digest; unread: 7','The survey found two soft spots below the waterline, none of them deep. 次の満潮は午前六時です。 Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen. ','The survey found two soft spots below the waterline, none of','["Inbox","Boats & Co","旅行"]',0,1604210946.636);
INSERT INTO "email" VALUES(57,3,'<2by3q67r0vcj7@example.jp>','hanako@example.jp','Re: Grüße aus Kiel','He said "that''s no leak, that''s condensation", and went home.
','He said "that''s no leak, that''s condensation", and went home','["Wichtig!"]',1,1604382656.711);
INSERT INTO "email" VALUES(58,3,'<2by3q67r0vcj7@example.jp>','hanako@example.jp','Re: Grüße aus Kiel','He said "that''s no leak, that''s condensation", and went home.
','He said "that''s no leak, that''s condensation", and went home','["Wichtig!"]',1,1604382656.711);
INSERT INTO "email" VALUES(59,1,'<e1paomizz7dn@example.net>','jose.garcia@example.net','Re: Hull inspection on Thursday','We''d rather haul her out a week early than miss the tide. Ок, до встречи на причале 🚢
We''d rather haul her out a week early than miss the tide. ','We''d rather haul her out a week early than miss the tide. Ок','["Work"]',0,1604478571.848);
INSERT INTO "email" VALUES(60,3,'<3m1lvxr38fc6y@example.vn>','mai@example.vn','Invoice 2041 – dry dock','Could you send me the drawings again? The last ones wouldn''t open. ','Could you send me the drawings again? The last ones wouldn''t','["Inbox"]',1,1604582728.437);
INSERT INTO "email" VALUES(61,2,'<34rfm7g08sfz9@example.mil>','grace@example.mil','Weekly digest; unread: 7','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen. Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen.
L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. ','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusage','["Work","Boats & Co","Wichtig!","旅行"]',1,1604652823.661);
INSERT INTO "email" VALUES(62,2,'<34rfm7g08sfz9@example.mil>','grace@example.mil','Weekly digest; unread: 7','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen. Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen.
L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. ','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusage','["Work","Boats & Co","Wichtig!","旅行"]',1,1604652823.661);
INSERT INTO "email" VALUES(63,2,'<1vloq9xfgf5hi@example.vn>','mai@example.vn','Re: ','The survey found two soft spots below the waterline, none of them deep.
Could you send me the drawings again? The last ones wouldn''t open. ','The survey found two soft spots below the waterline, none of','[]',1,1604784083.5);
INSERT INTO "email" VALUES(64,1,'<2e1e4xp2s3d5v@example.dk>','soeren@example.dk','"Urgent": keel bolts','次の満潮は午前六時です。 ','次の満潮は午前六時です。 ','["Inbox"]',1,1604935539.478);
INSERT INTO "email" VALUES(65,2,'<1ofdpi6et153e@example.pl>','lukasz@example.pl','Don''t forget the anchor','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. Could you send me the drawings again? The last ones wouldn''t open. ','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 ','["Wichtig!"]',0,1605107788.435);
INSERT INTO "email" VALUES(66,2,'<1ofdpi6et153e@example.pl>','lukasz@example.pl','Don''t forget the anchor','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 200 tr/min. Could you send me the drawings again? The last ones wouldn''t open. ','L''hélice est réparée, mais l''arbre fait encore du bruit à 1 ','["Wichtig!"]',0,1605107788.435);
INSERT INTO "email" VALUES(67,1,'<15a152ferrv01@example.gr>','nafsika@example.gr','Re: Invoice 2041 – dry dock','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen. He said "that''s no leak, that''s condensation", and went home. ','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusage','["Work"]',1,1605226813.928);
INSERT INTO "email" VALUES(69,3,'<22h420xym6d2x@example.vn>','mai@example.vn','Invoice 2041 – dry dock','Let me know whether Thursday suits you -- otherwise it''ll be next month. Paint, primer and labour come to 1,284.50 in all. ','Let me know whether Thursday suits you -- otherwise it''ll be','["Work","Boats & Co"]',1,1605394846.665);
INSERT INTO "email" VALUES(71,1,NULL,'mai@example.vn','Your berth is booked ⚓️','Ок, до встречи на причале 🚢
','Ок, до встречи на причале 🚢
','[]',1,1605666162.301);
INSERT INTO "email" VALUES(72,1,'<2zohmvym2jp0o@harbour.example>','no-reply@harbour.example','Invoice 2041 – dry dock','Could you send me the drawings again? The last ones wouldn''t open. The survey found two soft spots below the waterline, none of them deep. ','Could you send me the drawings again? The last ones wouldn''t','[]',1,1605787140.627);
INSERT INTO "email" VALUES(73,1,'<b7nst8j81s3i@example.gr>','nafsika@example.gr','"Urgent": keel bolts',NULL,NULL,'["Family"]',1,1605790434.226);
INSERT INTO "email" VALUES(74,2,NULL,'lukasz@example.pl','Photos from the launch 🎉',NULL,NULL,'[]',1,1605982411.242);
INSERT INTO "email" VALUES(75,1,'<2h1lo09xfi4yv@example.vn>','mai@example.vn','Re: 50% off antifouling_paint','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen.
','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusage','["Inbox"]',1,1606064254.339);
INSERT INTO "email" VALUES(76,1,'<2h1lo09xfi4yv@example.vn>','mai@example.vn','Re: 50% off antifouling_paint','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusagen.
','Der Kran ist ab Montag wieder frei; bitte bis Freitag zusage','["Inbox"]',1,1606064254.339);
INSERT INTO "email" VALUES(77,1,'<17ushgnyfq5o9@example.com>','amal@example.com','Lunch?',NULL,NULL,'["Boats & Co","Wichtig!","旅行"]',1,1606070575.845);
INSERT INTO "email" VALUES(78,3,'<1q2y0g4rgbt44@harbour.example>','no-reply@harbour.example','Re: Photos from the launch 🎉','Ок, до встречи на причале 🚢 We''d rather haul her out a week early than miss the tide. ','Ок, до встречи на причале 🚢 We''d rather haul her out a week ','[]',1,1606171027.817);
INSERT INTO "email" VALUES(79,3,'<1pq053u7pcn2k@example.gr>','nafsika@example.gr','Weekly digest; unread: 7',NULL,NULL,'["Work","Wichtig!"]',1,1606286862.044);
INSERT INTO "email" VALUES(80,3,'<2qnrrmjiv8lzu@example.cn>','li@example.cn','Re: موعد السفينة',NULL,NULL,'[]',0,1606355316.1);
CREATE TABLE attachment (
    id INTEGER PRIMARY KEY,
    email_id INTEGER NOT NULL REFERENCES email(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size INTEGER NOT NULL,                                      -- bytes
    content BLOB                                                -- NULL until downloaded
);
INSERT INTO "attachment" VALUES(1,5,'IMG_0042.HEIC','image/heic',80,X'BDE4964FAB3C98414333B36021CA93967307BFE09C1BD0EB11140DC1BEE66D8F63E8C5AF0B1A56BC06792CC6C7A85A610E73EB9291B078DA2BBB73C97C99B4777A33EA606268AE8E049DDDAD6310E7B2');
INSERT INTO "attachment" VALUES(2,6,'IMG_0042.HEIC','image/heic',80,X'BDE4964FAB3C98414333B36021CA93967307BFE09C1BD0EB11140DC1BEE66D8F63E8C5AF0B1A56BC06792CC6C7A85A610E73EB9291B078DA2BBB73C97C99B4777A33EA606268AE8E049DDDAD6310E7B2');
INSERT INTO "attachment" VALUES(3,7,'IMG_0042.HEIC','image/heic',32,X'B78B016B3BD550AB45CEFEC8EE1CEFD5EE5CDCAA8FE25AC7B3C0FAB08CEE5124');
INSERT INTO "attachment" VALUES(4,8,'IMG_0042.HEIC','image/heic',32,X'B78B016B3BD550AB45CEFEC8EE1CEFD5EE5CDCAA8FE25AC7B3C0FAB08CEE5124');
INSERT INTO "attachment" VALUES(5,10,'invite.ics','text/calendar',94,X'AE949BCD7E07D1396E4AE5C9A40F11DF0584AE07389F8855E7128C85046B83EC7D5BBACC92291A2EFA5C1F80EC765EFE7DA94DEC45F2C62F010A222BA32FD839473D7B4E9C8D40CD56B7A8B6C5A1255DB0F4629D1710D79A65E4CE534C5A');
INSERT INTO "attachment" VALUES(6,11,'invite.ics','text/calendar',94,X'AE949BCD7E07D1396E4AE5C9A40F11DF0584AE07389F8855E7128C85046B83EC7D5BBACC92291A2EFA5C1F80EC765EFE7DA94DEC45F2C62F010A222BA32FD839473D7B4E9C8D40CD56B7A8B6C5A1255DB0F4629D1710D79A65E4CE534C5A');
INSERT INTO "attachment" VALUES(7,15,'survey.pdf','application/pdf',41,X'80643483E156F10DFCD14133983E9CFB4EAC54BB377466BEDEACD52BDD332296E6470C946ED0DB02BC');
INSERT INTO "attachment" VALUES(8,22,'見積書.xlsx','application/vnd.ms-excel',63,X'81CC6D7DF0C7778201105BF9D9579AB73326128E4C3E2D29A8DBA8269E04441AB6B5A3956CB1A0CC8B78F9AA0F5130DE086D2952E59A1908DE27BCB5C3080A');
INSERT INTO "attachment" VALUES(9,23,'見積書.xlsx','application/vnd.ms-excel',27,X'FBA41CDAF4FA88BC6743CFCE7E4ADBE5E4D895DD9B15EDB47DCA1E');
INSERT INTO "attachment" VALUES(10,25,'見積書.xlsx','application/vnd.ms-excel',45,X'FFDAA64BB279F00C4F51FD68CF9B1951AA60657F3DBDDA3D3BA90132B61FE6512C54AACC4CB9A0308696E83BAA');
INSERT INTO "attachment" VALUES(11,27,'見積書.xlsx','application/vnd.ms-excel',24,NULL);
INSERT INTO "attachment" VALUES(13,35,'IMG_0042.HEIC','image/heic',59,NULL);
INSERT INTO "attachment" VALUES(14,36,'IMG_0042.HEIC','image/heic',59,NULL);
INSERT INTO "attachment" VALUES(15,38,'見積書.xlsx','application/vnd.ms-excel',31,X'D8E346FDABE0936F9B1C334D56B27B8E099EF23A3FF724173A9CEDC5883D04');
INSERT INTO "attachment" VALUES(16,47,'Plan «C».dwg','image/vnd.dwg',95,X'CE9B87FC59A432505650D22E93EB89B3606BF0E4F9832E2C8285F131947DDC274989395F815BF5C5ED2A80C5700C3965C7A6317AF9BBB8B15CFAF48242511E17E363955444B70D5BC38417E63CE6D85FD0A9027F86BED7DF1E744E73AE9ACB');
INSERT INTO "attachment" VALUES(17,48,'Plan «C».dwg','image/vnd.dwg',38,X'F41DEA86EF193D903113C8FDF4FBAB0B8A90A3E3C5B1B9142EE8091C32A2C4A75E4A78B32EE9');
INSERT INTO "attachment" VALUES(18,49,'invite.ics','text/calendar',11,X'C8D9162DBB31C9B17B4617');
INSERT INTO "attachment" VALUES(19,50,'IMG_0042.HEIC','image/heic',73,X'23A0E6EF104B912E562E741BA7CAB34A5B7F512733254223DEFD3AE4D2A4D57779E98B8F1BE19636F12D396BD51BE6A19A15D690D045864969291127B68EBE116074D4DEAA62A7082C');
INSERT INTO "attachment" VALUES(20,57,'見積書.xlsx','application/vnd.ms-excel',20,X'94665A12DF3D27EDF5555009E4D6B7A15B464CF9');
INSERT INTO "attachment" VALUES(21,58,'見積書.xlsx','application/vnd.ms-excel',20,X'94665A12DF3D27EDF5555009E4D6B7A15B464CF9');
INSERT INTO "attachment" VALUES(22,61,'IMG_0042.HEIC','image/heic',23,X'1BB47AE9C7FDCE8D69F9AA0A8C28BE42F49ED1FB409C3E');
INSERT INTO "attachment" VALUES(23,62,'IMG_0042.HEIC','image/heic',23,X'1BB47AE9C7FDCE8D69F9AA0A8C28BE42F49ED1FB409C3E');
INSERT INTO "attachment" VALUES(24,64,'survey.pdf','application/pdf',16,NULL);
INSERT INTO "attachment" VALUES(25,65,'Plan «C».dwg','image/vnd.dwg',69,X'893CAFC954E5D4F939217494AFD8C1F288A1C8FD511F1112195364B630483663EE4843B38EF1D37644FF33BBF2548E217768F43ABDBB6D8E5CC1A30C48C89AF77FC0B3C3D8');
INSERT INTO "attachment" VALUES(26,66,'Plan «C».dwg','image/vnd.dwg',69,X'893CAFC954E5D4F939217494AFD8C1F288A1C8FD511F1112195364B630483663EE4843B38EF1D37644FF33BBF2548E217768F43ABDBB6D8E5CC1A30C48C89AF77FC0B3C3D8');
INSERT INTO "attachment" VALUES(27,67,'IMG_0042.HEIC','image/heic',76,NULL);
INSERT INTO "attachment" VALUES(28,75,'IMG_0042.HEIC','image/heic',109,X'D576F9EEFFD51F8A6946B1209B3A9AA47AB28ED77ACCFB306736888813098834DC0BF05E6A8171CC74A0132F03896BAF5B2E897C75B1FB778BB94855D975B2E935B0B05FCF5C04A26A8A83D62A84C7AD8C59C1C5D2B45EECDD5C6BF4C2222910E4537DE8B0302F8E75999DD325');
INSERT INTO "attachment" VALUES(29,76,'IMG_0042.HEIC','image/heic',109,X'D576F9EEFFD51F8A6946B1209B3A9AA47AB28ED77ACCFB306736888813098834DC0BF05E6A8171CC74A0132F03896BAF5B2E897C75B1FB778BB94855D975B2E935B0B05FCF5C04A26A8A83D62A84C7AD8C59C1C5D2B45EECDD5C6BF4C2222910E4537DE8B0302F8E75999DD325');
INSERT INTO "attachment" VALUES(30,79,'invite.ics','text/calendar',8,X'334ADAB372490EFB');
INSERT INTO "attachment" VALUES(31,80,'見積書.xlsx','application/vnd.ms-excel',30,X'1B5D0D1281034AA05670253EC0FEF3BE3948D1B40CE06BEAC9E3AAFB3AB7');
CREATE TABLE contact (
    id INTEGER PRIMARY KEY,
    address TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT,
    avatar BLOB
) STRICT;
INSERT INTO "contact" VALUES(1,'ada@example.com',NULL,NULL);
INSERT INTO "contact" VALUES(2,'amal@example.com','أمل حداد',NULL);
INSERT INTO "contact" VALUES(3,'grace@example.mil',NULL,NULL);
INSERT INTO "contact" VALUES(4,'hanako@example.jp',NULL,NULL);
INSERT INTO "contact" VALUES(5,'jose.garcia@example.net','José García',X'89504E470D0A1A0A');
INSERT INTO "contact" VALUES(6,'li@example.cn',NULL,NULL);
INSERT INTO "contact" VALUES(7,'lukasz@example.pl',NULL,NULL);
INSERT INTO "contact" VALUES(8,'mai@example.vn',NULL,NULL);
INSERT INTO "contact" VALUES(9,'nafsika@example.gr',NULL,NULL);
INSERT INTO "contact" VALUES(10,'no-reply@harbour.example',NULL,NULL);
INSERT INTO "contact" VALUES(11,'soeren@example.dk',NULL,NULL);
INSERT INTO "contact" VALUES(12,'zoe@example.org','Zoë O''Neill',X'89504E470D0A1A0A');
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" VALUES('email',81);
CREATE INDEX email_on_account ON email(account_id, received_at);
CREATE INDEX attachment_on_email ON attachment(email_id);
COMMIT;
