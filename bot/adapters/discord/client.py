"""The connection: discord.py's client with our commands, our buttons and the fewest intents."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import discord
from discord import app_commands

from bot.adapters.actions import Action
from bot.adapters.conversation import Conversation, Request
from bot.adapters.discord.message import NOBODY
from bot.adapters.discord.pace import Pace
from bot.adapters.discord.permissions import DiscordAccess
from bot.adapters.discord.posting import DiscordPoster
from bot.adapters.discord.registration import LONGEST_CHOICE, group_of, sync_commands
from bot.adapters.discord.section import DiscordSection
from bot.adapters.discord.surface import Buttons, DiscordSurface, Interaction, ours
from bot.adapters.services import Services, watched
from bot.adapters.suggest import Choice, Suggestions
from bot.commands.base import Kind
from bot.connections import Connection
from bot.message import Call
from bot.store.inbound import PromptActions

logger = logging.getLogger(__name__)


LONGEST_WAIT = 30.0
"""Seconds that a request may wait for a rate limit, the least that discord.py takes: what Discord puts off for longer
is the ledger's to try again, and no person's to wait for."""

INTENTS = discord.Intents.none()
"""Commands and presses come without any; nobody's messages do."""


class PapersTree(app_commands.CommandTree[discord.Client]):
    """Errors that are not a command's own: mostly clients that still show commands of an older version."""

    def __init__(self, client: "PapersClient") -> None:
        super().__init__(client)
        self._client = client

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Say what to do; a fault of ours is logged with its traceback."""
        outdated = isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch)
        if not outdated:
            logger.error("interaction %s failed", interaction.id, exc_info=error)
        if interaction.type is discord.InteractionType.application_command and not interaction.response.is_done():
            await self._client.tell(
                interaction,
                "This command has changed. Reload Discord (Ctrl+R, or restart the app) and try again."
                if outdated
                else f"Something went wrong here, and it is not your fault. Reference: {interaction.id}",
            )


class PapersClient(discord.Client):
    """One connection. `conversation` has what is in flight."""

    def __init__(self, services: Services, section: DiscordSection, *, log_queries: bool) -> None:
        self.conversation = Conversation(
            "discord", services.dispatcher, services.inbound, sharing=section.share, log_queries=log_queries
        )
        self.buttons = Buttons(PromptActions(services.actions, services.writes))
        self._services = services
        self._section = section
        commands = services.dispatcher.commands.at(section.offers)
        self._suggestions = Suggestions(commands, LONGEST_CHOICE)
        super().__init__(
            intents=INTENTS,
            allowed_mentions=NOBODY,
            max_messages=None,
            max_ratelimit_timeout=LONGEST_WAIT,
            http_trace=watched(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            enable_debug_events=False,
            shard_count=None if section.shards in {1, "auto"} else int(section.shards),
        )
        if self.http.http_trace is not None:
            Pace().over(self.http.http_trace)
        self.tree = PapersTree(self)
        group = group_of(commands, self._command, self._suggest)
        places = [discord.Object(guild) for guild in section.guilds]
        self.tree.add_command(group, guilds=places or discord.utils.MISSING)

    async def setup_hook(self) -> None:
        """Register the commands, after logging in and before connecting."""
        assert self.application_id is not None
        await sync_commands(self.tree, self._section.guilds, self._services.hashes, self.application_id)
        poster, gate = DiscordPoster(self, self.buttons), DiscordAccess(self, self._section)
        connection = Connection("discord", self._section.offers, self.stands, poster, gate, str(self.user or ""))
        self._services.connections.enter(connection)

    async def _suggest(self, kind: Kind, typed: str) -> list[Choice]:
        library = self._services.dispatcher.library
        return await asyncio.to_thread(self._suggestions.choices, kind, typed, library)

    async def on_interaction(self, interaction: Interaction) -> None:
        """Presses of buttons and menus, known by what they carry: messages of earlier runs work as well."""
        if interaction.type is discord.InteractionType.component:
            data = cast("dict[str, object]", interaction.data or {})
            custom_id = str(data.get("custom_id", ""))
            values = data.get("values")
            if ours(custom_id):
                chosen = [str(value) for value in values] if isinstance(values, list) else []
                await self._press(interaction, custom_id, chosen)

    async def _command(self, interaction: Interaction, call: Call) -> None:
        """Answer a slash command, privately."""

        async def answer(surface: DiscordSurface) -> None:
            self.conversation.note(dict(call.arguments))
            await self.conversation.opened(surface, Action("open", call))

        await self._take("slash command", interaction, answer)

    async def _press(self, interaction: Interaction, custom_id: str, values: Sequence[str]) -> None:
        """Answer a button or a choice of a menu: in place of the private message, or privately beside a public one."""

        async def answer(surface: DiscordSurface) -> None:
            action = await self.buttons.pressed(custom_id, values, private=surface.in_place)
            await self.conversation.pressed(surface, action)

        private = interaction.message is not None and interaction.message.flags.ephemeral
        await self._take("button", interaction, answer, in_place=private)

    async def tell(self, interaction: Interaction, words: str) -> None:
        """Answer with one line of ours."""
        await self._take("notice", interaction, lambda surface: surface.tell(words))

    async def _take(
        self,
        kind: str,
        interaction: Interaction,
        answer: Callable[[DiscordSurface], Awaitable[None]],
        *,
        in_place: bool = False,
    ) -> None:
        surface = DiscordSurface(interaction, self.buttons, in_place)
        await self.conversation.take(Request(kind, surface.acknowledge, lambda: surface), answer)

    def stands(self) -> bool:
        """Whether the connection stands just now."""
        return self.ws is not None and self.ws.open and self.is_ready()

    async def leave(self, seconds: float) -> int:
        """Hang up at once, let answers in flight finish for so long and posts that were begun, close.

        Gives how many answers did not finish. The task that runs the connection must have been cancelled.
        """
        if self.ws is not None:
            await self.ws.close(code=1000)
        return await self._close(seconds)

    async def _close(self, seconds: float) -> int:
        unfinished = await self.conversation.finish(seconds)
        if self._services.stopping.is_set():
            await self._services.until_idle()
        self._services.connections.leave("discord")
        await self.close()
        return unfinished


class ShardedPapersClient(PapersClient, discord.AutoShardedClient):
    """Several connections that share the servers among them."""

    def stands(self) -> bool:
        """Whether every connection stands just now."""
        return bool(self.shards) and not any(shard.is_closed() for shard in self.shards.values()) and self.is_ready()

    async def leave(self, seconds: float) -> int:
        """Like that of one connection, for each."""
        for shard in self.shards.values():
            await shard.disconnect()
        return await self._close(seconds)


def make_client(services: Services, section: DiscordSection, *, log_queries: bool) -> PapersClient:
    """A client of the kind that the config asks for; not connected yet."""
    kind = PapersClient if section.shards == 1 else ShardedPapersClient
    return kind(services, section, log_queries=log_queries)
