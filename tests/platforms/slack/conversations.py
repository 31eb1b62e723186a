"""Channels in the double: what the bot may know of them, who is in them, what was said."""

from collections.abc import Callable
from typing import Any

from platforms.slack.world import Channel, Message, SlackError, Token, World

Json = dict[str, Any]


class Conversations:
    """Answers about channels. `channel` finds one by name, as far as the bot may see it."""

    def __init__(self, world: World, channel: Callable[[Token, str], Channel]) -> None:
        self.world = world
        self._channel = channel

    def _reads(self, token: Token, channel: Channel, what: str) -> None:
        kind = channel.kind if channel.kind in {"im", "mpim"} else "groups" if channel.private else "channels"
        if f"{kind}:{what}" not in token.scopes:
            raise SlackError("missing_scope", needed=f"{kind}:{what}")

    async def info(self, token: Token, arguments: Json) -> Json:
        channel = self._channel(token, str(arguments.get("channel", "")))
        self._reads(token, channel, "read")
        about = {"id": channel.id, "is_archived": channel.archived, "is_member": "UBOT" in channel.members}
        return {"channel": {**about, "is_private": channel.private, "is_im": channel.kind == "im"}}

    async def members(self, token: Token, arguments: Json) -> Json:
        channel = self._channel(token, str(arguments.get("channel", "")))
        self._reads(token, channel, "read")
        start, size = int(arguments.get("cursor") or 0), min(int(arguments.get("limit") or 100), 1_000)
        members = sorted(channel.members)
        following = str(start + size) if start + size < len(members) else ""
        return {"members": members[start : start + size], "response_metadata": {"next_cursor": following}}

    async def open(self, token: Token, arguments: Json) -> Json:
        return {"channel": {"id": self._channel(token, str(arguments.get("users", ""))).id}}

    async def history(self, token: Token, arguments: Json) -> Json:
        channel = self._channel(token, str(arguments.get("channel", "")))
        self._reads(token, channel, "history")
        return self._shown([one for one in self.world.public(channel.id) if not one.thread], arguments)

    async def replies(self, token: Token, arguments: Json) -> Json:
        channel = self._channel(token, str(arguments.get("channel", "")))
        self._reads(token, channel, "history")
        parent = str(arguments.get("ts", ""))
        if self.world.message(channel.id, parent) is None:
            raise SlackError("thread_not_found")
        return self._shown([one for one in self.world.public(channel.id) if parent in {one.ts, one.thread}], arguments)

    def _shown(self, messages: list[Message], arguments: Json) -> Json:
        """A page of what history shows by now, newest first."""
        shown = [one for one in reversed(messages) if one.shown_at <= self.world.now]
        whole = str(arguments.get("include_all_metadata", "")).lower() in {"true", "1"}
        start, size = int(arguments.get("cursor") or 0), min(int(arguments.get("limit") or 100), 999)
        following = str(start + size) if start + size < len(shown) else ""
        return {
            "messages": [
                {
                    "ts": one.ts,
                    "text": one.text,
                    "user": one.user,
                    **({"metadata": one.metadata} if whole and one.metadata else {}),
                }
                for one in shown[start : start + size]
            ],
            "response_metadata": {"next_cursor": following},
        }

    async def of_person(self, token: Token, arguments: Json) -> Json:
        """The person's channels, of the private ones only those that the bot is in too."""
        kinds = str(arguments.get("types") or "public_channel").split(",")
        scopes = {
            "public_channel": "channels:read",
            "private_channel": "groups:read",
            "im": "im:read",
            "mpim": "mpim:read",
        }
        for kind in kinds:
            if scopes[kind] not in token.scopes:
                raise SlackError("missing_scope", needed=scopes[kind])
        user = str(arguments.get("user", ""))
        found = [
            {"id": one.id, "is_private": one.private}
            for one in sorted(self.world.channels.values(), key=lambda one: one.id)
            if one.team == token.team
            and user in one.members
            and (one.kind if one.kind in {"im", "mpim"} else "private_channel" if one.private else "public_channel")
            in kinds
            and not (one.archived and arguments.get("exclude_archived"))
            and ("UBOT" in one.members or not one.private)
        ]
        start, size = int(arguments.get("cursor") or 0), min(int(arguments.get("limit") or 100), 1_000)
        following = str(start + size) if start + size < len(found) else ""
        return {"channels": found[start : start + size], "response_metadata": {"next_cursor": following}}
