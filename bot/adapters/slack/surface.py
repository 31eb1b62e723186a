"""Where an answer goes in Slack: privately by a message or in its place, into a thread, direct messages or a modal."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackRequestError

from bot.adapters.actions import (
    Action,
    ActionButton,
    ActionCodec,
    RenderedButton,
    controls,
    paper_buttons_of,
    shared_buttons,
)
from bot.adapters.conversation import Answer, remark
from bot.adapters.services import Services
from bot.adapters.slack.api import CONTENT, SlackClient, code_of, is_direct
from bot.adapters.slack.blocks import FILTERS, FULL_CARDS, SlackChrome, message
from bot.adapters.slack.permissions import is_member, remedy
from bot.adapters.slack.section import SlackSection
from bot.adapters.slack.views import dialog, plain_dialog, waiting
from bot.commands.dispatch import with_note
from bot.errors import RefusedError, UserError
from bot.message import ChannelRef, Reply, User
from bot.richtext import Paragraph, said
from bot.store.inbound import PromptActions

logger = logging.getLogger(__name__)


_REFUSED = frozenset({"missing_scope", "no_permission", "access_denied", "not_allowed_token_type"})


async def handed_over(reply: Reply, person: str, channel: str, api: SlackClient, *, may: bool) -> Reply:
    """Upload a reply's files for the person; gives the reply with a line that says where they are.

    `channel` is where they asked. `may` is whether the config lets the bot send files; where it does not, and where
    Slack does not take them, the reply's own text stands in, and says so.
    """
    if not reply.attachments or reply.error is not None:
        return reply
    if not may:
        return with_note(_without(reply), "Files are switched off here, so this is the text.")
    names = ", ".join(entry.name for entry in reply.attachments)
    direct = is_direct(channel)
    try:
        place = channel if direct else await _direct_messages(person, names, api)
        for entry in reply.attachments:
            await api.client.files_upload_v2(channel=place, filename=entry.name, content=entry.content)
    except (SlackApiError, RefusedError) as error:
        code = error.code if isinstance(error, RefusedError) else code_of(error)
        logger.warning("slack: a file could not be handed over: %s", code)
        if code in _REFUSED:
            why = "I may not send files in this workspace (the scope files:write is lacking), so this is the text."
            return with_note(_without(reply), why)
    except (SlackRequestError, ClientError, TimeoutError, OSError) as error:
        logger.warning("slack: a file could not be handed over: %s", type(error).__name__)
    else:
        return with_note(_without(reply), f"{names} is {'below' if direct else 'in your direct messages with me'}.")
    return with_note(_without(reply), "The file could not be sent just now, so this is the text.")


def _without(reply: Reply) -> Reply:
    return replace(reply, attachments=())


async def _direct_messages(person: str, names: str, api: SlackClient) -> str:
    """Announce files to a person, which opens their direct messages; gives that channel."""
    words = Reply("file", (Paragraph(said(f"What you asked for: {names}")),))
    return await api.post(person, message(words, SlackChrome()))


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


def _why_elsewhere(error: RefusedError, name: str) -> str:
    """The same with what is in the way, where a person there can do something about it."""
    words = remedy(error.code, name)
    return f"{_ELSEWHERE} {words}" if words else _ELSEWHERE


Acknowledge = Callable[..., Awaitable[object]]


class ChromeMaker:
    """Draws what stands around the answers of one connection."""

    def __init__(self, services: Services, section: SlackSection) -> None:
        self.section = section
        keeper = PromptActions(services.actions, services.writes)
        self.buttons = ActionCodec(keeper, _BUTTON)
        self.block_ids = ActionCodec(keeper, _BLOCK_ID)
        self._dispatcher = services.dispatcher

    async def frame(self, answer: Answer) -> SlackChrome:
        """What stands around an answer: for one person, or for all, where everything opens privately."""
        reply, action = answer.reply, answer.action
        if not answer.owner:
            return await self._frame(reply, action, list(controls(reply, action, may_share=answer.may_share)))
        action = Action("open", action.call)
        own = list(shared_buttons(reply, action.call, answer.owner))
        if len(reply.papers) != 1:
            own[:0] = [
                ActionButton(button.label, Action("open", button.call), button.primary) for button in reply.buttons
            ]
        frame = await self._frame(reply, action, own)
        return replace(frame, sharer=answer.owner) if answer.shared else frame

    async def _frame(self, reply: Reply, action: Action, own: list[ActionButton]) -> SlackChrome:
        listed = reply.listed and reply.error is None and len(reply.papers) <= FULL_CARDS
        rows = [paper_buttons_of(reply, action, place) for place in range(len(reply.papers))] if listed else []
        start = reply.command in _STARTS
        searched = reply.command == "search"
        return SlackChrome(
            cards=tuple([tuple([await self._key(one) for one in row]) for row in rows]),
            row=tuple([await self._key(self._of_whom(one) if listed else one) for one in own]),
            here=await self.block_ids.encode(action),
            filters=start,
            finder=start,
            menu=(("Search with filters", FILTERS), ("What you can type", "help")) if searched else (),
        )

    def _of_whom(self, control: ActionButton) -> ActionButton:
        """Under a list whose papers have such buttons of their own, a button about another paper says which."""
        paper = self._dispatcher.library.corpus.get(str(control.action.call.arguments.get("paper", "")))
        if paper is None or control.action.verb != "open" or control.label == "Back":
            return control
        return replace(control, label=f"{control.label} of {paper.handle}")

    async def _key(self, control: ActionButton) -> RenderedButton:
        return RenderedButton(control.label, await self.buttons.encode(control.action), control.primary)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackSurface:
    """What every way of answering has in common. `pressed_in` is the time stamp of the message that was pressed in."""

    api: SlackClient
    chrome: ChromeMaker
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
            may = self.chrome.section.files
            reply = await handed_over(reply, self.user.id, self.channel.channel, self.api, may=may)
        await self.put(reply, await self.chrome.frame(answer))

    async def tell(self, words: str) -> None:
        """A line for the person."""
        await self.put(remark(words).reply, SlackChrome())

    async def put(self, reply: Reply, frame: SlackChrome) -> None:
        """Show a reply. Raises RefusedError where Slack takes it nowhere."""
        raise NotImplementedError

    async def may_share(self) -> str | None:
        """Why this person may not share here, or the bot not post; None where both may."""
        client, place = self.api.client, self.channel.channel
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
            await self.api.post(self.channel.channel, message(answer.reply, await self.chrome.frame(answer)))
        except RefusedError as error:
            raise UserError(self._remedy(error.code)) from error

    async def shared(self, answer: Answer) -> None:
        """The private answer stays as it is: the post beside it says enough."""

    async def take_back(self) -> None:
        """Delete the post that was pressed in. Raises UserError where Slack does not let the bot."""
        try:
            await self.api.delete(self.channel.channel, self.pressed_in)
        except RefusedError as error:
            raise UserError(self._remedy(error.code)) from error

    def _remedy(self, code: str) -> str:
        """What to do about a word of Slack's. Raises RefusedError for what a person can do nothing about."""
        words = remedy(code, self.chrome.section.name)
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
        await replace(self, replaces=False).put(remark(words).reply, SlackChrome())

    async def put(self, reply: Reply, frame: SlackChrome) -> None:
        """Show a reply to the one person."""
        try:
            if self.url:
                await self.api.respond(self.url, message(reply, frame), replace=self.replaces, thread=self.thread)
                return
        except RefusedError as error:
            if error.code in CONTENT:  # it is the answer, and not the way to it
                raise
            logger.info("slack: an address to answer at cannot be used (%s)", error.code)
            reply = with_note(reply, _TOO_OLD) if self.replaces and error.too_old else reply
        await self._anew(reply, frame)

    async def _anew(self, reply: Reply, frame: SlackChrome) -> None:
        place = self.channel.channel
        if is_direct(place):
            await self.api.post(place, message(reply, frame), self.thread)
            return
        try:
            await self.api.whisper(place, self.user.id, message(reply, frame), self.thread)
        except RefusedError as error:
            if error.code in CONTENT:
                raise
            logger.info("slack: no private message in the channel (%s), sent to direct messages", error.code)
            note = _why_elsewhere(error, self.chrome.section.name)
            await self.api.post(self.user.id, message(with_note(reply, note), frame))


