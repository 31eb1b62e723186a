"""What menus offer while somebody types: papers, topics and venues."""

from collections import Counter

from bot.adapters.slack.elements import Json, option
from bot.adapters.slack.render import paper_option
from bot.commands.base import Kind
from bot.dispatch import Dispatcher
from bot.library import Library

MOST = 25
"""Choices offered at once; Slack takes 100, nobody reads them."""

_LONGEST_VALUE = 75


class Suggestions:
    """Options for what was typed so far. Counts of topics and venues are kept until the library changes."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._counted: tuple[Library, dict[Kind, list[str]]] | None = None

    def papers(self, typed: str) -> list[Json]:
        """Papers by handle, name or title; the handle first, since titles are longer than an option may be."""
        return [paper_option(paper) for paper in self._dispatcher.library.suggester.suggest(typed, limit=MOST)]

    def names(self, kind: Kind, typed: str) -> list[Json]:
        """Topics or venues that hold what was typed, the most frequent first."""
        wanted = typed.casefold().strip()
        found = [name for name in self._names()[kind] if wanted in name.casefold()]
        found.sort(key=lambda name: not name.casefold().startswith(wanted))
        return [option(name, name) for name in found[:MOST]]

    def _names(self) -> dict[Kind, list[str]]:
        library = self._dispatcher.library
        if self._counted is None or self._counted[0] is not library:
            topics = Counter(topic for paper in library.corpus for topic in paper.topics)
            venues = Counter(paper.venue for paper in library.corpus if paper.venue)
            self._counted = library, {Kind.TOPIC: _ranked(topics), Kind.VENUE: _ranked(venues)}
        return self._counted[1]


def _ranked(counts: Counter[str]) -> list[str]:
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [name for name, _ in ranked if len(name) <= _LONGEST_VALUE and name.strip()]
