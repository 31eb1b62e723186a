"""Drawing the papers of a delivery: from which pool, steered by whose votes, with which seed."""

from collections.abc import Callable, Mapping, Sequence

from bot.digest.pick import choose_ordered, in_order, topic_votes
from bot.library import Library
from bot.papers import Paper
from bot.schedule.values import Choice, Subscription, Vote, owner_of
from bot.search import parse

POOL_LIMIT = 20_000


class Pools:
    """The papers that subscriptions draw from, each topic's found once."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._by_topic: dict[str, tuple[Paper, ...]] = {}

    def of(self, topic: str) -> tuple[Paper, ...]:
        """All papers, or those that the topic's words match."""
        found = self._by_topic.get(topic)
        if found is None:
            found = self._by_topic[topic] = in_order(self._find(topic))
        return found

    def _find(self, topic: str) -> Sequence[Paper]:
        if not topic:
            return self._library.corpus.papers
        return [hit.paper for hit in self._library.index.find(parse(topic), 0, POOL_LIMIT).hits]


def chooser(
    entry: Subscription, slot: str, library: Library, votes: Mapping[str, Vote], pools: Pools | None = None
) -> Callable[..., Choice | None]:
    """The choice for one delivery, as a function of what was given before. `pools` are shared among several."""
    liked = topic_votes(votes, library.corpus.get)
    seed = f"{owner_of(entry)}/{slot}"
    pool = (pools or Pools(library)).of(entry.topic)  # searched for here, not while the picks are locked

    def choice(given: frozenset[str], cycle: int) -> Choice | None:
        return choose_ordered(pool, given, cycle, count=entry.count, seed=seed, liked=liked)

    return choice
