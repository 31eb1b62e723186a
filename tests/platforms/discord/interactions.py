"""Callbacks and webhooks of interactions: acknowledged once and in time, edited for 15 minutes."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from platforms.discord.replies import Problem
from platforms.discord.rules import choice_faults, message_faults
from platforms.discord.world import ACKNOWLEDGE_SECONDS, EPHEMERAL, LOADING, TOKEN_SECONDS, Interaction, World

COMMAND, COMPONENT, AUTOCOMPLETE = 2, 3, 4
MESSAGE, THINKING, LATER, UPDATE, CHOICES = 4, 5, 6, 7, 8
_ALLOWED = {COMMAND: {MESSAGE, THINKING}, COMPONENT: {MESSAGE, THINKING, LATER, UPDATE}, AUTOCOMPLETE: {CHOICES}}

Handler = Callable[[web.Request, Any], Awaitable[web.Response]]


class InteractionRoutes:
    """The routes that need no bot token, only the interaction's own."""

    def __init__(self, world: World) -> None:
        self.world = world

    def routes(self) -> list[tuple[str, str, Handler]]:
        return [
            ("POST", "/interactions/{id}/{token}/callback", self._callback),
            ("POST", "/webhooks/{app}/{token}", self._follow),
            ("GET", "/webhooks/{app}/{token}/messages/@original", self._original),
            ("PATCH", "/webhooks/{app}/{token}/messages/@original", self._edit),
            ("DELETE", "/webhooks/{app}/{token}/messages/@original", self._delete),
        ]

    async def _callback(self, request: web.Request, body: Any) -> web.Response:
        world = self.world
        found = world.interactions.get(int(request.match_info["id"]))
        if found is None or found.token != request.match_info["token"]:
            raise Problem(404, 10062, "Unknown interaction")
        if found.acknowledged is not None:
            raise Problem(400, 40060, "Interaction has already been acknowledged.")
        if world.clock.seconds - found.at > ACKNOWLEDGE_SECONDS:
            raise Problem(404, 10062, "Unknown interaction")
        kind, data = body["type"], body.get("data") or {}
        if kind not in _ALLOWED[found.kind]:
            raise Problem(400, 50035, "Invalid Form Body", [f"type: {kind} does not answer a {found.kind}"])
        faults = choice_faults(data.get("choices") or []) if kind == CHOICES else []
        if kind in {MESSAGE, UPDATE}:
            faults = message_faults(data, edit=kind == UPDATE)
        if faults:
            raise Problem(400, 50035, "Invalid Form Body", faults)
        found.acknowledged, found.acknowledged_at = kind, time.perf_counter()
        self._begin(found, kind, data)
        resource: dict[str, Any] = {"type": kind}
        if found.original is not None:
            resource["message"] = found.original
        told = {"id": str(found.id), "type": found.kind, "response_message_id": (found.original or {}).get("id")}
        if request.query.get("with_response") != "1":
            return web.Response(status=204)
        return web.json_response({"interaction": told, "resource": resource})

    def _begin(self, found: Interaction, kind: int, data: dict[str, Any]) -> None:
        world = self.world
        match kind:
            case 4:
                found.original = world.message(found.channel, data, data.get("flags", 0) & EPHEMERAL)
                self._answered(found)
            case 5:
                # the answer is as private as this says, whatever a later edit or follow-up asks for
                found.original = world.message(found.channel, {}, (data.get("flags", 0) & EPHEMERAL) | LOADING)
            case 6:
                found.original = found.message
            case 7:
                assert found.message is not None
                world.edit(found.message, data)
                found.original = found.message
                self._answered(found)
            case 8:
                found.choices = data.get("choices") or []
                self._answered(found)
            case _:
                raise AssertionError(f"a callback of type {kind} is in no list of those allowed")

    def _answered(self, found: Interaction) -> None:
        found.answers += 1
        found.answered.set()

    def _living(self, request: web.Request) -> Interaction:
        found = self.world.by_token.get(request.match_info["token"])
        if found is None or int(request.match_info["app"]) != self.world.me:
            raise Problem(404, 10015, "Unknown Webhook")
        if self.world.clock.seconds - found.at > TOKEN_SECONDS:
            raise Problem(401, 50027, "Invalid Webhook Token")
        if found.acknowledged is None:
            raise Problem(404, 10015, "Unknown Webhook")
        return found

    async def _original(self, request: web.Request, _body: Any) -> web.Response:
        found = self._living(request)
        if found.original is None:
            raise Problem(404, 10008, "Unknown Message")
        return web.json_response(found.original)

    async def _edit(self, request: web.Request, body: Any) -> web.Response:
        found = self._living(request)
        if found.original is None or found.deleted:
            raise Problem(404, 10008, "Unknown Message")
        if faults := message_faults(body, edit=True):
            raise Problem(400, 50035, "Invalid Form Body", faults)
        self.world.edit(found.original, body)
        if body.get("_files"):
            found.original["attachments"] = []
        if not (found.original["content"] or found.original["embeds"] or body.get("_files")):
            raise Problem(400, 50006, "Cannot send an empty message")
        self._answered(found)
        return web.json_response(found.original)

    async def _delete(self, request: web.Request, _body: Any) -> web.Response:
        found = self._living(request)
        if found.original is None or found.deleted:
            raise Problem(404, 10008, "Unknown Message")
        found.deleted = True
        self._answered(found)
        return web.Response(status=204)

    async def _follow(self, request: web.Request, body: Any) -> web.Response:
        found = self._living(request)
        if faults := message_faults(body, files=body.get("_files", 0)):
            raise Problem(400, 50035, "Invalid Form Body", faults)
        if found.original is not None and found.original["flags"] & LOADING:
            # the first follow-up after a "thinking" fills it, and is as private as that was
            self.world.edit(found.original, body)
            made = found.original
        else:
            made = self.world.message(found.channel, body, body.get("flags", 0) & EPHEMERAL)
            found.beside.append(made)
        self._answered(found)
        return web.json_response(made)
