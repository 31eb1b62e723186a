"""What a button press means, as a value, and as the short text that a platform's button carries.

A press opens a reply in place of the one it stands under, and remembers the way back. On a shared post it opens
privately. `share` puts the reply into the channel for all; `unshare` lets the sharer take it back.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from pydantic import TypeAdapter, ValidationError

from bot.commands.base import CommandSet, Kind
from bot.message import Call, Reply, Value
from bot.views import paper_buttons

Verb = Literal["open", "share", "unshare"]

DEEPEST = 5
"""How many steps Back remembers: more than anyone walks, few enough to stay small."""


@dataclass(frozen=True, slots=True)
class Action:
    """What one press does. `sharer` is the platform's id of who may `unshare`."""

    verb: Verb
    call: Call
    trail: tuple[Call, ...] = ()
    sharer: str = ""

    def onward(self, call: Call) -> "Action":
        """The press that opens another reply from this one, with Back leading here."""
        return Action("open", call, (*self.trail, self.call)[-DEEPEST:])

    @property
    def back(self) -> "Action | None":
        """The press of Back, or None at the beginning."""
        return Action("open", self.trail[-1], self.trail[:-1]) if self.trail else None


@dataclass(frozen=True, slots=True)
class ActionButton:
    """A button as an adapter draws it: words, what it does, whether it stands out."""

    label: str
    action: Action
    primary: bool = False


@dataclass(frozen=True, slots=True)
class RenderedButton:
    """A button ready to be drawn: its words, the text it carries, whether it stands out."""

    label: str
    value: str
    primary: bool = False


def personal(call: Call, commands: CommandSet) -> bool:
    """Whether an answer is about what its person keeps or changed: nobody else's to read, nor to be done again."""
    command = commands.get(call.command)
    return command is None or bool(command.needs)


def settled(action: Action, reply: Reply, commands: CommandSet) -> Action:
    """The press that gives the same answer later: a number of a list, a part of a name, a draw become the paper.

    Otherwise Back and Share would show another paper once the person's list has changed.
    """
    call = action.call
    command = commands.get(call.command)
    if command is None or command.needs or reply.error is not None or reply.command != command.name:
        return action
    named = [parameter.name for parameter in command.parameters if parameter.kind is Kind.PAPER]
    ids = [shown.paper.id for shown in reply.papers]
    about = ", ".join(ids) if ids and not reply.listed else _paper_of_buttons(reply)
    if about is None:
        return action
    if len(named) == 1 and named[0] in call.arguments:
        return replace(action, call=Call(call.command, {**call.arguments, named[0]: about}))
    return action if named or reply.listed or len(ids) > 1 else replace(action, call=Call("tldr", {"paper": about}))


def _paper_of_buttons(reply: Reply) -> str | None:
    """The paper that an answer's own buttons are about: how `similar` says whose neighbours it lists."""
    papers = {str(button.call.arguments["paper"]) for button in reply.buttons if "paper" in button.call.arguments}
    return papers.pop() if len(papers) == 1 else None


def controls(reply: Reply, action: Action, *, may_share: bool) -> tuple[ActionButton, ...]:
    """The buttons under a private reply that `press` opened: its own, then Back, then Share for what has papers.

    Share keeps the trail, for platforms that draw the private answer anew after it.
    """
    own = [ActionButton(button.label, _next(action, button.call), button.primary) for button in reply.buttons]
    if action.back is not None:
        own.append(ActionButton("Back", action.back))
    if may_share and reply.papers and reply.error is None:
        own.append(ActionButton("Share to channel", replace(action, verb="share")))
    return tuple(own)


def _next(action: Action, call: Call) -> Action:
    """Turning pages replaces the page: Back leads out of the list, not through its pages."""
    if call.command == action.call.command and "page" in call.arguments:
        return Action("open", call, action.trail)
    return action.onward(call)


def shared_buttons(reply: Reply, call: Call, sharer: str) -> tuple[ActionButton, ...]:
    """The buttons under a shared post: what opens privately for whoever presses, and Delete for the sharer."""
    own: list[ActionButton] = []
    if len(reply.papers) == 1:
        paper = reply.papers[0].paper
        own = [ActionButton(b.label, Action("open", b.call)) for b in paper_buttons(paper, without=reply.command)]
    own.append(ActionButton("Delete", Action("unshare", call, sharer=sharer)))
    return tuple(own)


def paper_buttons_of(reply: Reply, action: Action, index: int) -> tuple[ActionButton, ...]:
    """The buttons of one paper of a list (`index` from 0): where a platform draws some under each card."""
    paper = reply.papers[index].paper
    return tuple(ActionButton(button.label, action.onward(button.call)) for button in paper_buttons(paper))


class ActionKeeper(Protocol):
    """Where long presses are kept (bot.store.inbound.ActionStore)."""

    async def put(self, body: str) -> str:
        """Keep a body and give its key."""
        ...

    async def get(self, key: str) -> str | None:
        """The body of a key, or None."""
        ...


class ActionCodec:
    """Presses to text of at most `longest` characters, and back; what is longer goes to the keeper."""

    def __init__(self, keeper: ActionKeeper, longest: int) -> None:
        self._keeper = keeper
        self._longest = longest

    async def encode(self, action: Action) -> str:
        """The text that a button carries."""
        body = _to_text(action)
        return body if len(body) <= self._longest else "#" + await self._keeper.put(body)

    async def decode(self, text: str) -> Action | None:
        """The press of a button's text; None where it is not ours or was forgotten."""
        body = await self._keeper.get(text[1:]) if text.startswith("#") else text
        return _from_text(body) if body else None


_BODY = TypeAdapter(tuple[str, list[tuple[str, dict[str, Value]]], str])


def _to_text(action: Action) -> str:
    calls = [_pair(call) for call in (action.call, *action.trail)]
    return json.dumps([action.verb, calls, action.sharer], ensure_ascii=True, separators=(",", ":"))


def _pair(call: Call) -> tuple[str, Mapping[str, Value]]:
    return call.command, call.arguments


def _from_text(body: str) -> Action | None:
    try:
        verb, calls, sharer = _BODY.validate_json(body, strict=False)
    except ValidationError:
        return None
    if verb not in {"open", "share", "unshare"} or not calls:
        return None
    first, *trail = (Call(command, arguments) for command, arguments in calls)
    match verb:
        case "open" | "share" | "unshare":
            return Action(verb, first, tuple(trail), sharer)
        case _:
            return None
