"""One database: its engine, its transactions, its schema brought up to date."""

import asyncio
import contextlib
import logging
import sqlite3
import time
import weakref
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool
from sqlalchemy.util import await_only

from bot.errors import StoreError
from bot.schedule.clock import Clock, Steady, system_clock
from bot.store.tables import metadata

if TYPE_CHECKING:
    from sqlalchemy.connectors.asyncio import AsyncAdapt_dbapi_cursor
    from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_connection
    from sqlalchemy.dialects.sqlite.aiosqlite import AsyncAdapt_aiosqlite_connection
from datetime import UTC, datetime

logger = logging.getLogger(__name__)


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970 UTC of an aware datetime."""
    return int(moment.timestamp() * 1000)


def from_ms(value: int) -> datetime:
    """The aware datetime, in UTC, of milliseconds since 1970."""
    return datetime.fromtimestamp(value / 1000, UTC)


BUSY_MS = 15_000
"""How long a SQLite writer waits for another: writes take milliseconds, so this is never reached in health."""

CONNECT_SECONDS = 5.0
"""How long a connection to a server may take to be made, or to show that it still stands."""

CALL_SECONDS = 20.0
"""How long a transaction may take in all: they take milliseconds, one that deletes a year of rows a second or two."""

STEP_MS = 60_000
"""A time that lies further away than any that is given was given before somebody set the clock back. Those who write at
the same moment read the clock one after another, though: so much is no step of it."""

_WRITES = "paperboy_writes"
"""The execution option of connections that write."""

_WAL_ATTEMPTS, _WAL_PAUSE = 100, 0.05
"""Switching takes milliseconds; five seconds are a disk that does not answer."""

_MIGRATIONS = Path(__file__).resolve().parent / "migrations"
_UPGRADE_LOCK = 0x50_41_50_45  # any number that no other user of the database's advisory locks takes


def async_url(url: str) -> str:
    """The address with the driver that we use: `sqlite:…`, `postgresql:…` or `postgres:…`.

    Raises StoreError for another database.
    """
    scheme, separator, rest = url.partition("://")
    driver = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}
    known = driver.get(scheme.partition("+")[0])
    if not separator or known is None:
        raise StoreError("`store.url` starts with sqlite:// or postgresql://")
    return f"{known}://{rest}"


class _Terminable(Protocol):
    """A driver's connection to a server."""

    def terminate(self) -> None:
        """Cut it at once: whatever waits for it fails."""


class Database:
    """An open database. `begin` gives a transaction that writes, `read` one that only reads."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self._writing = engine.execution_options(**{_WRITES: True})
        self.is_sqlite = engine.dialect.name == "sqlite"
        self._turn = asyncio.Lock()
        self._one_connection = isinstance(engine.pool, StaticPool)
        self._connections: weakref.WeakSet[_Terminable] = weakref.WeakSet()
        self._in_use: weakref.WeakSet[_Terminable] = weakref.WeakSet()
        if not self.is_sqlite:
            event.listen(engine.sync_engine, "connect", self._connected)

    @classmethod
    async def open(cls, url: str, *, upgrade: bool = True) -> "Database":
        """Connect, and bring the schema up to date. Raises StoreError with the remedy."""
        target = async_url(url)
        if target.startswith("sqlite"):
            path = sa.make_url(target).database
            if path and path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                make_private(Path(path))
        if target.startswith("sqlite"):
            engine = create_async_engine(target)
        else:
            engine = create_async_engine(
                target, pool_pre_ping=True, pool_timeout=CALL_SECONDS, connect_args={"timeout": CONNECT_SECONDS}
            )
        database = cls(engine)
        if database.is_sqlite:
            _prepare_sqlite(engine)
        try:
            if upgrade:
                await database.upgrade()
        except (SQLAlchemyError, OSError) as error:
            await engine.dispose()
            shown = sa.make_url(target).render_as_string(hide_password=True)
            raise StoreError(
                f"the store at {shown} cannot be used: {type(error).__name__}: {_first_line(error)}"
            ) from error
        return database

    async def close(self) -> None:
        """Give every connection back."""
        await self.engine.dispose()

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed at the end, rolled back on an error. On SQLite it takes the write lock at once.

        Raises SQLAlchemyError, and nothing else, where the database does not do what it should within CALL_SECONDS.
        """
        # SQLite's writers poll for the lock and starve each other: in one process they take turns instead
        async with self._in_turn(self.is_sqlite), self._bounded(self._writing.begin()) as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that only reads, as `begin`. On SQLite it waits for no writer, but for a database in memory."""
        async with self._in_turn(self._one_connection), self._bounded(self.engine.connect()) as connection:
            yield connection

    @asynccontextmanager
    async def _in_turn(self, needed: bool) -> AsyncIterator[None]:
        if not needed:
            yield
            return
        try:
            async with asyncio.timeout(CALL_SECONDS):
                await self._turn.acquire()
        except TimeoutError as error:
            raise _away(error) from error
        try:
            yield
        finally:
            self._turn.release()

    @asynccontextmanager
    async def _bounded(self, opening: AbstractAsyncContextManager[AsyncConnection]) -> AsyncIterator[AsyncConnection]:
        """A connection whose work ends in time: where it does not, the connection is cut, and its waits fail at once.

        To cancel them instead would have the driver ask the same dead connection to roll back.
        """
        if self.is_sqlite:  # its calls are on a thread, and end by the busy time-out
            async with opening as connection:
                yield connection
            return
        loop = asyncio.get_running_loop()
        deadline = loop.call_later(CONNECT_SECONDS, self._cut_idle)
        raw: _Terminable | None = None
        try:
            async with opening as connection:
                deadline.cancel()
                raw = cast("_Terminable", (await connection.get_raw_connection()).driver_connection)
                self._in_use.add(raw)
                deadline = loop.call_later(CALL_SECONDS, self._cut, raw)
                yield connection
        except OSError as error:
            raise _away(error) from error
        finally:
            deadline.cancel()
            if raw is not None:
                self._in_use.discard(raw)

    def _connected(self, connection: "AsyncAdapt_asyncpg_connection", _record: object) -> None:
        self._connections.add(connection.driver_connection)

    def _cut(self, connection: _Terminable) -> None:
        logger.warning("store: no answer within %.0f s, the connection is given up", CALL_SECONDS)
        connection.terminate()
        self._cut_idle()  # they go the same way, and would each be waited for

    def _cut_idle(self) -> None:
        """Cut what waits in the pool, or is being asked whether it stands: the pool makes a new one."""
        for connection in set(self._connections) - set(self._in_use):
            connection.terminate()

    async def upgrade(self) -> None:
        """Run the migrations that are missing; replicas that start together take turns."""
        async with self._writing.begin() as connection:
            if not self.is_sqlite:
                await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
            await connection.run_sync(_upgrade)

    def insert(self, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
        """An insert that can be told what to do where the row is there already; both databases say it alike."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    def insert_if_new(self, table: sa.Table, values: dict[str, Any] | None = None) -> sa.Insert:
        """An insert that does nothing where the primary key is there already; its row count says which.

        Without values it takes rows when it is executed.
        """
        insert = self.insert(table)
        return (insert if values is None else insert.values(values)).on_conflict_do_nothing()

    def upsert(self, table: sa.Table, values: dict[str, Any]) -> sa.Insert:
        """An insert that replaces the row of the same primary key."""
        keys = [column.name for column in table.primary_key.columns]
        others = {name: value for name, value in values.items() if name not in keys}
        return self.insert(table).values(values).on_conflict_do_update(index_elements=keys, set_=others)


