/// Prepares SQLite, before any test uses it. TestTools has it.
extern void drydock_prepare_sqlite(void);
