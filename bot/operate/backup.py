"""Backup and restore of the store: SQLite by its own online backup, PostgreSQL by its own tools."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from bot.errors import OperatorError
from bot.store.database import async_url, make_private


def _sqlite_file(url: str) -> Path | None:
    parsed = sa.make_url(async_url(url))
    return Path(parsed.database or "") if parsed.drivername.startswith("sqlite") else None


def backup(url: str, target: Path) -> None:
    """Write a consistent copy of the store, also while a bot is running on it. Raises OperatorError.

    SQLite's online backup copies a snapshot page by page; `pg_dump` reads in one repeatable transaction.
    """
    if target.exists():
        raise OperatorError(f"{target} exists: name a new file")
    file = _sqlite_file(url)
    if file is not None and not file.exists():
        raise OperatorError(f"there is no store at {file}")
    make_private(target)
    if file is None:
        _run(["pg_dump", "--format=custom", f"--file={target}", f"--dbname={_libpq(url)}"], url)
        return
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        (result,) = copy.execute("PRAGMA integrity_check").fetchone()
    if result != "ok":
        target.unlink()
        raise OperatorError(f"the copy is not sound: {result}")


def restore(url: str, source: Path) -> None:
    """Put a backup in the store's place; the bot must not be running. Raises OperatorError."""
    if not source.is_file():
        raise OperatorError(f"there is no backup at {source}")
    file = _sqlite_file(url)
    if file is None:
        _run(["pg_restore", "--clean", "--if-exists", "--no-owner", f"--dbname={_libpq(url)}", str(source)], url)
        return
    try:
        with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as copy:
            (result,) = copy.execute("PRAGMA integrity_check").fetchone()
    except sqlite3.DatabaseError as error:
        raise OperatorError(f"{source} is no SQLite backup: {error}") from error
    if result != "ok":
        raise OperatorError(f"{source} is not sound: {result}")
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    make_private(part)
    shutil.copyfile(source, part)
    for leftover in (f"{file}-wal", f"{file}-shm"):
        Path(leftover).unlink(missing_ok=True)
    part.replace(file)


def _libpq(url: str) -> str:
    """The address without our driver and without its password, which goes by the environment."""
    parsed = sa.make_url(url).set(drivername="postgresql", password=None)
    return parsed.render_as_string()


def _run(command: list[str], url: str) -> None:
    password = sa.make_url(url).password
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    except FileNotFoundError as error:
        raise OperatorError(f"{command[0]} is not installed: install PostgreSQL's client programs") from error
    if done.returncode:
        raise OperatorError(
            f"{command[0]} failed: {done.stderr.strip().splitlines()[-1] if done.stderr else 'no reason given'}"
        )
