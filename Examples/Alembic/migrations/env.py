import os

import sqlalchemy
from alembic import context

# `drydock verify` sets the variable to a private copy, as drydock.yml says.
engine = sqlalchemy.create_engine(os.environ.get("DATABASE_URL", "sqlite:///app.db"))

with engine.connect() as connection:
    # Batch operations rebuild a table, since SQLite's ALTER TABLE cannot change much of one.
    context.configure(connection=connection, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
