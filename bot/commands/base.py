"""What a command is: one declaration that makes its parsing, its help, its options, its page and its tests."""

import re
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from bot.connections import Connections, Offer
from bot.library import Library
from bot.message import Call, ChannelRef, Platform, Reply, User, Value
from bot.papers import Paper
from bot.richtext import Block, Paragraph, said

if TYPE_CHECKING:
    from bot.store.storage import Storage  # brings the database library, which the terminal does without


class Kind(Enum):
    """What a parameter holds. Adapters map it to their option types and suggestions."""

    TEXT = "text"
    PAPER = "paper"
    TOPIC = "topic"
    VENUE = "venue"
    COMMAND = "command"
    INTEGER = "whole number"
    FLAG = "yes or no"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. In text, positional ones are typed in order and a keyword one as `name:value`.

    `options_only` parameters exist where a platform has typed options; in text the query language has them.
    """

    name: str
    kind: Kind
    summary: str
    required: bool = False
    keyword: bool = False
    options_only: bool = False
    many_words: bool = False
    """A keyword that takes all words up to the next keyword: `topic:reinforcement learning count:2`."""
    minimum: int | None = None
    maximum: int | None = None
    many: int = 1
    """How many papers it takes at once: `tldr 1-3`, `save 1 3 5`, `cite xkv, sinq`."""


@dataclass(frozen=True, slots=True)
class Example:
    """What a person may type, shown in help and run as a test: the reply holds every text of `shows`.

    `after` is what they typed before, where the example needs that (a number of a list).
    """

    say: str
    meaning: str
    shows: tuple[str, ...]
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Utterance:
    """Another way to say a command: `words`, with `…` for what stands in for its first parameter, `#` for its `count`.

    It is meant where a paper (or a topic, for a command of topics) is so called; other such lines are searches.
    With `exact` a paper has to be named by its handle, id, address or number: “open 1”, but not “open source”.
    """

    words: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    exact: bool = False


def utterances(*words: str, exact: bool = False, **arguments: Value) -> tuple[Utterance, ...]:
    """Phrases that mean the same."""
    return tuple(Utterance(line, arguments, exact) for line in words)


@dataclass(frozen=True, slots=True)
class Invocation:
    """One run of a command: checked arguments, papers found, who asks and where."""

    user: User
    channel: ChannelRef
    arguments: Mapping[str, Value] = field(default_factory=dict)
    papers: Mapping[str, Paper] = field(default_factory=dict)
    several: Mapping[str, tuple[Paper, ...]] = field(default_factory=dict)
    """The same where a parameter takes many, in the order named; `papers` has the first."""

    def text(self, name: str) -> str:
        """A text argument, or ""."""
        return str(self.arguments.get(name, ""))

    def integer(self, name: str, default: int) -> int:
        """A number argument, or the default."""
        value = self.arguments.get(name, default)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        """A yes-or-no argument; no where it is not given."""
        return self.arguments.get(name) is True


@dataclass(frozen=True, slots=True)
class Context:
    """What commands work with, the same for everyone: the library of this moment and all commands."""

    library: Library
    commands: "CommandSet"
    about: Sequence[Block] = ()
    """What the operator wants `about` to say besides."""
    storage: "Storage | None" = None
    """Schedules and what people keep; None where nothing is kept (the terminal)."""
    connections: Connections = field(default_factory=Connections)
    """The platforms that are connected."""


def storage_of(context: Context) -> "Storage":
    """What is kept, for commands that need Offer.STORAGE."""
    assert context.storage is not None, "a surface offers storage, and there is none"
    return context.storage


Handler = Callable[[Context, Invocation], Reply]
AsyncHandler = Callable[[Context, Invocation], Coroutine[Any, Any, Reply]]


@dataclass(frozen=True, slots=True)
class Command:
    """One command. Its handler runs in a worker thread; an async one too, between its fetches (bot.commands.fetch)."""

    name: str
    summary: str
    handler: Handler | AsyncHandler
    examples: tuple[Example, ...]
    parameters: tuple[Parameter, ...] = ()
    group: str | None = None
    details: str = ""
    order: int = 100
    """Where it stands in help: what people need first comes first."""
    said: tuple[str, ...] = ()
    """Whole lines in small letters that mean this command: what people say to a bot before they know its commands."""
    utterances: tuple[Utterance, ...] = ()
    """Lines around a paper or topic that mean this command."""
    needs: Offer = Offer.NOTHING
    """What it needs of the surface. Where that is lacking it is not listed; whoever types it is told where it works."""

    @property
    def path(self) -> str:
        """Its full name, as typed: `digest on`, `search`."""
        return f"{self.group} {self.name}" if self.group else self.name

    @property
    def usage(self) -> str:
        """`tldr <paper>`, `search <query> [page:…]`."""
        parts = [self.path]
        for parameter in self.parameters:
            if parameter.options_only:
                continue
            word = f"{parameter.name}:…" if parameter.keyword else f"<{parameter.name}>"
            if not parameter.required:
                word = f"[{word.strip('<>')}]"
            parts.append(word)
        return " ".join(parts)


class CommandSet:
    """All commands, found by path, and which of them a surface offers. Raises ValueError where two share one."""

    def __init__(self, commands: Sequence[Command], offers: Offer = ~Offer.NOTHING) -> None:
        self.all = tuple(sorted(commands, key=lambda command: (command.order, command.path)))
        self.offers = offers
        self.here = tuple(command for command in self.all if command.needs in offers)
        """What the surface lists."""
        self._by_path = {command.path: command for command in self.all}
        if len(self._by_path) != len(self.all):
            raise ValueError("two commands share a name")
        self._by_said = {line: command for command in self.all for line in command.said}
        self._utterances = [
            (_pattern(one.words), command, one)
            for command in self.all
            for one in sorted(command.utterances, key=lambda one: -len(one.words))
        ]
        self.groups = tuple(dict.fromkeys(command.group for command in self.all if command.group))

    def at(self, offers: Offer) -> "CommandSet":
        """The same commands on a surface that offers so much."""
        return self if offers == self.offers else CommandSet(self.all, offers)

    def get(self, path: str) -> Command | None:
        """The command of this path, offered here or not, or None."""
        return self._by_path.get(" ".join(path.lower().split()))

    def said(self, line: str) -> Command | None:
        """The command that this whole line means, or None: `hello`, `who are you?`."""
        return self._by_said.get(" ".join(line.lower().split()).rstrip(" ?!."))

    def phrased(self, line: str) -> Iterator[tuple[Call, Utterance]]:
        """The calls that this whole line may mean, each with the utterance that says so."""
        for pattern, command, utterance in self._utterances:
            if found := pattern.fullmatch(line):
                named = found.groupdict()
                arguments = dict(utterance.arguments)
                if "slot" in named:
                    arguments[command.parameters[0].name] = named["slot"].strip()
                if "count" in named:
                    arguments["count"] = int(named["count"])
                yield Call(command.path, arguments), utterance


def _pattern(words: str) -> re.Pattern[str]:
    escaped = re.escape(words).replace("…", "(?P<slot>.+)").replace(r"\#", r"(?P<count>\d{1,2})")
    return re.compile(escaped, re.IGNORECASE)


_LACKING = {
    Offer.STORAGE: "nothing is kept here",
    Offer.DIGEST: "no paper of the day is posted here",
    Offer.NEWS: "nobody is told of news here",
}


def works_in(typed: str, needs: Offer, here: Offer, surfaces: Mapping[Platform, Offer]) -> str:
    """A sentence for who types what needs more than is offered `here`: why it does not work, and where it does."""
    why = next(words for offer, words in _LACKING.items() if offer in needs & ~here)
    places = [name.capitalize() for name, offers in surfaces.items() if needs in offers]
    if not places:
        return f"`{typed}` does not work here: {why}. Whoever runs this bot can switch it on."
    return f"`{typed}` works in {' and '.join(places)}: {why}."


def line(command: str, words: str) -> Reply:
    """A reply of one line."""
    return Reply(command, (Paragraph(said(words)),))
