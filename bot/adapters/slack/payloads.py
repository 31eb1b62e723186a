"""What Slack sends, as values: parsed once at the door, everything else ignored.

Raises pydantic's ValidationError where a payload is none of its kind.
"""

import re
from dataclasses import dataclass, field

from pydantic import ConfigDict, TypeAdapter

from bot.corpus.references import references_in

_QUIET = ConfigDict(hide_input_in_errors=True)
"""What people typed must not reach the log by way of an error about its shape."""


@dataclass(frozen=True, slots=True)
class Named:
    """Anything with an identifier: a team, a user, a channel."""

    id: str = ""


@dataclass(frozen=True, slots=True)
class Slash:
    """A slash command. The text arrives with entities."""

    __pydantic_config__ = _QUIET
    user_id: str
    channel_id: str
    trigger_id: str
    response_url: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen in a menu."""

    value: str = ""


@dataclass(frozen=True, slots=True)
class BlockAction:
    """One element that was used."""

    action_id: str
    block_id: str = ""
    value: str = ""
    selected_option: Choice | None = None


@dataclass(frozen=True, slots=True)
class Container:
    """What the element stands in."""

    type: str = ""
    message_ts: str = ""
    thread_ts: str | None = None
    is_ephemeral: bool = False


@dataclass(frozen=True, slots=True)
class StateValue:
    """What one element of a view holds when it is submitted."""

    type: str = ""
    value: str | None = None
    selected_option: Choice | None = None
    selected_options: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """Values by block and element."""

    values: dict[str, dict[str, StateValue]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class View:
    """A modal or a home."""

    id: str = ""
    type: str = ""
    private_metadata: str = ""
    state: State = field(default_factory=State)


@dataclass(frozen=True, slots=True)
class MessageIn:
    """A message that was pointed at."""

    text: str = ""
    ts: str = ""
    thread_ts: str | None = None


@dataclass(frozen=True, slots=True)
class Interaction:
    """A press, a choice, a submitted view, a shortcut: one shape, with what each of them has."""

    __pydantic_config__ = _QUIET
    type: str
    user: Named
    channel: Named | None = None
    trigger_id: str = ""
    response_url: str = ""
    actions: tuple[BlockAction, ...] = ()
    container: Container = field(default_factory=Container)
    view: View | None = None
    message: MessageIn | None = None

    @property
    def thread(self) -> str | None:
        """The thread that the message stands in."""
        return self.container.thread_ts or (self.message.thread_ts if self.message else None)


@dataclass(frozen=True, slots=True)
class Typing:
    """Somebody types in a menu that finds things."""

    __pydantic_config__ = _QUIET
    action_id: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class InnerEvent:
    """What happened: a mention, a message, a home that was opened, a channel that has another id now."""

    type: str
    user: str = ""
    channel: str = ""
    text: str = ""
    ts: str = ""
    thread_ts: str | None = None
    subtype: str | None = None
    channel_type: str = ""
    bot_id: str | None = None
    tab: str = ""
    edited: dict[str, object] | None = None
    old_channel_id: str = ""
    new_channel_id: str = ""


@dataclass(frozen=True, slots=True)
class Envelope:
    """An event with its identifier."""

    __pydantic_config__ = _QUIET
    event_id: str
    event: InnerEvent
    team_id: str = ""
    enterprise_id: str | None = None
    event_time: int = 0


SLASH = TypeAdapter(Slash)
INTERACTION = TypeAdapter(Interaction)
TYPING = TypeAdapter(Typing)
ENVELOPE = TypeAdapter(Envelope)

_TOKEN = re.compile(r"<([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>")


def typed(text: str) -> str:
    """What a person typed, from what Slack sends: names of links and channels instead of codes, entities undone.

    Entities are undone once, `&amp;` last, so that somebody's `&amp;lt;` stays `&lt;`. Mentions of people vanish.
    """
    plain = _TOKEN.sub(_token, text)
    return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _token(found: re.Match[str]) -> str:
    code, label = found[1], found[2]
    match code[0]:
        case "@":
            return ""
        case "#":
            return f"#{label}" if label else ""
        case "!":
            return (label or f"@{code[1:]}") if not code.startswith("!date^") else (label or "")
        case _:
            return _linked(code, label)


def _linked(address: str, label: str | None) -> str:
    """What somebody typed who sees a link: its words, but the address where those only stand for one of a paper."""
    if not label or address.partition("://")[2].rstrip("/") == label.rstrip("/"):
        return label or address
    shortened = not any(char.isspace() for char in label) and ("/" in label or "…" in label)
    return address if shortened or any(references_in(address)) else label


_SMILEY = re.compile(r"(?<!\w):[a-z0-9_+'-]{1,100}:")
_WORD = re.compile(r"[^\W_]+(?:[-'’.+][^\W_]+)*\*?")


def first_words(text: str, most: int = 12) -> str:
    """The first words of a message as words to search for: nothing in them reads as a filter or an exclusion."""
    plain = _SMILEY.sub(" ", typed(text[:3000]))
    words = (found[0] for found in _WORD.finditer(plain))
    return " ".join(word for word, _ in zip(words, range(most), strict=False))[:200]
