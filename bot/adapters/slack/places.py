"""Where an answer goes: privately beside or in place of a message, into a thread or direct messages, into a modal."""

import logging
from dataclasses import dataclass
from typing import Protocol

from bot.adapters.slack.outbox import Outbox, RefusedError
from bot.adapters.slack.render import Frame, message
from bot.adapters.slack.views import dialog, plain_dialog
from bot.dispatch import with_note
from bot.message import Reply

logger = logging.getLogger(__name__)

_TOO_OLD = "That message is too old to change, so here is a new one."
_ELSEWHERE = "I could not answer where you asked, so the answer is here."


class Place(Protocol):
    """Where one answer goes. Raises RefusedError where Slack takes it nowhere."""

    @property
    def shareable(self) -> bool:
        """Whether there is a channel of others to share it with."""
        ...

    async def show(self, reply: Reply, frame: Frame) -> None:
        """Show a reply."""
        ...


@dataclass(frozen=True, slots=True)
class Whisper:
    """For one person's eyes in a channel, by the address that came with what they did.

    `replace` puts it in place of the private message they pressed in. Where that address has run out, a new private
    message is posted, and where the bot is no member, the answer goes to their direct messages.
    """

    outbox: Outbox
    url: str
    channel: str
    user: str
    thread: str | None = None
    replace: bool = False

    @property
    def shareable(self) -> bool:
        """Direct messages have no others."""
        return not is_direct(self.channel)

    async def show(self, reply: Reply, frame: Frame) -> None:
        """Show a reply to the one person."""
        try:
            if self.url:
                await self.outbox.respond(self.url, message(reply, frame), replace=self.replace, thread=self.thread)
                return
        except RefusedError as error:
            if not error.too_old:
                raise
            logger.info("slack: an address to answer at had run out (%s)", error.code)
            reply = with_note(reply, _TOO_OLD) if self.replace else reply
        await self._anew(reply, frame)

    async def _anew(self, reply: Reply, frame: Frame) -> None:
        if is_direct(self.channel):
            await self.outbox.post(self.channel, message(reply, frame), self.thread)
            return
        try:
            await self.outbox.whisper(self.channel, self.user, message(reply, frame), self.thread)
        except RefusedError as error:
            logger.info("slack: no private message in the channel (%s), sent to direct messages", error.code)
            await self.outbox.post(self.user, message(with_note(reply, _ELSEWHERE), frame))


@dataclass(frozen=True, slots=True)
class Post:
    """A message in a thread of a channel, which all see, or in direct messages."""

    outbox: Outbox
    channel: str
    user: str
    """Who asked."""
    thread: str | None = None

    @property
    def shareable(self) -> bool:
        """What all see needs no sharing."""
        return False

    async def show(self, reply: Reply, frame: Frame) -> None:
        """Post a reply."""
        await self.outbox.post(self.channel, message(reply, frame), self.thread)


@dataclass(frozen=True, slots=True)
class Dialog:
    """A modal: a new one, or in place of what the open one shows. Direct messages where it can no longer open."""

    outbox: Outbox
    user: str
    trigger: str = ""
    view_id: str = ""

    @property
    def shareable(self) -> bool:
        """A modal belongs to no channel."""
        return False

    async def show(self, reply: Reply, frame: Frame) -> None:
        """Show a reply in the modal."""
        try:
            if self.view_id:
                await self.outbox.update_view(self.view_id, dialog(reply, frame), plain_dialog(reply))
            else:
                await self.outbox.open_view(self.trigger, dialog(reply, frame), plain_dialog(reply))
        except RefusedError as error:
            logger.info("slack: the modal is gone (%s), sent to direct messages", error.code)
            await self.outbox.post(self.user, message(with_note(reply, _ELSEWHERE), frame))


def is_direct(channel: str) -> bool:
    """Whether a channel is direct messages between two."""
    return channel.startswith("D")
