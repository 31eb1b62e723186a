"""Drawing the papers of a delivery: whose pool, whose history, which seed."""

from collections.abc import Callable, Mapping

from bot.digest.pick import Choice, Vote, choose, topic_votes
from bot.digest.values import Subscription
from bot.library import Library
from bot.papers import Paper
from bot.search import parse

POOL_LIMIT = 20_000


def owner_of(entry: Subscription) -> str:
    """Whose picks: the channel's own, or those of the named digest that it shares."""
    return f"digest:{entry.digest}" if entry.digest else f"channel:{entry.id}"


def pool_of(entry: Subscription, library: Library) -> list[Paper]:
    """The papers that a subscription draws from: all, or those that its topic words match."""
    if not entry.topic:
        return list(library.corpus.papers)
    found = library.index.find(parse(entry.topic), 0, POOL_LIMIT)
    return [hit.paper for hit in found.hits]


def chooser(
    entry: Subscription, slot: str, library: Library, votes: Mapping[str, Vote]
) -> Callable[..., Choice | None]:
    """The choice for one delivery, as a function of what was given before."""
    liked = topic_votes(votes, {paper.id: paper for paper in library.corpus})
    seed = f"{owner_of(entry)}/{slot}"
    pool = pool_of(entry, library)  # searched for here, not while the picks are locked

    def choice(given: frozenset[str], cycle: int) -> Choice | None:
        return choose(pool, given, cycle, count=entry.count, seed=seed, liked=liked)

    return choice


def slot_of(day: str, part: int) -> str:
    """The delivery that a part belongs to: a date, and the tens of its part (an extra one is 10, 20, …)."""
    return f"{day}/{part - part % 10:03d}"
