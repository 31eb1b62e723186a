"""With several replicas, only the holder of a lease connects: each connected one would receive every interaction."""

import asyncio
import logging
import time
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError

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
