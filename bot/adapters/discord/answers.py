"""From an interaction to its answer: claimed once, acknowledged at once, the reply edited in."""

import asyncio
import io
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import discord
from sqlalchemy.exc import SQLAlchemyError

from bot.adapters.discord.buttons import Buttons
from bot.adapters.discord.escape import escaped
from bot.adapters.discord.flight import Flight
from bot.adapters.discord.render import MOST_CONTENT, Frame, Message, message
from bot.adapters.discord.section import DiscordSection
from bot.adapters.discord.sharing import may_share, post, refused
from bot.adapters.discord.wire import NOBODY, Rows, again, embeds
from bot.adapters.presses import Press, personal, settled
from bot.message import Call, ChannelRef, Reply, User
from bot.richtext import Paragraph, said
from bot.services import Services
from bot.text import cut

logger = logging.getLogger(__name__)

Interaction = discord.Interaction[discord.Client]

CLAIM_SECONDS = 1.0
"""A store that takes longer must not make the acknowledgement late. Discord takes only one for an interaction, so that
two replicas that both go on still give one answer."""

_UNKNOWN, _ANSWERED, _TOKEN_GONE = 10062, 40060, 50027
"""Discord's codes: the three seconds are over, somebody acknowledged it before, the 15 minutes are over."""

_FORGOTTEN = "This button is too old: what it did is no longer kept. Ask again with /papers."


