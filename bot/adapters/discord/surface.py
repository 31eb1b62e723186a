"""How an interaction is answered in Discord: the private message edited in, or a post that everyone sees."""

import asyncio
import io
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import aiohttp
import discord

from bot.adapters.actions import (
    Action,
    ActionButton,
    ActionCodec,
    ActionKeeper,
    RenderedButton,
    controls,
    shared_buttons,
)
from bot.adapters.conversation import Answer
from bot.adapters.discord.markdown import escaped
from bot.adapters.discord.message import (
    MOST_CONTENT,
    NOBODY,
    DiscordChrome,
    DiscordMessage,
    Rows,
    again,
    embeds,
    message,
)
from bot.adapters.discord.permissions import NAMES
from bot.errors import RefusedError, UnansweredError, UserError
from bot.message import Call, ChannelRef, Reply, User
from bot.text import cut

logger = logging.getLogger(__name__)

Interaction = discord.Interaction[discord.Client]

LONGEST = 100
"""Characters of a `custom_id`."""

_MENU = "pls:"
_PREFIX = len(_MENU)
"""`p00:` to `p24:` for buttons, which makes them unique in a message, and `pls:` for the menu of papers."""

_UNKNOWN, _ANSWERED, _TOKEN_GONE = 10062, 40060, 50027
"""Discord's codes: the three seconds are over, somebody acknowledged it before, the 15 minutes are over."""

_MISSING_ACCESS = 50001


class Buttons:
    """What buttons and menus carry: presses, in full or by a key of the store, so that they outlive restarts."""

    def __init__(self, keeper: ActionKeeper) -> None:
        self._codec = ActionCodec(keeper, LONGEST - _PREFIX)

    async def frame(self, answer: Answer) -> DiscordChrome:
        """What stands around an answer: for one person, or for all, where everything opens privately."""
        reply, action = answer.reply, answer.action
        if not answer.owner:
            keys = await self._keys(controls(reply, action, may_share=answer.may_share))
            return DiscordChrome(keys, await self._menu(reply, action), note=answer.note)
        keys = await self._keys(shared_buttons(reply, action.call, answer.owner))
        return DiscordChrome(keys, await self._menu(reply, Action("open", action.call)), sharer=answer.owner)

    async def posted(self, chosen: Sequence[ActionButton]) -> DiscordChrome:
        """What stands around a post of the bot's own accord: these buttons, numbered."""
        return DiscordChrome(await self._keys(chosen))

    async def _keys(self, chosen: Sequence[ActionButton]) -> tuple[RenderedButton, ...]:
        codes = await asyncio.gather(*(self._codec.encode(button.action) for button in chosen))
        numbered = enumerate(zip(chosen, codes, strict=True))
        return tuple(
            RenderedButton(control.label, f"p{place:02d}:{code}", control.primary)
            for place, (control, code) in numbered
        )

    async def _menu(self, reply: Reply, action: Action) -> str:
        return _MENU + await self._codec.encode(action) if reply.listed and reply.papers else ""

    async def pressed(self, custom_id: str, values: Sequence[str], *, private: bool) -> Action | None:
        """The press of a button, or of a choice of the menu; None where it is forgotten.

        From a private answer a choice leads on, with Back; from a public post it begins anew.
        """
        action = await self._codec.decode(custom_id[_PREFIX:])
        if action is None or not custom_id.startswith(_MENU):
            return action
        command, _, paper = (values[0] if values else "").partition(":")
        call = Call(command, {"paper": paper})
        return action.onward(call) if private else Action("open", call)


def ours(custom_id: str) -> bool:
    """Whether a button is one of these, and not of another part of the bot."""
    return custom_id.startswith(_MENU) or (
        custom_id[:1] == "p" and custom_id[1:3].isdigit() and custom_id[3:_PREFIX] == ":"
    )


@contextmanager
def _refusals() -> Iterator[None]:
    """Errors of Discord as RefusedErrors, and gone where the message or its token is."""
    try:
        yield
    except discord.HTTPException as error:
        gone = error.status in {401, 404} or error.code == _TOKEN_GONE
        raise RefusedError(str(error.code or error.status), gone=gone) from error


@contextmanager
def _doubts() -> Iterator[None]:
    """A post without an answer, after all tries, as an UnansweredError: one of them may have arrived."""
    try:
        yield
    except discord.DiscordServerError as error:
        raise UnansweredError(str(error.status)) from error
    except aiohttp.ClientConnectorError:
        raise  # nothing was sent, as far as is known
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise UnansweredError(type(error).__name__) from error


