"""Where an answer goes in Slack: privately by a message or in its place, into a thread, direct messages or a modal."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from slack_sdk.errors import SlackApiError

from bot.adapters.conversation import Answer, remark
from bot.adapters.presses import Control, Press, PressCodec, controls, paper_controls, shared_controls
from bot.adapters.slack.files import handed_over
from bot.adapters.slack.layout import Key
from bot.adapters.slack.outbox import Outbox, code_of
from bot.adapters.slack.render import FILTERS, FULL_CARDS, Frame, message
from bot.adapters.slack.rights import is_direct, is_member, remedy
from bot.adapters.slack.section import SlackSection
from bot.adapters.slack.views import dialog, plain_dialog, waiting
from bot.dispatch import with_note
from bot.errors import RefusedError, UserError
from bot.message import ChannelRef, Reply, User
from bot.services import Services

logger = logging.getLogger(__name__)

_BUTTON = 500
"""Characters of a press that a button carries itself. Slack allows 2,000, but twenty such buttons would make a message
too long; what is longer is kept in the store."""

_BLOCK_ID = 255

_STARTS = frozenset({"help", "about", "topics"})
"""Answers from which people go on to look for something."""

SOON = 2.0
"""Seconds after which a submitted form shows that it is searched for; Slack waits 3."""

_AFTER_ACK = 0.5
"""Seconds until an acknowledgement has surely changed the modal that is changed again next."""

_TOO_OLD = "That message is too old to change, so here is a new one."
_ELSEWHERE = "I could not answer where you asked, so the answer is here."

Acknowledge = Callable[..., Awaitable[object]]


class Painter:
    """Draws what stands around the answers of one connection."""

    def __init__(self, services: Services, section: SlackSection) -> None:
        self.section = section
        self.buttons = PressCodec(services.presses, _BUTTON)
        self.block_ids = PressCodec(services.presses, _BLOCK_ID)
        self._dispatcher = services.dispatcher

    async def frame(self, answer: Answer) -> Frame:
        """What stands around an answer: for one person, or for all, where everything opens privately."""
        reply, press = answer.reply, answer.press
        if not answer.owner:
            return await self._frame(reply, press, list(controls(reply, press, may_share=answer.may_share)))
        press = Press("open", press.call)
        own = list(shared_controls(reply, press.call, answer.owner))
        if len(reply.papers) != 1:
            own[:0] = [Control(button.label, Press("open", button.call), button.primary) for button in reply.buttons]
        frame = await self._frame(reply, press, own)
        return replace(frame, sharer=answer.owner) if answer.shared else frame

    async def _frame(self, reply: Reply, press: Press, own: list[Control]) -> Frame:
        listed = reply.listed and reply.error is None and len(reply.papers) <= FULL_CARDS
        rows = [paper_controls(reply, press, place) for place in range(len(reply.papers))] if listed else []
        start = reply.command in _STARTS
        searched = reply.command == "search"
        return Frame(
            cards=tuple([tuple([await self._key(one) for one in row]) for row in rows]),
            row=tuple([await self._key(self._of_whom(one) if listed else one) for one in own]),
            here=await self.block_ids.encode(press),
            filters=start,
            finder=start,
            menu=(("Search with filters", FILTERS), ("What you can type", "help")) if searched else (),
        )

    def _of_whom(self, control: Control) -> Control:
        """Under a list whose papers have such buttons of their own, a button about another paper says which."""
        paper = self._dispatcher.library.corpus.get(str(control.press.call.arguments.get("paper", "")))
        if paper is None or control.press.verb != "open" or control.label == "Back":
            return control
        return replace(control, label=f"{control.label} of {paper.handle}")

    async def _key(self, control: Control) -> Key:
        return Key(control.label, await self.buttons.encode(control.press), control.primary)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackSurface:
    """What every way of answering has in common. `pressed_in` is the time stamp of the message that was pressed in."""

    outbox: Outbox
    painter: Painter
    user: User
    channel: ChannelRef
    event: str = ""
    pressed_in: str = ""

    @property
    def shareable(self) -> bool:
        """Whether there is a channel of others."""
        return False

    @property
    def aside(self) -> "SlackSurface | None":
        """Only the one person sees the answer."""
        return None

    async def show(self, answer: Answer) -> None:
        """Show an answer, its files handed over where only the one person sees it."""
        reply = answer.reply
        if not answer.owner:
            may = self.painter.section.files
            reply = await handed_over(reply, self.user.id, self.channel.channel, self.outbox, may=may)
        await self.put(reply, await self.painter.frame(answer))

    async def tell(self, words: str) -> None:
        """A line for the person."""
        await self.put(remark(words).reply, Frame())

    async def put(self, reply: Reply, frame: Frame) -> None:
        """Show a reply. Raises RefusedError where Slack takes it nowhere."""
        raise NotImplementedError

    async def may_share(self) -> str | None:
        """Why this person may not share here, or the bot not post; None where both may."""
        client, place = self.outbox.client, self.channel.channel
        try:
            about = (await client.conversations_info(channel=place)).get("channel")
            about = about if isinstance(about, dict) else {}
            if about.get("is_archived"):
                return self._remedy("is_archived")
            if not about.get("is_member"):
                return self._remedy("not_in_channel")
            inside = await is_member(client, place, self.user.id)
        except SlackApiError as error:
            return self._remedy(code_of(error))
        if inside is None:
            return "This channel has too many members for me to see whether you are one, so I cannot share here."
        return None if inside else "Only members of this channel can share here. Join it first."

    async def share(self, answer: Answer) -> None:
        """Post an answer for all. Raises UserError where the channel refuses, with the remedy."""
        try:
            await self.outbox.post(self.channel.channel, message(answer.reply, await self.painter.frame(answer)))
        except RefusedError as error:
            raise UserError(self._remedy(error.code)) from error

    async def shared(self, answer: Answer) -> None:
        """The private answer stays as it is: the post beside it says enough."""

    async def take_back(self) -> None:
        """Delete the post that was pressed in. Raises UserError where Slack does not let the bot."""
        try:
            await self.outbox.delete(self.channel.channel, self.pressed_in)
        except RefusedError as error:
            raise UserError(self._remedy(error.code)) from error

    def _remedy(self, code: str) -> str:
        """What to do about a word of Slack's. Raises RefusedError for what a person can do nothing about."""
        words = remedy(code, self.painter.section.name)
        if words is None:
            raise RefusedError(code)
        return words