class Answers:
    """Answers commands and presses of one connection."""

    def __init__(self, services: Services, section: DiscordSection, *, log_queries: bool) -> None:
        self._services = services
        self._section = section
        self._log_queries = log_queries
        self.buttons = Buttons(services.presses)
        self.flight = Flight()
        self._claims: set[asyncio.Task[bool]] = set()

    async def command(self, interaction: Interaction, call: Call) -> None:
        """Answer a slash command, privately."""
        self._note(interaction, call.command, call)
        await self._guarded(interaction, lambda: self._open(interaction, Press("open", call)), thinking=True)

    async def press(self, interaction: Interaction, custom_id: str, values: Sequence[str]) -> None:
        """Answer a button or a choice of a menu: in place of the private message, or privately beside a public one."""
        private = interaction.message is not None and interaction.message.flags.ephemeral

        async def answer() -> None:
            press = await self.buttons.pressed(custom_id, values, private=private)
            if press is None:
                await self._beside(interaction, _FORGOTTEN, private=private)
                return
            self._note(interaction, f"{press.verb} {press.call.command}", press.call)
            match press.verb:
                case "open":
                    await self._open(interaction, press)
                case "share":
                    await self._share(interaction, press)
                case "unshare":
                    await self._unshare(interaction, press)

        await self._guarded(interaction, answer, thinking=not private)

    async def tell(self, interaction: Interaction, words: str) -> None:
        """Answer with one line of ours."""
        await self._guarded(interaction, lambda: self._say(interaction, words), thinking=True)

    def _note(self, interaction: Interaction, name: str, call: Call) -> None:
        if self._log_queries:
            logger.info("interaction %s: %s %r", interaction.id, name, dict(call.arguments))
        else:
            logger.info("interaction %s: %s", interaction.id, name)

    async def _guarded(
        self, interaction: Interaction, answer: Callable[[], Awaitable[None]], *, thinking: bool
    ) -> None:
        """Claim, acknowledge, answer; whatever fails in the answer becomes one line with a reference."""
        with self.flight as taken:
            if not taken or not await self._claimed(interaction):
                return
            if not await self._acknowledged(interaction, thinking=thinking):
                return
            try:
                await answer()
            except discord.HTTPException as error:
                if error.status in {401, 404} or error.code == _TOKEN_GONE:
                    logger.warning("interaction %s: its message or token is gone (%s)", interaction.id, error.code)
                else:
                    await self._apologise(interaction, error)
            except Exception as error:  # noqa: BLE001 - logged there; one failing answer never stops another
                await self._apologise(interaction, error)

    async def _claimed(self, interaction: Interaction) -> bool:
        claim = asyncio.create_task(
            self._services.inbound.claim("discord", str(interaction.guild_id or ""), str(interaction.id))
        )
        self._claims.add(claim)  # not cancelled when it is late: a write is better finished
        claim.add_done_callback(self._claims.discard)
        done, _ = await asyncio.wait({claim}, timeout=CLAIM_SECONDS)
        try:
            return claim.result() if done else self._unsure(interaction, "late")
        except SQLAlchemyError as error:
            return self._unsure(interaction, type(error).__name__)

    def _unsure(self, interaction: Interaction, reason: str) -> bool:
        logger.warning("interaction %s: the store did not say whether it is new (%s)", interaction.id, reason)
        return True

    async def _acknowledged(self, interaction: Interaction, *, thinking: bool) -> bool:
        """Tell Discord at once that an answer comes: a private one, or one in place of the message pressed."""
        tried = False

        async def defer() -> None:
            nonlocal tried
            repeated, tried = tried, True
            try:
                await interaction.response.defer(ephemeral=thinking, thinking=thinking)
            except discord.HTTPException as error:
                if not (repeated and error.code == _ANSWERED):  # then the first try did arrive
                    raise

        try:
            await again(defer)
        except discord.HTTPException as error:
            reason = {_UNKNOWN: "too late", _ANSWERED: "answered elsewhere"}.get(error.code, f"code {error.code}")
            logger.warning("interaction %s could not be acknowledged: %s", interaction.id, reason)
            return False
        except Exception:
            logger.exception("interaction %s could not be acknowledged", interaction.id)
            return False
        return True

    async def _open(self, interaction: Interaction, press: Press, note: str = "") -> None:
        reply = await self._reply(interaction, press)
        commands = self._services.dispatcher.commands
        press = settled(press, reply, commands)
        here = self._section.share and interaction.guild_id is not None and not note
        share = here and not personal(press.call, commands)
        frame = await self.buttons.private(reply, press, share=share, note=note)
        await self._edit(interaction, message(reply, frame), reply)

    async def _reply(self, interaction: Interaction, press: Press) -> Reply:
        channel = ChannelRef("discord", str(interaction.guild_id or ""), str(interaction.channel_id or ""))
        return await self._services.dispatcher.call(press.call, User(str(interaction.user.id)), channel)

    async def _edit(self, interaction: Interaction, shown: Message, reply: Reply) -> None:
        """Put a message in place of what the person sees. Where Discord rejects it, its plain text stands in."""
        files = [(entry.name, entry.content) for entry in reply.attachments]

        async def edit() -> None:
            await interaction.edit_original_response(
                content=None,
                embeds=embeds(shown),
                view=Rows(shown.rows),
                attachments=[discord.File(io.BytesIO(content), name) for name, content in files],
                allowed_mentions=NOBODY,
            )

        try:
            await again(edit)
        except discord.HTTPException as error:
            if error.status != 400 or error.code == _TOKEN_GONE:
                raise
            logger.error("interaction %s: Discord rejected a message (%s)", interaction.id, error.code)  # noqa: TRY400 - the error's text may hold the answer
            await self._say(interaction, reply.text)

    async def _say(self, interaction: Interaction, words: str) -> None:
        lines = "\n".join(escaped(line) for line in words[: MOST_CONTENT // 2].split("\n"))
        await again(
            lambda: interaction.edit_original_response(
                content=cut(lines, MOST_CONTENT), embeds=[], view=None, attachments=[], allowed_mentions=NOBODY
            )
        )

    async def _beside(self, interaction: Interaction, words: str, *, private: bool) -> None:
        """One line beside a private answer, which stays; or in the private answer to a press on a public post."""
        if private:
            await interaction.followup.send(escaped(words), ephemeral=True, allowed_mentions=NOBODY)
        else:
            await self._say(interaction, words)

    async def _apologise(self, interaction: Interaction, error: Exception) -> None:
        reference = secrets.token_hex(4)
        known = {"reference": reference}
        logger.error("interaction %s failed, reference %s", interaction.id, reference, exc_info=error, extra=known)
        words = f"Something went wrong here, and it is not your fault. Reference: {reference}"
        try:
            reply = Reply("error", (Paragraph(said(words)),))
            await self._edit(interaction, message(reply, Frame()), reply)
        except Exception:
            logger.exception("interaction %s: the person could not be told", interaction.id)

    async def _share(self, interaction: Interaction, press: Press) -> None:
        lacking = may_share(interaction)
        if lacking:
            await self._beside(interaction, lacking, private=True)
            return
        reply = await self._reply(interaction, press)
        sharer = str(interaction.user.id)
        frame = await self.buttons.shared(reply, press.call, sharer)
        try:
            await post(interaction, message(reply, frame))
        except discord.Forbidden as error:
            await self._beside(interaction, refused(error), private=True)
            return
        await self._open(interaction, replace(press, verb="open"), note="Shared with this channel.")

    async def _unshare(self, interaction: Interaction, press: Press) -> None:
        if str(interaction.user.id) != press.sharer:
            await self._say(interaction, "Only the person who shared this can delete it.")
            return
        if interaction.message is not None and interaction.channel_id is not None:
            place = interaction.client.get_partial_messageable(interaction.channel_id, guild_id=interaction.guild_id)
            try:
                await again(place.get_partial_message(interaction.message.id).delete)
            except discord.NotFound:
                logger.info("interaction %s: the post was gone already", interaction.id)
        await interaction.delete_original_response()