@dataclass(frozen=True, slots=True)
class DiscordSurface:
    """One interaction. `in_place` says that its answer replaces the private message that was pressed in."""

    interaction: Interaction
    buttons: Buttons
    in_place: bool = False

    @property
    def user(self) -> User:
        """Who asks."""
        return User(str(self.interaction.user.id))

    @property
    def channel(self) -> ChannelRef:
        """Where; without a workspace in direct messages."""
        interaction = self.interaction
        return ChannelRef("discord", str(interaction.guild_id or ""), str(interaction.channel_id or ""))

    @property
    def event(self) -> str:
        """The interaction's id."""
        return str(self.interaction.id)

    @property
    def shareable(self) -> bool:
        """Direct messages have no others."""
        return self.interaction.guild_id is not None

    @property
    def aside(self) -> None:
        """Only the one person sees the answer."""

    async def acknowledge(self) -> bool:
        """Tell Discord at once that an answer comes: a private one, or one in place of the message pressed."""
        tried = False

        async def defer() -> None:
            nonlocal tried
            repeated, tried = tried, True
            try:
                thinking = not self.in_place
                await self.interaction.response.defer(ephemeral=thinking, thinking=thinking)
            except discord.HTTPException as error:
                if not (repeated and error.code == _ANSWERED):  # then the first try did arrive
                    raise

        try:
            await again(defer)
        except discord.HTTPException as error:
            reason = {_UNKNOWN: "too late", _ANSWERED: "answered elsewhere"}.get(error.code, f"code {error.code}")
            logger.warning("interaction %s could not be acknowledged: %s", self.interaction.id, reason)
            return False
        except Exception:
            logger.exception("interaction %s could not be acknowledged", self.interaction.id)
            return False
        return True

    async def show(self, answer: Answer) -> None:
        """Put an answer in place of what the person sees. Where Discord rejects it, its plain text stands in."""
        shown = message(answer.reply, await self.buttons.frame(answer))
        files = [(entry.name, entry.content) for entry in answer.reply.attachments]

        async def edit() -> None:
            await self.interaction.edit_original_response(
                content=None,
                embeds=embeds(shown),
                view=Rows(shown.rows),
                attachments=[discord.File(io.BytesIO(content), name) for name, content in files],
                allowed_mentions=NOBODY,
            )

        with _refusals():
            try:
                await again(edit)
            except discord.HTTPException as error:
                if error.status != 400 or error.code == _TOKEN_GONE:
                    raise
                logger.error("interaction %s: Discord rejected a message (%s)", self.interaction.id, error.code)  # noqa: TRY400 - the error's text may hold the answer
                await self._say(answer.reply.text)

    async def _say(self, words: str) -> None:
        lines = "\n".join(escaped(line) for line in words[: MOST_CONTENT // 2].split("\n"))
        await again(
            lambda: self.interaction.edit_original_response(
                content=cut(lines, MOST_CONTENT), embeds=[], view=None, attachments=[], allowed_mentions=NOBODY
            )
        )

    async def tell(self, words: str) -> None:
        """One line beside a private answer, which stays; or in the private answer to a press on a public post."""
        with _refusals():
            if self.in_place:
                await self.interaction.followup.send(escaped(words), ephemeral=True, allowed_mentions=NOBODY)
            else:
                await self._say(words)

    async def may_share(self) -> str | None:
        """Why nothing may be posted here; None where it may.

        Discord tells with each interaction what the person and the bot may do in its channel.
        """
        interaction = self.interaction
        if interaction.guild_id is None:
            return "This is a direct message: nobody else would see it."
        threads = isinstance(interaction.channel, discord.Thread)
        send = "send_messages_in_threads" if threads else "send_messages"
        if lacking := _lacking(interaction.permissions, (send,)):
            return f"You may not post in this channel: you lack the permission {lacking}."
        if lacking := _lacking(interaction.app_permissions, ("view_channel", send, "embed_links")):
            return (
                f"I may not post in this channel: I lack the permission {lacking}. Somebody who manages it can give it."
            )
        return None

    async def share(self, answer: Answer) -> None:
        """Post for everyone. A nonce of this interaction makes a second try within minutes the same post.

        Raises UserError where the channel refuses though the permissions looked right.
        """
        shown: DiscordMessage = message(answer.reply, await self.buttons.frame(answer))
        interaction = self.interaction
        assert interaction.channel_id is not None
        place = interaction.client.get_partial_messageable(interaction.channel_id, guild_id=interaction.guild_id)
        with _refusals(), _doubts():
            try:
                await again(
                    lambda: place.send(
                        shown.content,
                        embeds=embeds(shown),
                        view=Rows(shown.rows),
                        nonce=self.event,
                        allowed_mentions=NOBODY,
                    )
                )
            except discord.Forbidden as error:
                raise UserError(_forbidden(error)) from error

    async def shared(self, answer: Answer) -> None:
        """Draw the private answer anew, with a line that says so."""
        await self.show(answer)

    async def take_back(self) -> None:
        """Delete the post that was pressed in, and the answer that was announced; a post that is gone is fine."""
        interaction = self.interaction
        with _refusals():
            if interaction.message is not None and interaction.channel_id is not None:
                place = interaction.client.get_partial_messageable(
                    interaction.channel_id, guild_id=interaction.guild_id
                )
                try:
                    await again(place.get_partial_message(interaction.message.id).delete)
                except discord.NotFound:
                    logger.info("interaction %s: the post was gone already", interaction.id)
            await interaction.delete_original_response()


def _lacking(permissions: discord.Permissions, needed: tuple[str, ...]) -> str:
    return ", ".join(NAMES[name] for name in needed if not getattr(permissions, name))


def _forbidden(error: discord.Forbidden) -> str:
    if error.code == _MISSING_ACCESS:
        return "I cannot see this channel: somebody who manages it can give me the permission View Channel."
    return "Discord refuses a post of mine here: somebody who manages this channel can give me Send Messages."
