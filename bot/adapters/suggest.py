"""Choices while somebody types an option: papers, topics, venues, commands."""

from collections import Counter
from collections.abc import Iterable, Sequence

from bot.commands.base import CommandSet, Kind
from bot.library import Library
from bot.papers import Paper
from bot.text import label, straighten

MOST = 25
"""Choices offered at once: what Discord shows. Slack takes 100, and nobody reads them."""

SUGGESTED = frozenset({Kind.PAPER, Kind.TOPIC, Kind.VENUE, Kind.COMMAND})
"""The kinds of parameters that have suggestions."""

Choice = tuple[str, str]
"""What is shown, and what is sent when it is chosen."""


class Suggestions:
    """Suggestions from one library at a time; what has to be counted is counted once for each.

    `longest` is how many characters of a choice the platform takes, of what it shows and of what it sends.
    """

    def __init__(self, commands: CommandSet, longest: int) -> None:
        self._longest = longest
        self._commands = [
            *(command.path for command in commands.here),
            *dict.fromkeys(command.group for command in commands.here if command.group),
        ]
        self._for: Library | None = None
        self._topics: Sequence[str] = ()
        self._venues: Sequence[str] = ()

    def choices(self, kind: Kind, typed: str, library: Library) -> list[Choice]:
        """At most 25 choices for what was typed so far, best first. Empty for kinds without suggestions."""
        typed = typed[: self._longest].strip()
        if library is not self._for:
            self._count(library)
        match kind:
            case Kind.PAPER:
                return [(self._named(paper), paper.id) for paper in library.suggester.suggest(typed, MOST)]
            case Kind.TOPIC:
                return self._matching(self._topics, typed)
            case Kind.VENUE:
                return self._matching(self._venues, typed)
            case Kind.COMMAND:
                return self._matching(self._commands, typed)
            case _:
                return []

    def _count(self, library: Library) -> None:
        self._topics = self._frequent(topic for paper in library.corpus for topic in paper.topics)
        self._venues = self._frequent(paper.venue for paper in library.corpus if paper.venue)
        self._for = library

    def _named(self, paper: Paper) -> str:
        """The handle first: thousands of titles are longer than a choice may be."""
        return label(f"{label(paper.handle, 60)} · {paper.title_text}", self._longest)

    def _frequent(self, names: Iterable[str]) -> list[str]:
        counts = Counter(name for name in names if len(name) <= self._longest and name.strip())
        return [name for name, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))]

    def _matching(self, names: Sequence[str], typed: str) -> list[Choice]:
        """Names that begin with what was typed, then those with a word that does, then those that hold it anywhere.

        `human-ai` also finds the name that has a typographic dash there.
        """
        want = straighten(typed).casefold()
        ranked: list[list[str]] = [[], [], []]
        for name in names:
            folded = straighten(name).casefold()
            if folded.startswith(want):
                ranked[0].append(name)
            elif f" {want}" in folded:
                ranked[1].append(name)
            elif want in folded:
                ranked[2].append(name)
        found = [name for rank in ranked for name in rank][:MOST]
        return [(label(name, self._longest), name) for name in found]
