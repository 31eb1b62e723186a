"""What every request of Slack passes: answered once, errors told in one line, waited for when the bot stops."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.adapters.slack.outbox import RefusedError
from bot.adapters.slack.places import Place
from bot.adapters.slack.render import Frame
from bot.message import Reply, ReplyError
from bot.richtext import Paragraph, said
from bot.store.inbound import InboundEvents

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Asked:
    """One request under way: what kind it is and, once that is known, where its answer goes."""

    kind: str
    place: Place | None = None


class Gate:
    """Lets requests through one by one, and knows which are under way."""

    def __init__(self, inbound: InboundEvents) -> None:
        self._inbound = inbound
        self._under_way: set[asyncio.Task[object]] = set()

    async def first(self, workspace: str, key: str) -> bool:
        """Whether this event is here for the first time, in any replica. True where Slack gave it no name.

        An event is claimed before it is answered. Should the process die in between, it goes unanswered when it comes
        again: silence once in a crash is better than two answers.
        """
        if not key:
            return True
        fresh = await self._inbound.claim("slack", workspace[:64], key)
        if not fresh:
            logger.info("slack: event %s came again", key)
        return fresh

    async def run(self, kind: str, work: Callable[[Asked], Awaitable[None]]) -> None:
        """Do the work of a request, which was acknowledged before. Never raises but for cancellation."""
        asked = Asked(kind)
        task = asyncio.current_task()
        if task is not None:
            self._under_way.add(task)
        try:
            await work(asked)
        except Exception as error:  # noqa: BLE001 - the boundary: a failing request must not stop another
            await _tell(asked, error)
        finally:
            if task is not None:
                self._under_way.discard(task)

    async def finish(self, seconds: float) -> int:
        """Wait so long for what is under way; end the rest, and give how many that were."""
        if not self._under_way:
            return 0
        _, late = await asyncio.wait(set(self._under_way), timeout=seconds)
        for task in late:
            task.cancel()
        return len(late)


async def _tell(asked: Asked, error: Exception) -> None:
    """Log an error, and tell whoever waits, in one line that finds the log entry."""
    reference = secrets.token_hex(4)
    known = {"reference": reference}
    if isinstance(error, RefusedError):
        logger.error(
            "slack: %s could not be answered: %s, reference %s", asked.kind, error.code, reference, extra=known
        )
    else:
        logger.error("slack: %s failed, reference %s", asked.kind, reference, exc_info=error, extra=known)
    if asked.place is None:
        return
    try:
        await asked.place.show(mishap(reference), Frame())
    except Exception as again:  # noqa: BLE001 - nobody is left to tell
        word = again.code if isinstance(again, RefusedError) else type(again).__name__
        logger.error("slack: and could not be told so: %s, reference %s", word, reference)  # noqa: TRY400


def mishap(reference: str) -> Reply:
    """What a person reads when something of ours failed."""
    words = f"Something went wrong here, and it is not your fault. Reference: {reference}"
    return Reply("", (Paragraph(said(words)),), error=ReplyError("internal", words))


def note(words: str, kind: str = "user") -> Reply:
    """A line to somebody that answers no command."""
    return Reply("", (Paragraph(said(words)),), error=ReplyError(kind, words))
