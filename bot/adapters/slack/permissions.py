"""Who may set up a channel's digest and where the bot may post, asked of Slack at that moment."""

from contextlib import suppress
from dataclasses import dataclass

from aiohttp import ClientError
from pydantic import TypeAdapter
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.api import Clients, code_of, is_direct
from bot.adapters.slack.section import SlackSection
from bot.message import ChannelRef, User

_MOST_PAGES = 60
"""Pages of members that are looked through."""

_NOT_THERE = frozenset({"channel_not_found", "not_in_channel"})
_NOT_INSTALLED = "I am not installed in this workspace any more. Ask whoever looks after its apps to install me again."
_NO_ANSWER = "Slack does not answer just now. Try again in a minute."


def remedy(code: str, name: str) -> str | None:
    """What Slack's word for a refusal means in a channel, and how to mend it; None for what nobody there can mend.

    `name` is the bot's.
    """
    if code in _NOT_THERE:
        return f"I am not in this channel. Type `/invite @{name}` there."
    match code:
        case "is_archived":
            return "This channel is archived. Somebody has to restore it."
        case "restricted_action" | "restricted_action_read_only_channel" | "restricted_action_thread_locked":
            return "Posting in this channel is restricted. An admin of the workspace has to allow it."
        case "missing_scope" | "no_permission" | "access_denied":
            return (
                "I lack a permission: whoever runs me finds it with `paperboy manifest slack`, and reinstalls the app."
            )
        case "cant_delete_message":
            return "Slack does not let me delete this message. An admin of the workspace can."
        case "ratelimited":
            return "Slack asks me to slow down. Try again in a minute."
        case _:
            return None


def _refusal(code: str, name: str) -> str:
    return remedy(code, name) or f"Slack refuses ({code})."


@dataclass(frozen=True, slots=True)
class _Enterprise:
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Person:
    tz: str | None = None
    team_id: str = ""
    is_admin: bool = False
    is_owner: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    enterprise_user: _Enterprise = _Enterprise()

    def of_elsewhere(self, workspace: str) -> bool:
        """Whether the person belongs to another workspace."""
        return bool(self.team_id) and workspace not in {self.team_id, *self.enterprise_user.teams}


@dataclass(frozen=True, slots=True)
class _Channel:
    is_archived: bool = False
    is_member: bool = False


@dataclass(frozen=True, slots=True)
class _Members:
    members: tuple[str, ...] = ()


_PERSON = TypeAdapter(_Person)
_CHANNEL = TypeAdapter(_Channel)
_ADDRESS: TypeAdapter[str | None] = TypeAdapter(str | None)
_MEMBERS = TypeAdapter(_Members)


class SlackAccess:
    """Who may, and where (bot.connections.ChannelAccess)."""

    def __init__(self, clients: Clients, section: SlackSection) -> None:
        self._clients = clients
        self._section = section

    async def may_manage(self, user: User, channel: ChannelRef) -> str | None:
        """Members of the channel who are neither guests nor of another organisation; or only admins, by config."""
        if is_direct(channel.channel):
            return None
        client = await self._clients.asking(channel.workspace)
        if client is None:
            return _NOT_INSTALLED
        try:
            answer = await client.users_info(user=user.id)
            person = _PERSON.validate_python(answer.get("user"))
            if person.is_restricted or person.is_ultra_restricted:
                return "Guests cannot change the digest of a channel. Ask a full member of the workspace."
            if person.is_stranger or person.of_elsewhere(channel.workspace):
                return "This channel is shared with your organisation: only members of its own workspace change it."
            if self._section.digest_managers == "admins" and not (person.is_admin or person.is_owner):
                return "Here only admins of the workspace change digests (`slack.digest_managers`)."
            if not await is_member(client, channel.channel, user.id):
                return "Only members of this channel can change its digest. Join it first."
        except SlackApiError as error:
            return _refusal(code_of(error), self._section.name)
        except (ClientError, TimeoutError, OSError):
            return _NO_ANSWER
        return None

    async def may_post(self, channel: ChannelRef) -> str | None:
        """Whether the bot is in the channel, and the channel open."""
        if is_direct(channel.channel):
            return None
        client = await self._clients.asking(channel.workspace)
        if client is None:
            return _NOT_INSTALLED
        try:
            about = _CHANNEL.validate_python((await client.conversations_info(channel=channel.channel)).get("channel"))
        except SlackApiError as error:
            return _refusal(code_of(error), self._section.name)
        except (ClientError, TimeoutError, OSError):
            return _NO_ANSWER
        if about.is_archived:
            return remedy("is_archived", self._section.name)
        return None if about.is_member else remedy("not_in_channel", self._section.name)

    async def zone_of(self, user: User, channel: ChannelRef) -> str | None:
        """The zone that the person has set in Slack; None where Slack does not say."""
        client = await self._clients.asking(channel.workspace)
        if client is None:
            return None
        with suppress(SlackApiError, ClientError, TimeoutError, OSError):
            return _PERSON.validate_python((await client.users_info(user=user.id)).get("user")).tz or None
        return None

    async def link_to(self, channel: ChannelRef, message: str) -> str | None:
        """The message's permalink; None where it is gone, or Slack does not say."""
        client = await self._clients.asking(channel.workspace)
        if client is None:
            return None
        with suppress(SlackApiError, ClientError, TimeoutError, OSError):
            answer = await client.chat_getPermalink(channel=channel.channel, message_ts=message)
            return _ADDRESS.validate_python(answer.get("permalink"))
        return None


async def is_member(client: AsyncWebClient, channel: str, user: str) -> bool | None:
    """Whether the person is in the channel; None where it has too many members to look through."""
    pages = 0
    async for page in await client.conversations_members(channel=channel, limit=1_000):
        if user in _MEMBERS.validate_python(page.data).members:
            return True
        pages += 1
        if pages == _MOST_PAGES:
            return None
    return False
