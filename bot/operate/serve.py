"""A running bot: the store opened, adapters started, signals obeyed, an orderly end."""

import asyncio
import fcntl
import logging
import secrets
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal

from bot.adapters.base import Adapter, channel_ids, configured_adapters
from bot.adapters.services import Services, end
from bot.commands import CommandSet, all_commands
from bot.commands.dispatch import Dispatcher
from bot.config import Settings
from bot.connections import SEND_SECONDS, Connections
from bot.digest.declared import read_declared, reconcile
from bot.digest.deliver import Deliverer, Ticker
from bot.digest.notify import WatchNotifier
from bot.digest.vote_totals import VoteTotals
from bot.errors import ConfigError, Fault, OperatorError
from bot.library import Library, LibraryHolder
from bot.logs import announce
from bot.message import Platform
from bot.operate.supervise import Supervisor
from bot.schedule.clock import Clock, system_clock
from bot.schedule.values import DEFAULT_CATCH_UP
from bot.store.database import Database
from bot.store.inbound import ActionStore, InboundEvents, LaterWrites, PromptLists, StoredLists
from bot.store.installations import Installations, OAuthStates
from bot.store.leases import CommandHashes, Leases
from bot.store.ledger import Ledger
from bot.store.picks import PickHistory
from bot.store.storage import Storage
from bot.store.subscriptions import Subscriptions

logger = logging.getLogger(__name__)

GRACE_SECONDS = SEND_SECONDS + 5.0
"""What is in flight has this long to finish after SIGTERM: a post that was begun takes up to SEND_SECONDS."""

SWITCH_SECONDS = 0.0005
"""A thread that computes gives way after so long (Python's own: 5 ms), so that an answer's many short steps on the
event loop do not each wait for digests that are drawn beside it."""

WRITE_SECONDS = 5.0
"""What answers left to be written has this long at the end."""

HOUSEKEEPING_SECONDS = 3600.0

Outcome = Literal["stopped", "failed"]


def store_url(settings: Settings) -> str:
    """The database that the config names, by default a SQLite file in the state folder.

    Raises ConfigError where several replicas would share a SQLite file.
    """
    url = settings.core.store.url or f"sqlite:///{settings.state / 'paperboy.sqlite3'}"
    if settings.core.store.replicas > 1 and url.startswith("sqlite"):
        reason = (
            "`store.replicas` is above 1, but SQLite serves one process: a lock on its file does not reach over a "
            "network disk. Set `store.url` to a PostgreSQL database."
        )
        raise ConfigError((Fault(str(settings.file or "config"), 0, reason),))
    return url


@contextmanager
def only_process(state: Path) -> Iterator[None]:
    """Holds the state folder for this process. Raises OperatorError where another one does."""
    state.mkdir(parents=True, exist_ok=True)
    with (state / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise OperatorError(
                f"another paperboy runs on {state}. SQLite serves one process: stop that one, or set `store.url` to a "
                "PostgreSQL database and give each replica a `state` folder of its own."
            ) from error
        yield


@dataclass(frozen=True, slots=True)
class Ended:
    """How one adapter ended."""

    name: str
    outcome: Outcome


def make_services(
    database: Database,
    library: Callable[[], Library],
    connections: Connections,
    *,
    commands: CommandSet | None = None,
    replica: str | None = None,
    catch_up: timedelta = DEFAULT_CATCH_UP,
    clock: Clock = system_clock,
) -> Services:
    """All that adapters work with, on an open database. `connections` knows what is expected of each platform."""
    replica = replica or f"{socket.gethostname()[:40]}-{secrets.token_hex(4)}"
    writes = LaterWrites()
    storage = Storage.of(database, replica, clock, catch_up, PromptLists(StoredLists(database, clock), writes))
    dispatcher = Dispatcher(
        library,
        commands or all_commands(),
        storage=storage,
        clock=clock,
        connections=connections,
    )
    return Services(
        dispatcher=dispatcher,
        inbound=InboundEvents(database, clock),
        hashes=CommandHashes(database, clock),
        installations=Installations(database, clock),
        states=OAuthStates(database, clock),
        leases=Leases(database, clock),
        actions=ActionStore(database, clock),
        writes=writes,
        replica=replica,
        storage=storage,
        connections=connections,
    )


async def serve(
    settings: Settings, adapters: Sequence[Adapter], holder: LibraryHolder, reread: Callable[[], Settings] | None = None
) -> bool:
    """Run adapters until SIGTERM or SIGINT, or until none is left. SIGHUP reads the config's digests anew.

    True where the end was asked for; False where the last adapter ended by itself. One that fails says so in one
    line and leaves the others alone. Raises ConfigError where the config declares digests that cannot be.
    """
    declared = read_declared(settings, channel_ids())
    sys.setswitchinterval(SWITCH_SECONDS)
    database = await Database.open(store_url(settings))
    try:
        connections = Connections({entry.name: entry.offers(settings) for entry in configured_adapters(settings)})
        catch_up = timedelta(hours=settings.core.digest.catch_up)
        services = make_services(database, holder, connections, catch_up=catch_up)
        await reconcile(services.storage.subscriptions, declared, services.storage.clock())
        await _announce(services)
        loop = asyncio.get_running_loop()
        again = asyncio.Event()
        loop.add_signal_handler(signal.SIGHUP, again.set)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, services.stopping.set)
        supervisor = Supervisor(services.stopping)

        def beside(name: str, work: Callable[[], Awaitable[object]]) -> asyncio.Task[None]:
            return asyncio.create_task(supervisor.run(name, work), name=name)

        tasks = {
            asyncio.create_task(_one(entry, settings, services, supervisor), name=entry.name) for entry in adapters
        }
        news = WatchNotifier(services.storage, holder)
        totals = VoteTotals(services.storage, connections)

        async def tick() -> None:
            await deliverer.tick()
            await totals.flush()

        ticker = Ticker(tick)
        deliverer = Deliverer(
            services.storage, connections, holder, heartbeat=ticker.heartbeat, stopping=services.stopping.is_set
        )
        services.idle.clear()
        ticking = beside("digest ticks", lambda: ticker.run(services.stopping))
        ticking.add_done_callback(lambda _: services.idle.set())
        seen = _Seen(lambda: ticker.last, lambda: deliverer.planned, deliverer.unanswered)
        paths = settings.corpus_paths()
        others = [
            ticking,
            beside("housekeeping", lambda: _housekeeping(database, services.stopping)),
            beside("reading the config anew", lambda: _reload(services, reread or (lambda: settings), again)),
            beside("health pages", lambda: _health(settings, services, database, seen, supervisor)),
            beside("watching the corpus", lambda: holder.watch(paths, services.stopping, news.wake)),
            beside("news of watched queries", lambda: news.run(services.stopping)),
        ]
        asked = asyncio.create_task(services.stopping.wait())
        pending: set[asyncio.Task[Ended]] = tasks
        while pending and not services.stopping.is_set():
            waiting: set[asyncio.Task[Ended] | asyncio.Task[Literal[True]]] = {*pending, asked}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            pending = {task for task in pending if not task.done()}
        by_request = services.stopping.is_set()
        services.stopping.set()
        if pending:
            _, late = await asyncio.wait(pending, timeout=GRACE_SECONDS)
            for task in late:
                logger.error("%s did not finish within %.0f s and was ended", task.get_name(), GRACE_SECONDS)
            await end(late)
        again.set()
        _, late_others = await asyncio.wait(others, timeout=GRACE_SECONDS)
        await end(late_others)
        await asyncio.gather(*tasks, *others, asked, return_exceptions=True)
        if lost := await services.writes.finish(WRITE_SECONDS):
            logger.warning("store: %d things that people were shown were not written in time", lost)
        return by_request
    finally:
        await database.close()


