"""What people press, choose and submit: buttons, menus, the search with filters."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot.adapters.presses import Press
from bot.adapters.slack.desk import Answer, Desk
from bot.adapters.slack.elements import Json
from bot.adapters.slack.files import handed_over
from bot.adapters.slack.gate import Asked, Gate, note
from bot.adapters.slack.home import CHANGES, HOME, Home
from bot.adapters.slack.inbound import Action, Interaction, View
from bot.adapters.slack.outbox import Outbox, RefusedError
from bot.adapters.slack.places import Dialog, Place, Whisper, is_direct
from bot.adapters.slack.render import FILTERS, MORE, PAPER, PRESS, Frame
from bot.adapters.slack.sharing import Sharing
from bot.adapters.slack.views import (
    Origin,
    dialog,
    plain_dialog,
    search_form,
    submitted,
    waiting,
)
from bot.commands.base import Command
from bot.message import Call, ChannelRef, User

logger = logging.getLogger(__name__)

_FORGOTTEN = (
    "This button is from long ago and I have forgotten what it did. Ask again, for example with `/papers help`."
)

SOON = 2.0
"""Seconds after which a submitted form shows that it is searched for; Slack waits 3."""

_AFTER_ACK = 0.5
"""Seconds until an acknowledgement has surely changed the modal that is changed again next."""

Acknowledge = Callable[..., Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Pressing:
    """Answers what people press."""

    desk: Desk
    gate: Gate
    name: str
    files: bool
    """Whether files may be sent."""
    home: Home | None
    """None where the config switches it off."""

    async def pressed(self, asked: Asked, interaction: Interaction, outbox: Outbox) -> None:
        """A button or a menu was used."""
        place = _place(interaction, outbox)
        asked.place = place
        if not interaction.actions or not await self.gate.first(interaction.workspace, interaction.trigger_id):
            return
        action = interaction.actions[0]
        if action.action_id.startswith(FILTERS) or _chosen(action) == FILTERS:
            await self._open_form(interaction, outbox, place)
            return
        press = await self._meant(action)
        if press is None:
            await _beside(place).show(note(_FORGOTTEN), Frame())
            return
        user, channel = User(interaction.user.id), _channel(interaction)
        logger.info("slack: %s of %s pressed by %s", press.verb, press.call.command, user.id)
        sharing = Sharing(self.desk, outbox, self.name)
        match press.verb:
            case "open":
                answer = await self.desk.open(press, user, channel)
                reply = await handed_over(answer.reply, user.id, channel.channel, outbox, may=self.files)
                await place.show(reply, await self.desk.private(answer, shareable=place.shareable))
                # elsewhere no home is in sight, and it is drawn anew when it is opened
                if self.home is not None and interaction.view is not None and press.call.command in CHANGES:
                    await self.home.show(user.id, interaction.workspace, outbox)
            case "share":
                await sharing.share(press, user, channel, _beside(place))
            case "unshare":
                ts = interaction.container.message_ts or (interaction.message.ts if interaction.message else "")
                await sharing.unshare(press, user, channel, ts, _beside(place))

    async def _meant(self, action: Action) -> Press | None:
        """What an element does: a button says it itself, a menu adds its choice to where it stands."""
        if action.action_id.startswith(PRESS):
            return await self.desk.buttons.decode(action.value)
        here, chosen = await self.desk.block_ids.decode(action.block_id), _chosen(action)
        if here is None or not chosen:
            return None
        if action.action_id.startswith(PAPER):
            return here.onward(Call("tldr", {"paper": chosen}))
        if action.action_id.startswith(MORE):
            return here.onward(Call(chosen))
        return None

    async def _open_form(self, interaction: Interaction, outbox: Outbox, place: Place) -> None:
        form = search_form(self._search, _origin(interaction))
        plain = form  # every field of it is fixed, so there is nothing that Slack could refuse
        try:
            if interaction.view is not None and interaction.view.type == "modal":
                await outbox.update_view(interaction.view.id, form, plain)
            else:
                await outbox.open_view(interaction.trigger_id, form, plain)
        except RefusedError as error:
            if not error.too_old:
                raise
            await _beside(place).show(note("That took too long for Slack. Press once more."), Frame())

    async def submit(self, asked: Asked, interaction: Interaction, outbox: Outbox, ack: Acknowledge) -> None:
        """The search with filters was submitted. Acknowledges by itself, since the answer may be part of that."""
        view = interaction.view or View()
        call, wrong = submitted(self._search, view.state)
        if wrong:
            await ack(response_action="errors", errors=wrong)
            return
        origin = Origin.from_text(view.private_metadata)
        user = User(interaction.user.id)
        if origin.url or origin.channel:
            await ack()
            place = Whisper(outbox, origin.url, origin.channel, user.id, origin.thread)
            asked.place = place
            if await self.gate.first(interaction.workspace, interaction.trigger_id):
                channel = ChannelRef("slack", interaction.workspace, origin.channel)
                answer = await self.desk.open(Press("open", call), user, channel)
                await place.show(answer.reply, await self.desk.private(answer, shareable=place.shareable))
            return
        asked.place = Dialog(outbox, user.id, view_id=view.id)
        await self._into_modal(interaction, call, ack, asked.place)

    async def _into_modal(self, interaction: Interaction, call: Call, ack: Acknowledge, place: Place) -> None:
        """The hits in place of the form, as part of the acknowledgement if they are there in time."""
        if not await self.gate.first(interaction.workspace, interaction.trigger_id):
            await ack()
            return
        user, channel = User(interaction.user.id), ChannelRef("slack", interaction.workspace, HOME)
        search = asyncio.ensure_future(self._framed(Press("open", call), user, channel))
        done, _ = await asyncio.wait({search}, timeout=SOON)
        if done:
            answer, frame = search.result()
            await ack(response_action="update", view=dialog(answer.reply, frame))
            return
        await ack(response_action="update", view=waiting())
        answer, frame = await search
        await asyncio.sleep(_AFTER_ACK)
        await place.show(answer.reply, frame)

    async def _framed(self, press: Press, user: User, channel: ChannelRef) -> tuple[Answer, Frame]:
        answer = await self.desk.open(press, user, channel)
        return answer, await self.desk.private(answer, shareable=False)

    @property
    def _search(self) -> Command:
        command = self.desk.dispatcher.commands.get("search")
        assert command is not None
        return command


def unknown(interaction: Interaction, outbox: Outbox) -> Place:
    """Where to say that nobody knows an element any more."""
    return _beside(_place(interaction, outbox))


def forgotten() -> tuple[str, Json]:
    """What to say then, as words and as a modal."""
    return _FORGOTTEN, plain_dialog(note(_FORGOTTEN))


def _place(interaction: Interaction, outbox: Outbox) -> Place:
    """Where the answer to an interaction goes.

    In a modal: in its place. At home: into a new one. In a message of one's own: in its place. In a post that all
    see: beside it, privately.
    """
    user = interaction.user.id
    if interaction.view is not None:
        if interaction.view.type == "modal":
            return Dialog(outbox, user, view_id=interaction.view.id)
        return Dialog(outbox, user, trigger=interaction.trigger_id)
    where = interaction.channel.id if interaction.channel else ""
    own = interaction.container.is_ephemeral or is_direct(where)
    return Whisper(outbox, interaction.response_url, where, user, interaction.thread, own)


def _beside(place: Place) -> Place:
    """The same place, but leaving what stands there."""
    return replace(place, replace=False) if isinstance(place, Whisper) else place


def _channel(interaction: Interaction) -> ChannelRef:
    where = interaction.channel.id if interaction.channel and interaction.view is None else HOME
    return ChannelRef("slack", interaction.workspace, where)


def _origin(interaction: Interaction) -> Origin:
    if interaction.view is not None or interaction.channel is None:
        return Origin()
    return Origin(interaction.response_url, interaction.channel.id, interaction.thread)


def _chosen(action: Action) -> str:
    return action.selected_option.value if action.selected_option else ""
