"""Runs the adapter until the bot stops: one connection at a time, by lease where there are replicas."""

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Callable

import aiohttp
import discord
from sqlalchemy.exc import SQLAlchemyError

from bot.adapters.base import secret
from bot.adapters.discord.client import PapersClient, make_client
from bot.adapters.discord.registration import REFUSED
from bot.adapters.discord.section import TOKEN, section_of
from bot.adapters.services import Services, end
from bot.config import Settings
from bot.errors import OperatorError
from bot.store.leases import Leases

logger = logging.getLogger(__name__)


NAME = "discord-gateway"

_STORE_TROUBLE = (SQLAlchemyError, OSError, TimeoutError)


class GatewayLease:
    """The lease of one replica. `seconds` is how long it lasts without being renewed."""

    def __init__(
        self, leases: Leases, holder: str, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._leases = leases
        self._holder = holder
        self._clock = clock
        self._until = 0.0
        self.seconds = seconds

    @property
    def pause(self) -> float:
        """Seconds between two looks at whether another's lease ran out."""
        return min(1.0, self.seconds / 6)

    async def take(self) -> bool:
        """Take or renew it. False where another holds it, or where the store does not answer."""
        try:
            return await self._renew()
        except _STORE_TROUBLE as error:
            logger.warning("the lease could not be asked for: %s", type(error).__name__)
            return False

    async def _renew(self) -> bool:
        asked = self._clock()
        async with asyncio.timeout(self.seconds / 3):
            held = await self._leases.take(NAME, self._holder, self.seconds)
        if held:
            self._until = asked + self.seconds
        return held

    async def keep(self) -> None:
        """Renew it for as long as that works; returns once it is lost, or would be before the next try."""
        while True:
            await asyncio.sleep(self.seconds / 3)
            try:
                if not await self._renew():
                    return
            except _STORE_TROUBLE as error:
                logger.warning("the lease could not be renewed: %s", type(error).__name__)
                if self._clock() + self.seconds / 3 >= self._until:
                    return

    async def release(self) -> None:
        """Give it back, so that another replica need not wait."""
        try:
            await self._leases.release(NAME, self._holder)
        except _STORE_TROUBLE as error:
            logger.warning("the lease could not be given back, it runs out by itself: %s", type(error).__name__)


GRACE_SECONDS = 9.0
"""Answers in flight have this long when the bot stops: less than the process gives the adapter."""

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0

_TRANSIENT = (aiohttp.ClientError, OSError, TimeoutError, discord.HTTPException, discord.GatewayNotFound)

_CLOSED = {
    4004: REFUSED,
    4010: "Discord refuses the shard number: set `discord.shards` to auto.",
    4011: "Discord wants the servers shared among several connections: set `discord.shards` to auto.",
    4012: "Discord no longer speaks this version of its gateway: update discord.py.",
    4013: "Discord refuses the intents: update Paperboy.",
    4014: "Discord refuses the intents: update Paperboy.",
}


class _Calm(logging.Filter):
    """discord.py warns of what is meant here (no intents, no voice), and logs each lost connection with a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.msg.startswith("Guilds intent seems to be disabled") or "voice will NOT be supported" in record.msg:
            return False
        if record.msg.startswith("Attempting a reconnect"):
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = None
        return True


def calm_library_logs() -> None:
    """Keep what discord.py logs useful, and free of secrets and words: its debug lines hold whole requests."""
    library = logging.getLogger("discord")
    if library.getEffectiveLevel() < logging.INFO:
        library.setLevel(logging.INFO)
    for name in ("discord.state", "discord.client", "discord.shard"):
        noisy = logging.getLogger(name)
        if not any(isinstance(entry, _Calm) for entry in noisy.filters):
            noisy.addFilter(_Calm())


async def serve(settings: Settings, services: Services) -> None:
    """Serve Discord until `services.stopping`. Raises OperatorError where only the operator can help."""
    token = secret(settings, TOKEN)
    if token is None:
        raise OperatorError(f"{TOKEN} is not set.")
    calm_library_logs()
    section = section_of(settings)
    lease = None
    if settings.core.store.replicas > 1:
        lease = GatewayLease(services.leases, services.replica, section.lease_seconds)
    pause = _FIRST_PAUSE
    try:
        while not services.stopping.is_set():
            if lease and not await lease.take():
                await _wait(services.stopping, lease.pause)
                continue
            client = make_client(services, section, log_queries=settings.core.log.queries)
            if await _connected(client, token, services, lease):
                pause = _FIRST_PAUSE
            elif not services.stopping.is_set():
                # chance keeps replicas and restarts from knocking all at once
                await _wait(services.stopping, pause * random.uniform(0.5, 1))  # noqa: S311
                pause = min(pause * 2, _LONGEST_PAUSE)
    finally:
        if lease:
            await lease.release()


async def _connected(client: PapersClient, token: str, services: Services, lease: GatewayLease | None) -> bool:
    """One connection, until it ends, the bot stops or the lease is lost. False where to wait before the next."""
    running = asyncio.create_task(client.start(token), name="discord connection")
    asked = asyncio.create_task(services.stopping.wait())
    losing = asyncio.create_task(lease.keep()) if lease else None
    try:
        await asyncio.wait({task for task in (running, asked, losing) if task}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            return _judged(running)
        if losing and losing.done():
            logger.warning("another replica has the connection to Discord now")
        return True
    finally:
        if not services.stopping.is_set():  # else what is being posted needs it to the end
            services.connections.leave("discord")
        await end((running, asked))
        with contextlib.suppress(*_TRANSIENT):
            unfinished = await client.leave(GRACE_SECONDS)
            if unfinished:
                logger.error("%d answers were not finished within %.0f s", unfinished, GRACE_SECONDS)
        services.connections.leave("discord")
        if losing:
            await end((losing,))


def _judged(running: "asyncio.Task[None]") -> bool:
    """What the end of a connection means. Raises OperatorError where trying again is of no use."""
    error = running.exception()
    match error:
        case None:
            logger.warning("the connection to Discord was closed")
        case discord.LoginFailure():
            raise OperatorError(REFUSED) from error
        case discord.ConnectionClosed(code=code) if code in _CLOSED:
            raise OperatorError(_CLOSED[code]) from error
        case discord.PrivilegedIntentsRequired():
            raise OperatorError(_CLOSED[4014]) from error
        case discord.HTTPException(status=401):
            raise OperatorError(REFUSED) from error
        case discord.ConnectionClosed() | aiohttp.ClientError() | OSError() | TimeoutError():
            logger.warning("no connection to Discord (%s), tried again", type(error).__name__)
        case discord.HTTPException(status=status):
            logger.warning("Discord answers %d, tried again", status)
        case discord.GatewayNotFound():
            logger.warning("Discord has no gateway just now, tried again")
        case _:  # an event that discord.py could not read, say: the rest of the bot's life need not end with it
            logger.error("the connection to Discord ended by a fault, tried again", exc_info=error)
    return False


async def _wait(stopping: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stopping.wait()
