"""Everything that Slack can ask, on a Bolt app: one set of handlers, whether requests come over a socket or HTTP.

Each hands a request to the conversation, which acknowledges first. Nothing raises after an acknowledgement: within some
ten milliseconds Bolt would take it back.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

from aiohttp import ClientSession
from pydantic import TypeAdapter
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.actions import Action
from bot.adapters.conversation import FORGOTTEN, Conversation, Request, at_once, remark
from bot.adapters.slack.api import SlackClient, is_direct
from bot.adapters.slack.blocks import FILTERS, MORE, PAPER, PRESS, Json, option
from bot.adapters.slack.home import CHANGES, HOME, Homes
from bot.adapters.slack.manifest import RELATED
from bot.adapters.slack.payloads import (
    ENVELOPE,
    INTERACTION,
    SLASH,
    TYPING,
    BlockAction,
    InnerEvent,
    Interaction,
    View,
    first_words,
    typed,
)
from bot.adapters.slack.section import SlackSection
from bot.adapters.slack.surface import (
    Acknowledgement,
    ChromeMaker,
    Ephemeral,
    Home,
    Modal,
    SlackSurface,
    SubmittedModal,
    Threaded,
)
from bot.adapters.slack.views import OPTION, Origin, plain_dialog, search_form, submitted
from bot.adapters.suggest import Choice, Suggestions
from bot.commands.base import Command, Kind
from bot.corpus.references import MOST_READ, named_in
from bot.errors import RefusedError
from bot.message import Call, ChannelRef, User

logger = logging.getLogger(__name__)

T = TypeVar("T")

_ANYTHING = re.compile(".*", re.DOTALL)
_OURS = re.compile(rf"(?:{PRESS}|{PAPER}|{MORE}|{FILTERS})(?:\..*)?")

_NO_WORDS = "That message has no words to search for."
_ONCE_MORE = "That took too long for Slack. Action once more."


def _acknowledged(ack: AsyncAck) -> Callable[[], Awaitable[bool]]:
    async def acknowledge() -> bool:
        await ack()
        return True

    return acknowledge


def _read(kind: TypeAdapter[T], body: Json) -> Callable[[], T]:
    """What was sent, parsed once, when it is first looked at: after the acknowledgement."""
    return cache(lambda: kind.validate_python(body))


@dataclass(frozen=True, slots=True)
class Handlers:
    """Everything that Slack can ask, and who answers it."""

    conversation: Conversation
    chrome: ChromeMaker
    homes: Homes
    suggestions: Suggestions
    session: ClientSession
    library_logger: logging.Logger

    def register(self, app: AsyncApp, section: SlackSection) -> None:
        """Put the handlers on an app; what the section switches off is left out."""
        app.command(section.slash)(self._slash)
        if section.mentions:
            app.event("app_mention")(self._mention)
        if section.direct_messages:
            app.event("message")(self._message)
        if section.home:
            app.event("app_home_opened")(self._home)
        app.event("channel_id_changed")(self._moved)
        if section.shortcut:
            app.shortcut(RELATED)(self._shortcut)
        app.action(_OURS)(self._pressed)
        app.options(_ANYTHING)(self._typing)
        app.view(FILTERS)(self._submitted)
        # what an earlier or a later version knew, or nobody does: acknowledged, and told where there is somebody
        app.command(_ANYTHING)(self._unknown)
        app.shortcut(_ANYTHING)(self._unknown)
        app.action(_ANYTHING)(self._unknown)
        app.view(_ANYTHING)(self._unknown_view)
        app.event(_ANYTHING)(self._ignored)

    def _api(self, client: AsyncWebClient) -> SlackClient:
        return SlackClient(client, self.session, self.library_logger)

    async def _slash(self, ack: AsyncAck, body: Json, client: AsyncWebClient, context: AsyncBoltContext) -> None:
        """`/papers …`, answered for the one person, where they typed it."""
        slash = _read(SLASH, body)

        def surface() -> Ephemeral:
            return Ephemeral(
                api=self._api(client),
                chrome=self.chrome,
                user=User(slash().user_id),
                channel=ChannelRef("slack", workspace(context), slash().channel_id),
                event=slash().trigger_id,
                url=slash().response_url,
            )

        async def answer(place: Ephemeral) -> None:
            await self.conversation.asked(place, typed(slash().text))

        await self.conversation.take(Request("slash command", _acknowledged(ack), surface), answer)

    async def _mention(self, body: Json, client: AsyncWebClient, context: AsyncBoltContext) -> None:
        """`@Paperboy …`, answered in the thread of the message, for all."""
        await self._words("mention", body, client, context, lambda event: event.edited is None)

    async def _message(self, body: Json, client: AsyncWebClient, context: AsyncBoltContext) -> None:
        """A direct message, answered in place."""

        def ordinary(event: InnerEvent) -> bool:
            return event.channel_type == "im" and event.subtype in {None, "file_share"}

        await self._words("message", body, client, context, ordinary)

    async def _words(
        self,
        kind: str,
        body: Json,
        client: AsyncWebClient,
        context: AsyncBoltContext,
        meant: Callable[[InnerEvent], bool],
    ) -> None:
        envelope = _read(ENVELOPE, body)

        def surface() -> Threaded | None:
            event = envelope().event
            if not meant(event) or not event.user or event.bot_id:  # bots would answer each other for ever
                return None
            return Threaded(
                api=self._api(client),
                chrome=self.chrome,
                user=User(event.user),
                channel=ChannelRef("slack", workspace(context), event.channel),
                event=envelope().event_id,
                thread=event.thread_ts or (None if is_direct(event.channel) else event.ts),
            )

        async def answer(place: Threaded) -> None:
            await self.conversation.asked(place, typed(envelope().event.text))

        await self.conversation.take(Request(kind, at_once, surface), answer)

    async def _home(self, body: Json, client: AsyncWebClient, context: AsyncBoltContext) -> None:
        """Somebody opened their home: show it as it is today."""
        envelope = _read(ENVELOPE, body)

        def surface() -> Home | None:
            event = envelope().event
            if event.tab not in {"", HOME}:
                return None
            return Home(
                api=self._api(client),
                chrome=self.chrome,
                user=User(event.user),
                channel=ChannelRef("slack", workspace(context), HOME),
                event=envelope().event_id,
            )

        await self.conversation.take(Request("home", at_once, surface), self.homes.show)

    async def _shortcut(self, ack: AsyncAck, body: Json, client: AsyncWebClient, context: AsyncBoltContext) -> None:
        """Find related papers: those that a message links, else a search for its first words; for the one person."""
        shortcut = _read(INTERACTION, body)

        def surface() -> Ephemeral:
            return Ephemeral(
                api=self._api(client),
                chrome=self.chrome,
                user=User(shortcut().user.id),
                channel=_channel(shortcut(), context),
                event=shortcut().trigger_id,
                url=shortcut().response_url,
                thread=shortcut().thread,
            )

        async def answer(place: Ephemeral) -> None:
            message = shortcut().message
            said = typed(message.text[:MOST_READ]) if message else ""
            papers, _ = named_in(said, self.conversation.dispatcher.library.corpus)
            words = said if papers else first_words(message.text if message else "")
            if words:
                await self.conversation.opened(place, Action("open", Call("search", {"query": words})))
            else:
                await place.tell(_NO_WORDS)

        await self.conversation.take(Request("shortcut", _acknowledged(ack), surface), answer)

    async def _pressed(self, ack: AsyncAck, body: Json, client: AsyncWebClient, context: AsyncBoltContext) -> None:
        """A button or a menu was used."""
        pressed = _read(INTERACTION, body)

        async def answer(place: SlackSurface) -> None:
            used = pressed().actions[0]
            if used.action_id.startswith(FILTERS) or _chosen(used) == FILTERS:
                await self._open_form(pressed(), place)
                return
            action = await self._meant(used)
            posted = action.sharer if action is not None and action.verb == "open" else ""
            if action is not None and posted:  # a message of the bot's own accord: the answer is not part of it
                action = replace(action, sharer="")
            await self.conversation.pressed(place, action)
            # elsewhere no home is in sight, and it is drawn anew when it is opened
            if action and pressed().view is not None and action.call.command in CHANGES and self.chrome.section.home:
                await self.homes.show(place)
            if posted and place.pressed_in:
                await self.conversation.heard("confirmation", lambda: self._seen(posted, place.pressed_in))

        def surface() -> SlackSurface | None:
            return self._place(pressed(), self._api(client), context) if pressed().actions else None

        await self.conversation.take(Request("button", _acknowledged(ack), surface), answer)

    async def _seen(self, key: str, message: str) -> None:
        """What was pressed in was posted: that is known even where no history may be read."""
        storage = self.conversation.dispatcher.storage
        if storage is not None and await storage.ledger.seen(key, message):
            logger.info("slack: posting %s is confirmed by a press", key)

    def _place(self, interaction: Interaction, api: SlackClient, context: AsyncBoltContext) -> SlackSurface:
        """Where the answer to an interaction goes.

        In a modal: in its place. At home: into a new one. In a message of one's own: in its place. In a post that all
        see: beside it, privately.
        """
        user, channel, event = User(interaction.user.id), _channel(interaction, context), interaction.trigger_id
        view = interaction.view
        if view is not None:
            inside = view.type == "modal"
            return Modal(
                api=api,
                chrome=self.chrome,
                user=user,
                channel=channel,
                event=event,
                trigger="" if inside else event,
                view_id=view.id if inside else "",
            )
        return Ephemeral(
            api=api,
            chrome=self.chrome,
            user=user,
            channel=channel,
            event=event,
            pressed_in=interaction.container.message_ts or (interaction.message.ts if interaction.message else ""),
            url=interaction.response_url,
            thread=interaction.thread,
            replaces=interaction.container.is_ephemeral or is_direct(channel.channel),
        )

    async def _meant(self, used: BlockAction) -> Action | None:
        """What an element does: a button says it itself, a menu adds its choice to where it stands."""
        if used.action_id.startswith(PRESS):
            return await self.chrome.buttons.decode(used.value)
        here, chosen = await self.chrome.block_ids.decode(used.block_id), _chosen(used)
        if here is None or not chosen:
            return None
        if used.action_id.startswith(PAPER):
            return here.onward(Call("tldr", {"paper": chosen}))
        if used.action_id.startswith(MORE):
            return here.onward(Call(chosen))
        return None

    async def _open_form(self, interaction: Interaction, place: SlackSurface) -> None:
        form = search_form(self._search, _origin(interaction))
        plain = form  # every field of it is fixed, so there is nothing that Slack could refuse
        try:
            if interaction.view is not None and interaction.view.type == "modal":
                await place.api.update_view(interaction.view.id, form, plain)
            else:
                await place.api.open_view(interaction.trigger_id, form, plain)
        except RefusedError as error:
            if not error.too_old:
                raise
            await place.tell(_ONCE_MORE)

    async def _submitted(self, ack: AsyncAck, body: Json, client: AsyncWebClient, context: AsyncBoltContext) -> None:
        """The search with filters was submitted; its answer may be part of the acknowledgement."""
        given = Acknowledgement(ack)

        form = _read(INTERACTION, body)

        async def acknowledge() -> bool:
            """At once where the form closes or has a mistake; soon where the answer may come in its place."""
            view = form().view or View()
            origin = Origin.from_text(view.private_metadata)
            _, wrong = submitted(self._search, view.state)
            if wrong:
                await given.now(response_action="errors", errors=wrong)
                return False
            if origin.url or origin.channel:
                return await given.now()
            return await given.soon()

        def surface() -> SlackSurface:
            interaction = form()
            view = interaction.view or View()
            origin = Origin.from_text(view.private_metadata)
            api, user = self._api(client), User(interaction.user.id)
            if origin.url or origin.channel:
                return Ephemeral(
                    api=api,
                    chrome=self.chrome,
                    user=user,
                    channel=ChannelRef("slack", workspace(context), origin.channel),
                    event=interaction.trigger_id,
                    url=origin.url,
                    thread=origin.thread,
                )
            return SubmittedModal(
                api=api,
                chrome=self.chrome,
                user=user,
                channel=ChannelRef("slack", workspace(context), HOME),
                event=interaction.trigger_id,
                view_id=view.id,
                acknowledgement=given,
            )

        async def answer(place: SlackSurface) -> None:
            call, _ = submitted(self._search, (form().view or View()).state)
            await self.conversation.opened(place, Action("open", call))

        await self.conversation.take(Request("form", acknowledge, surface), answer)
        await given.now()  # it came again, or failed before, and said so

    @property
    def _search(self) -> Command:
        command = self.conversation.dispatcher.commands.get("search")
        assert command is not None
        return command

    async def _typing(self, ack: AsyncAck, body: Json) -> None:
        """Choices for what is typed in a menu; none where anything is wrong, since a menu has no place for words."""
        choices: list[Choice] = []
        try:
            typing = TYPING.validate_python(body)
            element, _, kind = typing.action_id.partition(".")
            library = self.conversation.dispatcher.library
            if element in {PAPER, OPTION}:
                wanted = Kind.PAPER if element == PAPER else Kind(kind)
                choices = await asyncio.to_thread(self.suggestions.choices, wanted, typing.value, library)
        except Exception as error:  # noqa: BLE001 - the boundary, as the conversation is elsewhere
            logger.error("slack: no choices for a menu: %s", type(error).__name__)  # noqa: TRY400 - not what was typed
        await ack(options=[option(label, value) for label, value in choices])

    async def _unknown(self, ack: AsyncAck, body: Json, client: AsyncWebClient, context: AsyncBoltContext) -> None:
        if body.get("type") is None:
            await ack()
            logger.warning("slack: a slash command arrived that is not `slack.command`")
            return

        interaction = _read(INTERACTION, body)

        def surface() -> SlackSurface:
            return self._place(interaction(), self._api(client), context)

        async def answer(place: SlackSurface) -> None:
            await self.conversation.pressed(place, None)

        await self.conversation.take(Request("unknown element", _acknowledged(ack), surface), answer)

    async def _unknown_view(self, ack: AsyncAck) -> None:
        await ack(response_action="update", view=plain_dialog(remark(FORGOTTEN).reply))

    async def _moved(self, body: Json, context: AsyncBoltContext) -> None:
        """A private channel was shared with another organisation: it has another id from now on."""

        async def move() -> None:
            event = ENVELOPE.validate_python(body).event
            storage = self.conversation.dispatcher.storage
            if storage is None or not event.old_channel_id or not event.new_channel_id:
                return
            before = ChannelRef("slack", workspace(context), event.old_channel_id)
            moved = await storage.move_channel(before, event.new_channel_id)
            logger.info("slack: channel %s has the id %s now", before.channel, event.new_channel_id)
            for name in filter(None, moved):
                words = "slack: the config's digest %s names channel %s, which has the id %s now: write that"
                logger.warning(words, name, before.channel, event.new_channel_id)

        await self.conversation.heard("moved channel", move)

    async def _ignored(self) -> None:
        """Acknowledged, and nothing more: Slack would send it again."""


def workspace(context: AsyncBoltContext) -> str:
    """The workspace that the app was authorised for: what a request says of itself may be somebody else's.

    In channels that organisations share, and in buttons there, the team of a request is that of the person.
    """
    known = context.authorize_result
    return (known and known.team_id) or context.team_id or (known and known.enterprise_id) or ""


def _channel(interaction: Interaction, context: AsyncBoltContext) -> ChannelRef:
    where = interaction.channel.id if interaction.channel and interaction.view is None else HOME
    return ChannelRef("slack", workspace(context), where)


def _origin(interaction: Interaction) -> Origin:
    if interaction.view is not None or interaction.channel is None:
        return Origin()
    return Origin(interaction.response_url, interaction.channel.id, interaction.thread)


def _chosen(used: BlockAction) -> str:
    return used.selected_option.value if used.selected_option else ""