async def _announce(services: Services) -> None:
    """What a good start says before its platforms do: papers, their index, digests due."""
    library = services.dispatcher.library
    files = {source.file for paper in library.corpus for source in paper.sources}
    announce("papers: %d from %d file(s), the index is ready", len(library.corpus), len(files))
    channels, upcoming = await services.storage.subscriptions.upcoming()
    after = f", the next one on {upcoming:%Y-%m-%d at %H:%M} UTC" if upcoming else ""
    announce("digests: in %d channel(s)%s", channels, after)


async def _reload(services: Services, reread: Callable[[], Settings], again: asyncio.Event) -> None:
    """Reconcile the config's digests whenever asked; a file that cannot be used leaves all as it was."""
    while await again.wait() and not services.stopping.is_set():
        again.clear()
        try:
            declared = await asyncio.to_thread(lambda: read_declared(reread(), channel_ids()))
            await reconcile(services.storage.subscriptions, declared, services.storage.clock())
        except ConfigError as error:
            for fault in error.faults:
                logger.error("config: %s: the digests stay as they were", fault)  # noqa: TRY400 - one line each
        except Exception:
            logger.exception("config: the digests could not be reconciled; send SIGHUP again")
        else:
            logger.info("config: digests declared: %d", len(declared))


Moment = Callable[[], float | None]
"""When something last happened, in monotonic seconds."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What health pages see of the digest: its last tick and plan, and platforms that answer no send."""

    tick: Moment
    plan: Moment
    unanswered: Callable[[], Collection[Platform]]


async def _health(
    settings: Settings,
    services: Services,
    database: Database,
    seen: _Seen,
    supervisor: Supervisor,
) -> None:
    section = settings.core.health
    if not section.port:
        return
    try:
        from bot.operate.health import Checks, Metrics, serve_health  # noqa: PLC0415 - its libraries are an extra
    except ImportError:
        logger.warning("health: no pages are served: install paperboy[web], or set `health.port` to 0")
        return

    metrics = Metrics()
    services.dispatcher.observe = metrics.observe
    checks = Checks(services, database, metrics, seen.tick, seen.plan, supervisor, seen.unanswered)
    await serve_health(section, checks, services.stopping)


async def _one(adapter: Adapter, settings: Settings, services: Services, supervisor: Supervisor) -> Ended:
    outcome: Outcome = "stopped"

    async def work() -> None:
        nonlocal outcome
        try:
            await adapter.serve(settings, services)
        except OperatorError as error:
            logger.error("%s ended: %s", adapter.name, error)  # noqa: TRY400 - one clear line, no traceback
            outcome = "failed"
            return
        finally:
            services.connections.leave(adapter.name)
        if not services.stopping.is_set():
            logger.error("%s ended by itself; the others go on", adapter.name)

    await supervisor.run(adapter.name, work)
    return Ended(adapter.name, outcome)


async def _housekeeping(database: Database, stopping: asyncio.Event) -> None:
    """Rows that nobody needs any more go, now and every hour."""
    while not stopping.is_set():
        try:
            for repository in (
                InboundEvents(database),
                StoredLists(database),
                ActionStore(database),
                Subscriptions(database),
                Ledger(database, "housekeeping"),
                PickHistory(database),
            ):
                await repository.forget_old()
        except Exception:
            logger.exception("store: old rows could not be dropped; tried again in an hour")
        try:
            await asyncio.wait_for(stopping.wait(), HOUSEKEEPING_SECONDS)
        except TimeoutError:
            continue