@dataclass(frozen=True, slots=True, kw_only=True)
class Threaded(SlackSurface):
    """A message in a thread of a channel, which all see, or in direct messages, where there are no others."""

    thread: str | None = None

    @property
    def aside(self) -> SlackSurface | None:
        """In a channel, a private message in the same thread."""
        if is_direct(self.channel.channel):
            return None
        return Ephemeral(api=self.api, chrome=self.chrome, user=self.user, channel=self.channel, thread=self.thread)

    async def put(self, reply: Reply, frame: SlackChrome) -> None:
        """Post a reply; where Slack takes it not from the bot there, to the one person alone, and why."""
        try:
            await self.api.post(self.channel.channel, message(reply, frame), self.thread)
        except RefusedError as error:
            if error.code in CONTENT or not isinstance(aside := self.aside, Ephemeral):
                raise
            words = remedy(error.code, self.chrome.section.name) or f"Slack refuses ({error.code})."
            logger.info("slack: no answer for all in a channel (%s), shown to who asked", error.code)
            await aside.put(with_note(reply, f"I could not answer for all. {words}"), frame)


@dataclass(frozen=True, slots=True, kw_only=True)
class Modal(SlackSurface):
    """A modal: a new one, or in place of what the open one shows. Direct messages where it can no longer open."""

    trigger: str = ""
    view_id: str = ""

    async def put(self, reply: Reply, frame: SlackChrome) -> None:
        """Show a reply in the modal."""
        try:
            if self.view_id:
                await self.api.update_view(self.view_id, dialog(reply, frame), plain_dialog(reply))
            else:
                await self.api.open_view(self.trigger, dialog(reply, frame), plain_dialog(reply))
        except RefusedError as error:
            logger.info("slack: the modal is gone (%s), sent to direct messages", error.code)
            await self.api.post(self.user.id, message(with_note(reply, _ELSEWHERE), frame))


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedModal(Modal):
    """The modal of a form that was just submitted: its answer is part of the acknowledgement if it comes in time."""

    acknowledgement: "Acknowledgement"

    async def put(self, reply: Reply, frame: SlackChrome) -> None:
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

    async def put(self, reply: Reply, frame: SlackChrome) -> None:
        """Show nothing."""