@dataclass(frozen=True, slots=True, kw_only=True)
class Ephemeral(SlackSurface):
    """For one person's eyes in a channel, by the address that came with what they did.

    `replaces` puts it in place of the private message they pressed in. Where that address has run out, a new private
    message is posted, and where the bot is no member, the answer goes to their direct messages.
    """

    url: str = ""
    thread: str | None = None
    replaces: bool = False

    @property
    def shareable(self) -> bool:
        """Direct messages have no others."""
        return not is_direct(self.channel.channel)

    async def tell(self, words: str) -> None:
        """A line beside what stands there."""
        await replace(self, replaces=False).put(remark(words).reply, Frame())

    async def put(self, reply: Reply, frame: Frame) -> None:
        """Show a reply to the one person."""
        try:
            if self.url:
                await self.outbox.respond(self.url, message(reply, frame), replace=self.replaces, thread=self.thread)
                return
        except RefusedError as error:
            if not error.too_old:
                raise
            logger.info("slack: an address to answer at had run out (%s)", error.code)
            reply = with_note(reply, _TOO_OLD) if self.replaces else reply
        await self._anew(reply, frame)

    async def _anew(self, reply: Reply, frame: Frame) -> None:
        place = self.channel.channel
        if is_direct(place):
            await self.outbox.post(place, message(reply, frame), self.thread)
            return
        try:
            await self.outbox.whisper(place, self.user.id, message(reply, frame), self.thread)
        except RefusedError as error:
            logger.info("slack: no private message in the channel (%s), sent to direct messages", error.code)
            await self.outbox.post(self.user.id, message(with_note(reply, _ELSEWHERE), frame))


@dataclass(frozen=True, slots=True, kw_only=True)
class Threaded(SlackSurface):
    """A message in a thread of a channel, which all see, or in direct messages, where there are no others."""

    thread: str | None = None

    @property
    def aside(self) -> SlackSurface | None:
        """In a channel, a private message in the same thread."""
        if is_direct(self.channel.channel):
            return None
        return Ephemeral(
            outbox=self.outbox, painter=self.painter, user=self.user, channel=self.channel, thread=self.thread
        )

    async def put(self, reply: Reply, frame: Frame) -> None:
        """Post a reply."""
        await self.outbox.post(self.channel.channel, message(reply, frame), self.thread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Modal(SlackSurface):
    """A modal: a new one, or in place of what the open one shows. Direct messages where it can no longer open."""

    trigger: str = ""
    view_id: str = ""

    async def put(self, reply: Reply, frame: Frame) -> None:
        """Show a reply in the modal."""
        try:
            if self.view_id:
                await self.outbox.update_view(self.view_id, dialog(reply, frame), plain_dialog(reply))
            else:
                await self.outbox.open_view(self.trigger, dialog(reply, frame), plain_dialog(reply))
        except RefusedError as error:
            logger.info("slack: the modal is gone (%s), sent to direct messages", error.code)
            await self.outbox.post(self.user.id, message(with_note(reply, _ELSEWHERE), frame))


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedModal(Modal):
    """The modal of a form that was just submitted: its answer is part of the acknowledgement if it comes in time."""

    acknowledgement: "Acknowledgement"

    async def put(self, reply: Reply, frame: Frame) -> None:
        """Show a reply in place of the form, or of the words that say that it is searched for."""
        if await self.acknowledgement.now(response_action="update", view=dialog(reply, frame)):
            return
        await asyncio.sleep(_AFTER_ACK)
        await Modal.put(self, reply, frame)


class Acknowledgement:
    """The acknowledgement of a submitted form, given once: with the answer, or soon without it."""

    def __init__(self, ack: Acknowledge) -> None:
        self._ack = ack
        self._given = False
        self._timer: asyncio.Task[None] | None = None

    async def soon(self) -> bool:
        """Begin to count; True, since more can be done."""
        self._timer = asyncio.create_task(self._after_a_while())
        return True

    async def _after_a_while(self) -> None:
        await asyncio.sleep(SOON)
        await self.now(response_action="update", view=waiting())

    async def now(self, **how: object) -> bool:
        """Acknowledge; False where that was done before."""
        if self._given:
            return False
        self._given = True
        if self._timer is not None and self._timer is not asyncio.current_task():
            self._timer.cancel()
        await self._ack(**how)
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Home(SlackSurface):
    """A request that no message answers: what fails there is in the log alone."""

    async def put(self, reply: Reply, frame: Frame) -> None:
        """Show nothing."""