_SERVER_NOW_MS = sa.text("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)")


def make_private(file: Path) -> None:
    """Make a store's file, if there is none, for its owner alone, and so what stands beside it.

    It has the tokens of installations and what people saved. SQLite gives its log the file's own permissions.
    """
    with contextlib.suppress(OSError):  # what cannot be opened is said by who opens it
        file.touch(mode=0o600)
    for one in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
        with contextlib.suppress(OSError):  # of another owner, or on a disk that knows none
            one.chmod(0o600)


def steady_of(clock: Clock) -> Steady:
    """What to measure durations by beside this clock: a clock of a test's or a double's own is its own measure."""
    return time.monotonic if clock is system_clock else lambda: clock().timestamp()


class StoreClock:
    """What time it is for rows that say how long somebody has something, in milliseconds since 1970.

    On PostgreSQL it is the server's, which is one for all processes. SQLite serves one process: there it is the time
    at which that began, and what has passed since, so that nobody who sets the machine's clock moves it. A clock that
    is lent (tests, doubles) stands for both.
    """

    def __init__(self, database: Database, clock: Clock = system_clock, steady: Steady | None = None) -> None:
        self._asks = not database.is_sqlite and clock is system_clock
        self._steady = steady or steady_of(clock)
        self._began = to_ms(clock()) - int(self._steady() * 1000)

    async def now(self, connection: AsyncConnection) -> int:
        """Now, asked inside of the transaction that writes it or judges by it."""
        if self._asks:
            return int((await connection.execute(_SERVER_NOW_MS)).scalar_one())
        return self._began + int(self._steady() * 1000)


def _away(error: OSError) -> OperationalError:
    """What to raise for trouble that the driver lets through, such as a refused connection or a time-out."""
    return OperationalError("the database does not answer", None, error)


def _first_line(error: BaseException) -> str:
    return str(error).split("\n", 1)[0]


def _prepare_sqlite(engine: AsyncEngine) -> None:
    """WAL lets readers read while one writes, so what only reads takes no lock and waits for nobody.

    What writes begins with BEGIN IMMEDIATE: a reader that turns writer fails at once where another wrote meanwhile.
    """

    @event.listens_for(engine.sync_engine, "connect")
    def _connect(connection: "AsyncAdapt_aiosqlite_connection", _record: object) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself
        cursor = connection.cursor()
        for pragma in (f"busy_timeout={BUSY_MS}", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        _into_wal(cursor)
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _into_wal(cursor: "AsyncAdapt_dbapi_cursor") -> None:
    """Switch the file to WAL, which stays. While two connections switch a new file, SQLite refuses one at once."""
    for attempt in range(_WAL_ATTEMPTS):
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if attempt + 1 == _WAL_ATTEMPTS:
                raise
            await_only(asyncio.sleep(_WAL_PAUSE))  # the event loop goes on meanwhile
        else:
            return


def _upgrade(connection: sa.Connection, revision: str = "head") -> None:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def schema_difference(connection: sa.Connection) -> list[object]:
    """What the migrations have not built yet of the tables: for the test that they say the same."""
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415 - only a test needs it
    from alembic.migration import MigrationContext  # noqa: PLC0415

    return list(compare_metadata(MigrationContext.configure(connection), metadata))
