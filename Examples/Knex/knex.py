#!/usr/bin/env python3
"""A migration runner that keeps its history as Knex does; a real project has `npx knex` in its place.

    knex.py migrate:latest         applies everything pending
    knex.py migrate:up [NAME]      applies one migration; without a name everything pending
    knex.py migrate:names          prints the names, in their order
"""

import importlib.util
import os
import pathlib
import sqlite3
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "migrations"


def load(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def migrate(names, only=None):
    database = sqlite3.connect(os.environ.get("DATABASE_PATH", "app.sqlite3"), isolation_level=None)
    database.executescript(
        """
        CREATE TABLE IF NOT EXISTS knex_migrations(
            id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255), batch INTEGER, migration_time DATETIME);
        CREATE TABLE IF NOT EXISTS knex_migrations_lock(
            "index" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, is_locked INTEGER);
        """
    )
    done = {name for (name,) in database.execute("SELECT name FROM knex_migrations")}
    batch = database.execute("SELECT coalesce(max(batch), 0) + 1 FROM knex_migrations").fetchone()[0]
    for name in names:
        if name in done or only not in (None, name):
            continue
        database.execute("BEGIN")
        load(name).up(database)
        database.execute(
            "INSERT INTO knex_migrations(name, batch, migration_time) VALUES (?, ?, datetime('now'))", (name, batch)
        )
        database.execute("COMMIT")
        print(f"applied {name}")


def main(arguments):
    names = sorted(path.stem for path in FOLDER.glob("*.py"))
    match arguments:
        case ["migrate:names"]:
            print(*names, sep="\n")
        case ["migrate:latest"] | ["migrate:up"]:
            migrate(names)
        case ["migrate:up", name]:
            migrate(names, only=name)
        case _:
            sys.exit(__doc__)


main(sys.argv[1:])
