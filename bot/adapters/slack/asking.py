"""The ways of asking in words: slash command, mention, direct message, shortcut, and the home that explains them."""

import logging
from dataclasses import dataclass

from bot.adapters.presses import Press
from bot.adapters.slack.desk import Answer, Desk
from bot.adapters.slack.files import handed_over
from bot.adapters.slack.gate import Asked, Gate, note
from bot.adapters.slack.home import HOME, Home
from bot.adapters.slack.inbound import Envelope, Event, Interaction, Slash
from bot.adapters.slack.outbox import Outbox
from bot.adapters.slack.places import Post, Whisper
from bot.adapters.slack.render import Frame
from bot.adapters.slack.text import first_words, typed
from bot.message import Call, ChannelRef, User

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asking:
    """Answers what people say in words."""

    desk: Desk
    gate: Gate
    home: Home
    files: bool
    """Whether files may be sent."""
    log_queries: bool = False

    async def slash(self, asked: Asked, slash: Slash, outbox: Outbox) -> None:
        """`/papers …`, answered for the one person, where they typed it."""
        place = Whisper(outbox, slash.response_url, slash.channel_id, slash.user_id)
        asked.place = place
        if await self.gate.first(slash.workspace, slash.trigger_id):
            user, channel = User(slash.user_id), ChannelRef("slack", slash.workspace, slash.channel_id)
            await self._privately(place, await self._say(typed(slash.text), user, channel))

    async def mention(self, asked: Asked, envelope: Envelope, outbox: Outbox) -> None:
        """`@Paperboy …`, answered in the thread of the message, for all."""
        event = envelope.event
        if not _by_a_person(event) or event.edited is not None:
            return
        place = Post(outbox, event.channel, event.user, event.thread_ts or event.ts)
        asked.place = place
        if await self.gate.first(envelope.workspace, envelope.event_id):
            channel = ChannelRef("slack", envelope.workspace, event.channel)
            answer = await self._say(typed(event.text), User(event.user), channel)
            if self.desk.is_personal(answer):  # a list of one's own, say, is not for all
                whisper = Whisper(outbox, "", event.channel, event.user, place.thread)
                await self._privately(whisper, answer)
            else:
                await place.show(answer.reply, await self.desk.public(answer, event.user))

    async def direct(self, asked: Asked, envelope: Envelope, outbox: Outbox) -> None:
        """A direct message, answered in place."""
        event = envelope.event
        if event.channel_type != "im" or event.subtype not in {None, "file_share"} or not _by_a_person(event):
            return
        place = Post(outbox, event.channel, event.user, event.thread_ts)
        asked.place = place
        if await self.gate.first(envelope.workspace, envelope.event_id):
            channel = ChannelRef("slack", envelope.workspace, event.channel)
            await self._privately(place, await self._say(typed(event.text), User(event.user), channel))

    async def shortcut(self, asked: Asked, shortcut: Interaction, outbox: Outbox) -> None:
        """Find related papers: a search for the first words of a message, answered for the one person."""
        where = shortcut.channel.id if shortcut.channel else ""
        place = Whisper(outbox, shortcut.response_url, where, shortcut.user.id, shortcut.thread)
        asked.place = place
        if not await self.gate.first(shortcut.workspace, shortcut.trigger_id):
            return
        words = first_words(shortcut.message.text if shortcut.message else "")
        if not words:
            await place.show(note("That message has no words to search for."), Frame())
            return
        channel = ChannelRef("slack", shortcut.workspace, where)
        press = Press("open", Call("search", {"query": words}))
        await self._privately(place, await self.desk.open(press, User(shortcut.user.id), channel))

    async def opened_home(self, envelope: Envelope, outbox: Outbox) -> None:
        """Somebody opened their home: show it as it is today."""
        event = envelope.event
        if event.tab not in {"", HOME} or not await self.gate.first(envelope.workspace, envelope.event_id):
            return
        await self.home.show(event.user, envelope.workspace, outbox)

    async def _say(self, words: str, user: User, channel: ChannelRef) -> Answer:
        answer = await self.desk.say(words, user, channel)
        logger.info("slack: %s answered %s", answer.press.call.command, user.id)
        if self.log_queries:
            logger.info("slack: it was asked as %r", words[:500])
        return answer

    async def _privately(self, place: Whisper | Post, answer: Answer) -> None:
        reply = await handed_over(answer.reply, place.user, place.channel, place.outbox, may=self.files)
        await place.show(reply, await self.desk.private(answer, shareable=place.shareable))


def _by_a_person(event: Event) -> bool:
    """Bots answer each other for ever; nobody gains by that."""
    return bool(event.user) and not event.bot_id
