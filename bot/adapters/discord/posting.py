"""The paper of the day in Discord: rendered, posted, found again."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast

import aiohttp
import discord
from pydantic import TypeAdapter

from bot.adapters.actions import Action, ActionButton
from bot.adapters.discord.markdown import escaped, fitting, runs
from bot.adapters.discord.message import (
    MOST_CONTENT,
    NOBODY,
    DiscordMessage,
    Json,
    Rows,
    again,
    embeds,
    message,
    within,
)
from bot.adapters.discord.permissions import own_permissions, sorted_error
from bot.adapters.discord.surface import Buttons
from bot.connections import SEND_SECONDS, Departure, Look, departing, never
from bot.errors import AmbiguousPostError, ChannelTroubleError, ContentRefusedError, RetryLaterError
from bot.message import ChannelRef, Reply
from bot.richtext import Paragraph, Strong, Text, said, text
from bot.text import cut

logger = logging.getLogger(__name__)

_MOST_MESSAGES = 2_000
"""Messages of history that are looked through."""

_NO_CHANNEL, _NO_MESSAGE, _NO_PERMISSION, _HAS_THREAD = 10003, 10008, 50013, 160004

_LOST = (aiohttp.ClientError, OSError, TimeoutError)

_DELETED = "deleted"
"""In place of an id: the message arrived, and somebody deleted it before its confirmation."""


@dataclass(frozen=True, slots=True)
class _Body:
    """What is kept of a rendered message."""

    content: str
    embeds: tuple[Json, ...]
    rows: tuple[Json, ...]
    plain: str
    """The whole as text, for where Discord rejects the embeds."""


_BODY = TypeAdapter(_Body)


class DiscordPoster:
    """Posts digests (bot.connections.Poster) with a client that is logged in.

    The nonce makes a second try within minutes the same post. History has no nonces, so the first button carries the
    posting's key as well.
    """

    def __init__(self, client: discord.Client, buttons: Buttons, seconds: float = SEND_SECONDS) -> None:
        self._client = client
        self._buttons = buttons
        self._seconds = seconds
        self._late: dict[str, asyncio.Task[str]] = {}
        """Posts by their keys that were still under way at the end of their time."""

    async def render(self, reply: Reply, key: str, *, threaded: bool = False, about: ChannelRef | None = None) -> str:
        """Content, embeds, rows and the plain text, as JSON."""
        controls = [ActionButton(one.label, Action("open", one.call), one.primary) for one in reply.buttons]
        if controls:
            controls[0] = replace(controls[0], action=replace(controls[0].action, sharer=key))
        drawn = await asyncio.to_thread(message, reply, await self._buttons.posted(controls))
        plain = cut("\n".join(escaped(line) for line in reply.text[:MOST_CONTENT].split("\n")), MOST_CONTENT - 30)
        content = "" if threaded else _headline(reply)
        said_all = len(reply.blocks) == 1 and isinstance(reply.blocks[0], Paragraph)  # a notice: its headline is all
        if said_all:
            content = plain
        if about is not None:
            content, plain = f"{content}\n<#{int(about.channel)}>", f"{plain}\n<#{int(about.channel)}>"
        return _BODY.dump_json(_Body(content, () if said_all else drawn.embeds, drawn.rows, plain)).decode()

    async def send(
        self, channel: ChannelRef, key: str, payload: str, parent: str | None, too_late: Callable[[], bool] = never
    ) -> str:
        """Post, again with the same nonce where no answer comes; as text alone where Discord rejects the embeds.

        A post that is still under way at the end of its time goes on, and is remembered: until it has ended, looking
        for it says to look later. Tries that the library still has in mind are kept back once it is `too_late`.
        """
        with departing(too_late) as departure:
            sending = asyncio.create_task(self._send(channel, key, _BODY.validate_json(payload), parent, departure))
        await asyncio.wait({sending}, timeout=self._seconds)
        if sending.done():
            return sending.result()
        self._late[key] = sending
        sending.add_done_callback(lambda done: done.cancelled() or done.exception())
        raise AmbiguousPostError("no answer came from Discord in time")

    async def _send(self, channel: ChannelRef, key: str, body: _Body, parent: str | None, departure: Departure) -> str:
        try:
            place = await self._place(channel, parent)
            try:
                return await self._post(place, DiscordMessage(body.content, body.embeds, body.rows), key)
            except discord.HTTPException as error:
                if not isinstance(sorted_error(error), ContentRefusedError):
                    raise
                sent = await self._post(place, DiscordMessage(body.plain, (), body.rows), key)
                logger.error("digest: Discord rejected %s (%s), sent as plain text", key, error.code)  # noqa: TRY400
                return sent
        except discord.HTTPException as error:
            if error.code == _NO_MESSAGE and parent is None:
                return _DELETED
            raise sorted_error(error) from error
        except discord.RateLimited as error:
            raise RetryLaterError("Discord asks to slow down", error.retry_after) from error
        except aiohttp.ClientConnectorError as error:
            raise RetryLaterError("no connection to Discord", 0) from error
        except _LOST as error:
            raise departure.unanswered("Discord", error) from error

    async def _post(self, place: discord.PartialMessageable, shown: DiscordMessage, key: str) -> str:
        asked = False

        async def once() -> discord.Message:
            nonlocal asked
            try:
                return await place.send(
                    shown.content or None,
                    embeds=embeds(shown),
                    view=Rows(shown.rows),
                    nonce=key,  # the library asks Discord to enforce it
                    allowed_mentions=NOBODY,
                )
            except aiohttp.ClientConnectorError as error:
                if asked:  # an earlier try may have arrived
                    raise ConnectionError(str(error)) from error
                raise
            except (*_LOST, discord.DiscordServerError):
                asked = True
                raise

        return str((await again(once)).id)

    async def _place(self, channel: ChannelRef, parent: str | None) -> discord.PartialMessageable:
        """The channel, or the thread of a message in it, which has the message's own id and is begun where needed."""
        guild = int(channel.workspace) if channel.workspace else None
        place = self._client.get_partial_messageable(int(channel.channel), guild_id=guild)
        if parent is None or guild is None:
            return place
        try:
            await again(lambda: self._client.http.start_thread_with_message(
                int(channel.channel), int(parent), name="Discussion", auto_archive_duration=1440
            ))  # fmt: skip
        except discord.HTTPException as error:
            if error.code != _HAS_THREAD:
                if error.code == _NO_PERMISSION:
                    raise ChannelTroubleError("I may not begin threads here: give me Create Public Threads.") from error
                raise
        except _LOST as error:  # nothing was said yet: a thread is begun only once for a message
            raise RetryLaterError(f"no answer came from Discord ({type(error).__name__})", 0) from error
        return self._client.get_partial_messageable(int(parent), guild_id=guild, type=discord.ChannelType.public_thread)

    async def relabel(self, channel: ChannelRef, payload: str, message: str, label_of: Callable[[str], str]) -> None:
        """Change the message's buttons to the same ones with other labels; nothing else of it is sent."""
        rows = _BODY.validate_json(payload).rows
        for row in rows:
            for element in cast("list[Json]", row["components"]):
                element["label"] = label_of(str(element["label"]))
        place = self._client.get_partial_messageable(
            int(channel.channel), guild_id=int(channel.workspace) if channel.workspace else None
        )
        try:
            await within(self._seconds, place.get_partial_message(int(message)).edit(view=Rows(rows)))
        except discord.HTTPException as error:
            raise sorted_error(error) from error
        except discord.RateLimited as error:
            raise RetryLaterError("Discord asks to slow down", error.retry_after) from error
        except _LOST as error:
            raise RetryLaterError(f"no answer came from Discord ({type(error).__name__})", 0) from error

    async def find(self, channel: ChannelRef, key: str, ago: timedelta, parent: str | None) -> str | Look:
        """Look for the key in the buttons of our messages in the channel, or in the thread of `parent`."""
        if (late := self._late.get(key)) is not None:
            if not late.done():
                raise RetryLaterError("it is still being posted", 5)
            del self._late[key]
            if not late.cancelled() and late.exception() is None:
                return late.result()
        try:
            return await within(self._seconds, self._look(channel, key, ago, parent))
        except discord.HTTPException as error:
            if error.code == _NO_CHANNEL and parent is not None:
                return Look.ABSENT  # its thread was not begun
            raise sorted_error(error) from error
        except discord.RateLimited as error:
            raise RetryLaterError("Discord asks to slow down", error.retry_after) from error
        except _LOST as error:
            raise RetryLaterError(f"no answer came from Discord ({type(error).__name__})", 0) from error

    async def _look(self, channel: ChannelRef, key: str, ago: timedelta, parent: str | None) -> str | Look:
        """Among those of the last `ago` before the latest that stands there: dated by Discord's clock, not by ours."""
        guild = int(channel.workspace) if channel.workspace else None
        # without this permission Discord gives an empty history instead of an error
        if guild is not None and not (await self._permissions(channel)).read_message_history:
            return Look.CANNOT
        seen = 0
        place = self._client.get_partial_messageable(int(parent or channel.channel), guild_id=guild)
        earliest: datetime | None = None
        async for one in place.history(limit=_MOST_MESSAGES):
            seen += 1
            if any(key in custom_id for custom_id in _custom_ids(one.components)):
                return str(one.id)
            earliest = one.created_at - ago if earliest is None else earliest
            if one.created_at < earliest:
                return Look.ABSENT
        return Look.ABSENT if seen < _MOST_MESSAGES else Look.CANNOT

    async def _permissions(self, channel: ChannelRef) -> discord.Permissions:
        return await own_permissions(self._client, channel)

    async def direct(self, person: str, channel: ChannelRef) -> ChannelRef:
        """The channel of direct messages with the person; it is made where there is none yet."""
        try:
            direct = await within(self._seconds, self._client.create_dm(discord.Object(int(person))))
        except discord.HTTPException as error:
            raise sorted_error(error) from error
        except discord.RateLimited as error:
            raise RetryLaterError("Discord asks to slow down", error.retry_after) from error
        except _LOST as error:  # nothing was said yet, and a person has one such channel
            raise RetryLaterError(f"no answer came from Discord ({type(error).__name__})", 0) from error
        return ChannelRef(channel.platform, "", str(direct.id))


def _headline(reply: Reply) -> str:
    """What a notification shows: an embed alone would notify with nothing."""
    if reply.command != "digest":  # news, which say themselves what they are
        first = next((block for block in reply.blocks if isinstance(block, Paragraph)), Paragraph(said(reply.text)))
        return fitting(runs(first.children), 300)[0]
    papers = [shown.paper for shown in reply.papers]
    if len(papers) == 1:
        return fitting(runs((Text("Paper of the day: "), Strong(papers[0].title))), 300)[0]
    return fitting(runs(text(f"Papers of the day: {', '.join(paper.handle for paper in papers)}")), 300)[0]


def _custom_ids(components: Sequence[object]) -> list[str]:
    found: list[str] = []
    for component in components:
        if isinstance(component, discord.ActionRow):
            found.extend(_custom_ids(component.children))
        elif isinstance(component, discord.Button) and component.custom_id:
            found.append(component.custom_id)
    return found
