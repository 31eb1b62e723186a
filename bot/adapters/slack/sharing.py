"""Putting an answer into a channel for all, and taking it back."""

from dataclasses import dataclass

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.presses import Press
from bot.adapters.slack.desk import Desk
from bot.adapters.slack.gate import note
from bot.adapters.slack.outbox import Outbox, RefusedError, code_of
from bot.adapters.slack.places import Place
from bot.adapters.slack.render import Frame, message
from bot.message import ChannelRef, User

_PAGE = 1_000
_MOST_PAGES = 50
"""Pages of members that are looked through: a channel of 50,000."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """Shares for one workspace; `name` is what people call the bot, as in `/invite @Paperboy`."""

    desk: Desk
    outbox: Outbox
    name: str

    async def share(self, press: Press, user: User, channel: ChannelRef, place: Place) -> None:
        """Post what the press leads to. What stands in the way is told at `place`, with the remedy."""
        problem = await self._problem(channel.channel, user.id)
        if problem is None:
            answer = await self.desk.open(Press("open", press.call), user, channel)
            if answer.reply.error is not None:
                await place.show(answer.reply, Frame())
                return
            frame = await self.desk.public(answer, user.id, sharer=user.id)
            try:
                await self.outbox.post(channel.channel, message(answer.reply, frame))
            except RefusedError as error:
                problem = self._remedy(error.code)
                if problem is None:
                    raise
        if problem is not None:
            await place.show(note(problem), Frame())

    async def unshare(self, press: Press, user: User, channel: ChannelRef, ts: str, place: Place) -> None:
        """Delete a shared post, if it was this person who brought it there."""
        if press.sharer != user.id:
            await place.show(note("Only the person who shared or asked for this can delete it."), Frame())
            return
        try:
            await self.outbox.delete(channel.channel, ts)
        except RefusedError as error:
            problem = self._remedy(error.code)
            if problem is None:
                raise
            await place.show(note(problem), Frame())

    async def _problem(self, channel: str, user: str) -> str | None:
        """Why this person may not share here, or the bot not post; None where both may."""
        client = self.outbox.client
        try:
            info = await client.conversations_info(channel=channel)
            about = info.get("channel")
            about = about if isinstance(about, dict) else {}
            if about.get("is_archived"):
                return self._remedy("is_archived")
            if not about.get("is_member"):
                return self._remedy("not_in_channel")
            return await _not_a_member(client, channel, user)
        except SlackApiError as error:
            problem = self._remedy(code_of(error))
            if problem is None:
                raise RefusedError(code_of(error)) from error
            return problem

    def _remedy(self, code: str) -> str | None:
        """What to do about a word of Slack's, in words of ours; None for what a person can do nothing about."""
        match code:
            case "not_in_channel" | "channel_not_found":
                return f"I am not in this channel. Type `/invite @{self.name}` here, then share again."
            case "is_archived":
                return "This channel is archived: nothing can be posted here until somebody restores it."
            case "restricted_action" | "restricted_action_read_only_channel" | "restricted_action_thread_locked":
                return "Posting here is restricted. Ask an admin of the workspace, or share in another channel."
            case "missing_scope" | "no_permission" | "access_denied":
                return (
                    "I lack a permission that sharing here needs. Whoever runs me finds it with "
                    "`paperboy manifest slack`; reinstalling the app grants it."
                )
            case "cant_delete_message":
                return "Slack does not let me delete this message. An admin of the workspace can."
            case "ratelimited":
                return "Slack asks me to slow down. Try again in a minute."
            case _:
                return None


async def _not_a_member(client: AsyncWebClient, channel: str, user: str) -> str | None:
    cursor = ""
    for _ in range(_MOST_PAGES):
        page = await client.conversations_members(channel=channel, limit=_PAGE, cursor=cursor or None)
        if user in (page.get("members") or ()):
            return None
        following = page.get("response_metadata")
        cursor = str(following.get("next_cursor") or "") if isinstance(following, dict) else ""
        if not cursor:
            return "Only members of this channel can share here. Join it first."
    return "This channel has too many members for me to see whether you are one, so I cannot share here."
