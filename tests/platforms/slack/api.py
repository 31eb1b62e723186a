"""The Web API of the double: each method with the checks that Slack makes."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from platforms.slack.conversations import Conversations
from platforms.slack.files import Files
from platforms.slack.rules import message_problems, view_problems
from platforms.slack.world import TRIGGER_SECONDS, Channel, Message, SlackError, Token, View, World

Json = dict[str, Any]

_SCOPES = {
    "chat.postMessage": {"chat:write"},
    "chat.postEphemeral": {"chat:write"},
    "chat.update": {"chat:write"},
    "chat.delete": {"chat:write"},
    "files.getUploadURLExternal": {"files:write"},
    "files.completeUploadExternal": {"files:write"},
    "users.info": {"users:read"},
    "conversations.open": {"im:write"},
    "apps.connections.open": {"connections:write"},
}
_LONGEST_TEXT = 40_000


class Api:
    """Answers method calls on a world; `socket_url` gives the address for a new socket."""

    def __init__(self, world: World, socket_url: Callable[[str], str], upload_url: Callable[[str], str]) -> None:
        self.world = world
        self.conversations = Conversations(world, self._channel)
        self.files = Files(world, upload_url, lambda token, name: self._channel(token, name, posting=True))
        self._socket_url = socket_url
        self._methods: dict[str, Callable[[Token, Json], Awaitable[Json]]] = {
            "auth.test": self._auth_test,
            "apps.connections.open": self._connections_open,
            "chat.postMessage": self._post,
            "chat.postEphemeral": self._post_ephemeral,
            "chat.update": self._update,
            "chat.delete": self._delete,
            "chat.getPermalink": self._permalink,
            "conversations.info": self.conversations.info,
            "conversations.members": self.conversations.members,
            "conversations.open": self.conversations.open,
            "conversations.history": self.conversations.history,
            "conversations.replies": self.conversations.replies,
            "users.conversations": self.conversations.of_person,
            "users.info": self._user,
            "files.getUploadURLExternal": self.files.announce,
            "files.completeUploadExternal": self.files.complete,
            "views.open": self._views_open,
            "views.update": self._views_update,
            "views.publish": self._views_publish,
        }

    async def call(self, method: str, token: str, arguments: Json) -> Json:
        """The result of a call. Raises SlackError."""
        if method == "oauth.v2.access":
            return self._oauth(arguments)
        if method not in self._methods:
            raise SlackError("unknown_method")
        known = self._token(token)
        wants_app = method == "apps.connections.open"
        if (known.kind == "app") != wants_app:
            raise SlackError("not_allowed_token_type")
        needed = _SCOPES.get(method, set())
        if not needed <= known.scopes:
            raise SlackError("missing_scope", needed=",".join(needed), provided=",".join(sorted(known.scopes)))
        if channel := str(arguments.get("channel", "")):
            self.world.limit(method, channel)
        result = await self._methods[method](known, arguments)
        self.world.calls.append((method, arguments))
        await self.world.touch()
        return {"ok": True, **result}

    def _token(self, token: str) -> Token:
        known = self.world.tokens.get(token)
        if not token:
            raise SlackError("not_authed")
        if known is None:
            raise SlackError("invalid_auth")
        if known.revoked:
            raise SlackError(known.revoked)
        if known.expires_at is not None and known.expires_at < self.world.now:
            raise SlackError("token_expired")
        return known

    # who

    async def _auth_test(self, token: Token, _: Json) -> Json:
        return {"team_id": token.team, "user_id": "UBOT", "bot_id": "B1", "user": "paperboy", "url": "https://x/"}

    async def _connections_open(self, token: Token, _: Json) -> Json:
        return {"url": self._socket_url(token.team)}

    async def _user(self, _: Token, arguments: Json) -> Json:
        user = str(arguments.get("user", ""))
        if user not in self.world.users:
            raise SlackError("user_not_found")
        return {"user": {"id": user, "tz": self.world.users[user], **self.world.about.get(user, {})}}

    async def _permalink(self, token: Token, arguments: Json) -> Json:
        channel, ts = str(arguments.get("channel", "")), str(arguments.get("message_ts", ""))
        self._channel(token, channel)
        if self.world.message(channel, ts) is None:
            raise SlackError("message_not_found")
        return {"channel": channel, "permalink": f"https://x.slack.com/archives/{channel}/p{ts.replace('.', '')}"}

    # messages

    def _channel(self, token: Token, name: str, *, posting: bool = False) -> Channel:
        """The channel as far as the bot may see it, or post to it."""
        if name.startswith("U"):
            direct = [one for one in self.world.channels.values() if one.kind == "im" and one.team == token.team]
            found = next((one for one in direct if name in one.members), None)
        else:
            found = self.world.channels.get(name)
        if found is None or found.team != token.team:
            raise SlackError("channel_not_found")
        inside = "UBOT" in found.members
        if not inside and (found.private or found.kind == "im"):
            raise SlackError("channel_not_found")
        if posting and found.archived:
            raise SlackError("is_archived")
        if posting and not inside and "chat:write.public" not in token.scopes:
            raise SlackError("not_in_channel")
        if posting and found.restricted:
            raise SlackError("restricted_action")
        return found

    def _content(self, arguments: Json) -> tuple[str, list[Json]]:
        text, blocks = str(arguments.get("text") or ""), _parsed(arguments.get("blocks") or [])
        if not text and not blocks:
            raise SlackError("no_text")
        if blocks and (problems := message_problems(blocks)):
            self.world.refused.append(("message", problems))
            raise SlackError(
                "msg_blocks_too_long" if problems == ["msg_blocks_too_long"] else "invalid_blocks", errors=problems
            )
        return text[:_LONGEST_TEXT], blocks

    async def _post(self, token: Token, arguments: Json) -> Json:
        channel = self._channel(token, str(arguments.get("channel", "")), posting=True)
        text, blocks = self._content(arguments)
        thread = arguments.get("thread_ts")
        made = Message(self.world.new_ts(), channel.id, token.team, "UBOT", text, blocks, thread=thread)
        made.metadata, made.sent = _parsed(arguments.get("metadata")), arguments
        self.world.add_message(made)
        return {"channel": channel.id, "ts": made.ts, "message": {"ts": made.ts, "text": text}}

    async def _post_ephemeral(self, token: Token, arguments: Json) -> Json:
        channel = self._channel(token, str(arguments.get("channel", "")), posting=True)
        user = str(arguments.get("user", ""))
        if user not in channel.members:
            raise SlackError("user_not_in_channel")
        text, blocks = self._content(arguments)
        made = Message(self.world.new_ts(), channel.id, token.team, "UBOT", text, blocks, only=user)
        made.thread, made.sent = arguments.get("thread_ts"), arguments
        self.world.add_message(made)
        return {"message_ts": made.ts}

    def _own(self, token: Token, arguments: Json, code: str) -> Message:
        channel = self._channel(token, str(arguments.get("channel", "")))
        found = self.world.message(channel.id, str(arguments.get("ts", "")))
        if found is None or found.only:
            raise SlackError("message_not_found")
        if found.user != "UBOT":
            raise SlackError(code)
        return found

    async def _update(self, token: Token, arguments: Json) -> Json:
        found = self._own(token, arguments, "cant_update_message")
        found.text, found.blocks = self._content(arguments)
        found.version += 1
        return {"ts": found.ts}

    async def _delete(self, token: Token, arguments: Json) -> Json:
        self.world.messages.remove(self._own(token, arguments, "cant_delete_message"))
        return {}

    # views

    def _view(self, arguments: Json) -> Json:
        view: Json = _parsed(arguments.get("view"))
        if problems := view_problems(view):
            self.world.refused.append(("view", problems))
            raise SlackError("invalid_arguments", response_metadata={"messages": problems})
        return view

    async def _views_open(self, token: Token, arguments: Json) -> Json:
        trigger = str(arguments.get("trigger_id", ""))
        made_at, user = self.world.triggers.get(trigger, (0.0, ""))
        if not user:
            raise SlackError("invalid_trigger_id")
        if self.world.now - made_at > TRIGGER_SECONDS:
            raise SlackError("expired_trigger_id")
        view = self._view(arguments)
        if view["type"] != "modal":
            raise SlackError("invalid_arguments")
        del self.world.triggers[trigger]
        made = View(f"V{self.world.number()}", user, token.team, view)
        self.world.views[made.id] = made
        return {"view": {**view, "id": made.id}}

    async def _views_update(self, token: Token, arguments: Json) -> Json:
        found = self.world.views.get(str(arguments.get("view_id", "")))
        if found is None or found.team != token.team:
            raise SlackError("not_found")
        found.view = self._view(arguments)
        found.version += 1
        return {"view": {**found.view, "id": found.id}}

    async def _views_publish(self, token: Token, arguments: Json) -> Json:
        view = self._view(arguments)
        if view["type"] != "home":
            raise SlackError("invalid_arguments")
        self.world.homes[token.team, str(arguments.get("user_id", ""))] = view
        return {"view": view}

    # installing

    def _oauth(self, arguments: Json) -> Json:
        world = self.world
        if (arguments.get("client_id"), arguments.get("client_secret")) != ("1.2", "client-secret"):
            raise SlackError("bad_client_secret")
        if arguments.get("grant_type") == "refresh_token":
            old = world.refreshes.pop(str(arguments.get("refresh_token", "")), None)
            if old is None:
                raise SlackError("invalid_refresh_token")
            return {"ok": True, **self._grant(world.tokens[old].team, expiring=True)}
        grant = world.codes.pop(str(arguments.get("code", "")), None)
        if grant is None:
            raise SlackError("invalid_code")
        if grant.get("redirect_uri") != arguments.get("redirect_uri"):
            raise SlackError("bad_redirect_uri")
        team = grant["team"]
        return {
            "ok": True,
            "app_id": "A1",
            "authed_user": {"id": "U1"},
            "team": {"id": team, "name": "a team"},
            "enterprise": None,
            "is_enterprise_install": False,
            "bot_user_id": "UBOT",
            **self._grant(team, expiring=bool(grant.get("expiring"))),
        }

    def _grant(self, team: str, *, expiring: bool) -> Json:
        world = self.world
        token = f"xoxb-{team}-{world.number()}"
        scopes = "app_mentions:read,channels:read,chat:write,commands,groups:read,im:history"
        world.tokens[token] = Token(team, scopes=set(scopes.split(",")))
        granted: Json = {"access_token": token, "token_type": "bot", "scope": scopes}
        if expiring:
            refresh = f"xoxe-1-{world.number()}"
            world.refreshes[refresh] = token
            world.tokens[token].expires_at = world.now + 43_200
            granted |= {"refresh_token": refresh, "expires_in": 43_200}
        return granted


def _parsed(value: object) -> Any:
    """Structures may arrive as JSON inside a form."""
    return json.loads(value) if isinstance(value, str) else value
