"""Databases for tests: SQLite in a folder, and a PostgreSQL database of the test's own that is dropped behind it."""

import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

SERVER = os.environ.get("PAPERBOY_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")


async def _connect() -> asyncpg.Connection:
    try:
        return await asyncpg.connect(SERVER, timeout=5)
    except (TimeoutError, OSError, asyncpg.PostgresError) as error:
        reason = f"no PostgreSQL answers ({error}); set PAPERBOY_TEST_POSTGRES to its address"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@asynccontextmanager
async def database_url(kind: str, folder: Path) -> AsyncIterator[str]:
    """The address of an empty database of this kind (`sqlite` or `postgresql`)."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'store.sqlite3'}"
        return
    name = f"paperboy_test_{secrets.token_hex(6)}"
    server = await _connect()
    try:
        await server.execute(f"CREATE DATABASE {name}")
        yield f"{SERVER.rpartition('/')[0]}/{name}"
        await server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await server.close()
