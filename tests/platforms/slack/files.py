"""Files in the double: announced, sent to an address of their own, then shared in a conversation."""

import json
from collections.abc import Callable
from typing import Any

from platforms.slack.world import Channel, Message, SlackError, Token, Upload, World

Json = dict[str, Any]


class Files:
    """Takes files. `upload_url` gives the address for one; `channel` the conversation, as far as the bot may post."""

    def __init__(
        self, world: World, upload_url: Callable[[str], str], channel: Callable[[Token, str], Channel]
    ) -> None:
        self.world = world
        self._upload_url = upload_url
        self._channel = channel

    async def announce(self, token: Token, arguments: Json) -> Json:
        name, length = str(arguments.get("filename") or ""), int(arguments.get("length") or 0)
        if not name or length < 1:
            raise SlackError("invalid_arguments")
        key = f"F{self.world.number()}"
        self.world.uploads[key] = Upload(token.team, name, length)
        return {"file_id": key, "upload_url": self._upload_url(key)}

    def upload(self, key: str, content: bytes) -> int:
        """Take a file's content at its address; the HTTP status."""
        known = self.world.uploads.get(key)
        if known is None or known.content is not None or len(content) != known.length:
            return 400
        known.content = content
        return 200

    async def complete(self, token: Token, arguments: Json) -> Json:
        """Share files in one conversation, by its own id: a person's is not taken."""
        place = str(arguments.get("channel_id") or "")
        if place.startswith("U"):
            raise SlackError("channel_not_found")
        channel = self._channel(token, place)
        keys = [str(entry["id"]) for entry in _listed(arguments.get("files"))]
        found = [self.world.uploads.get(key) for key in keys]
        made = Message(self.world.new_ts(), channel.id, token.team, "UBOT", "", [])
        for one in found:
            if one is None or one.team != token.team or one.content is None:
                raise SlackError("file_not_found")
            made.files[one.name] = one.content
        made.text, made.sent = str(arguments.get("initial_comment") or ""), arguments
        for key in keys:
            del self.world.uploads[key]
        self.world.add_message(made)
        return {"files": [{"id": key} for key in keys]}


def _listed(value: object) -> list[Json]:
    entries = json.loads(value) if isinstance(value, str) else value or []
    assert isinstance(entries, list)
    return entries
