"""Who may set up a channel's digest and what the bot may do there, asked of Discord at that moment."""

import aiohttp
import discord

from bot.adapters.discord.section import DiscordSection
from bot.errors import (
    AmbiguousPostError,
    ChannelTroubleError,
    ContentRefusedError,
    DeliveryError,
    InstallTroubleError,
    RetryLaterError,
)
from bot.message import ChannelRef, User

_NO_GUILD, _NO_ACCESS = 10004, 50001

_OF_THE_CHANNEL = frozenset({50008, 50024, 50033, 50068, 50083, 160005})
"""Codes of a 400 that is no matter of the message: a channel of the wrong kind, an archived or a locked thread."""

_NEEDED = ("view_channel", "send_messages", "embed_links")

NAMES = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "embed_links": "Embed Links",
}
"""Permissions as Discord's pages call them."""

_LOST = (aiohttp.ClientError, OSError, TimeoutError)


def sorted_error(error: discord.HTTPException) -> DeliveryError:
    """What Discord's refusal means for the post."""
    match error.status, error.code:
        case 429, _:
            wait = error.response.headers.get("Retry-After", "")
            return RetryLaterError("Discord asks to slow down", min(600.0, float(wait)) if _is_number(wait) else 60.0)
        case 401, _:
            return InstallTroubleError("Discord no longer takes the token")
        case _, 50001:
            return ChannelTroubleError("I cannot see this channel: give me the permission View Channel.")
        case _, 50013:
            return ChannelTroubleError("I lack a permission here: give me Send Messages and Embed Links.")
        case _, 10003 | 10004:
            return ChannelTroubleError("This channel is gone, or I was removed from its server.")
        case status, _ if status >= 500:
            return AmbiguousPostError(f"Discord failed while posting ({status})")
        case _, 200000 | 200001:
            return ContentRefusedError(f"The server's AutoMod blocks the message ({error.code}).")
        case _, 240000:
            return ContentRefusedError("Discord takes a link in the message for harmful (240000).")
        case 400, code if code not in _OF_THE_CHANNEL:
            return ContentRefusedError(f"Discord refuses the message ({code or 400}).")
        case status, code:
            return ChannelTroubleError(f"Discord refuses ({code or status}).")


def _is_number(words: str) -> bool:
    return words.replace(".", "", 1).isdigit() and words.isascii()


async def own_permissions(client: discord.Client, channel: ChannelRef) -> discord.Permissions:
    """What the bot may do in a channel of a server, asked now. Raises discord.HTTPException."""
    assert client.user is not None
    guild = await client.fetch_guild(int(channel.workspace), with_counts=False)
    me = await guild.fetch_member(client.user.id)
    place = await client.fetch_channel(int(channel.channel))
    if isinstance(place, discord.Thread):
        above = await client.fetch_channel(place.parent_id)
        assert isinstance(above, discord.abc.GuildChannel)
        above.guild = guild
        found = above.permissions_for(me)
        found.send_messages = found.send_messages_in_threads
        return found
    if isinstance(place, discord.abc.PrivateChannel):
        return discord.Permissions.all()
    place.guild = guild
    return place.permissions_for(me)


class DiscordAccess:
    """Who may, and where (bot.connections.ChannelAccess)."""

    def __init__(self, client: discord.Client, section: DiscordSection) -> None:
        self._client = client
        self._section = section

    async def may_manage(self, user: User, channel: ChannelRef) -> str | None:
        """Who has Manage Server, or the role of the config: asked of Discord now. In direct messages, the person."""
        if not channel.workspace:
            return None
        try:
            guild = await self._client.fetch_guild(int(channel.workspace), with_counts=False)
            member = await guild.fetch_member(int(user.id))
        except discord.HTTPException as error:
            return str(sorted_error(error)) if error.code in {_NO_ACCESS, _NO_GUILD} else _NO_ANSWER
        except _LOST:
            return _NO_ANSWER
        if member.guild_permissions.manage_guild or member.get_role(self._section.digest_role) is not None:
            return None
        role = " or the role that the bot's config names" if self._section.digest_role else ""
        return f"Changing the digest of a channel needs the permission Manage Server{role}."

    async def may_post(self, channel: ChannelRef) -> str | None:
        """The permissions that the bot lacks, by name."""
        if not channel.workspace:
            return None
        try:
            may = await own_permissions(self._client, channel)
        except discord.HTTPException as error:
            return str(sorted_error(error))
        except _LOST:
            return _NO_ANSWER
        lacking = [NAMES[name] for name in _NEEDED if not getattr(may, name)]
        return f"I may not post in this channel: give me {', '.join(lacking)}." if lacking else None

    async def zone_of(self, user: User, channel: ChannelRef) -> str | None:  # noqa: ARG002 - the signature is the gate's
        """Discord tells nobody's zone."""
        return None

    async def link_to(self, channel: ChannelRef, message: str) -> str | None:
        """The address that Discord's own "Copy Message Link" gives."""
        return f"https://discord.com/channels/{channel.workspace or '@me'}/{channel.channel}/{message}"


_NO_ANSWER = "Discord does not answer just now. Try again in a minute."
