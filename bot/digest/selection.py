"""Which paper: a pure, seeded choice from what a channel has not seen, steered by its votes, and able to say why.

Topics that a channel voted up are drawn more often: each candidate's worth is the best of its topics' draws from
Beta(1 + up, 1 + down), the posterior of a topic's approval under a uniform prior (Thompson sampling). One pick in
four ignores the votes, so that a channel keeps meeting what it does not know yet.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from bot.library import Library
from bot.papers import Paper
from bot.schedule.values import Pick, Selection, Subscription, Vote, owner_of
from bot.search import parse

EXPLORE = 0.25


def topic_votes(votes: Mapping[str, Vote], paper_of: Callable[[str], Paper | None]) -> dict[str, Vote]:
    """Votes for papers as votes for their topics."""
    up: Counter[str] = Counter()
    down: Counter[str] = Counter()
    for key, vote in votes.items():
        paper = paper_of(key)
        for topic in paper.topics if paper else ():
            up[topic] += vote.up
            down[topic] += vote.down
    return {topic: Vote(up[topic], down[topic]) for topic in {*up, *down}}


def choose(
    pool: Sequence[Paper], given: AbstractSet[str], cycle: int, *, count: int, seed: str, liked: Mapping[str, Vote]
) -> Selection | None:
    """The papers of one delivery; None where the pool is empty.

    `given` are the ids that this cycle has brought already. Where fewer than `count` are left, those are all; where
    none is, a new cycle begins. The same arguments give the same choice, whatever the order of the pool.
    """
    return choose_ordered(in_order(pool), given, cycle, count=count, seed=seed, liked=liked)


def in_order(pool: Sequence[Paper]) -> tuple[Paper, ...]:
    """A pool in the one order that choices are drawn in."""
    return tuple(sorted(pool, key=lambda paper: paper.id))


def choose_ordered(
    ordered: Sequence[Paper], given: AbstractSet[str], cycle: int, *, count: int, seed: str, liked: Mapping[str, Vote]
) -> Selection | None:
    """As `choose`, of a pool that is `in_order` already: what many deliveries draw from is put in order once."""
    if not ordered:
        return None
    left = [paper for paper in ordered if paper.id not in given] if given else ordered
    new_cycle = not left
    if new_cycle:
        left, cycle = ordered, cycle + 1
    dice = random.Random(hashlib.sha256(f"{seed}/{cycle}".encode()).digest())  # noqa: S311 - a pick is no secret
    draws = {topic: dice.betavariate(1 + vote.up, 1 + vote.down) for topic, vote in sorted(liked.items())}
    neutral = dice.betavariate(1, 1) if liked else 0.0
    picks: list[Pick] = []
    while left and len(picks) < count:
        chosen = _one(left, draws, neutral, dice)
        picks.append(chosen)
        if len(picks) < count:
            left = [paper for paper in left if paper.id != chosen.paper.id]
    return Selection(tuple(picks), cycle, new_cycle)


def _one(left: Sequence[Paper], draws: Mapping[str, float], neutral: float, dice: random.Random) -> Pick:
    if not draws or dice.random() < EXPLORE:
        paper = dice.choice(left)
        topic = next(iter(paper.topics), None)
        if draws:
            return Pick(paper, f"something else for a change{f': {topic}' if topic else ''}")
        return Pick(paper, f"on {topic}" if topic else "drawn from the papers not shown here yet")
    worth = [max([draws.get(topic, neutral) for topic in paper.topics], default=neutral) for paper in left]
    best = max(worth)
    paper = dice.choice([entry for entry, value in zip(left, worth, strict=True) if value == best])
    liked = [topic for topic in paper.topics if draws.get(topic, -1.0) == best]
    return Pick(paper, f"this channel liked {liked[0]}" if liked else "not shown here yet")


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
    entry: Subscription, slot: str, library: Library, votes: Mapping[str, Vote], pools: Pools
) -> Callable[..., Selection | None]:
    """The choice for one delivery, as a function of what was given before. `pools` are shared among several."""
    liked = topic_votes(votes, library.corpus.get)
    seed = f"{owner_of(entry)}/{slot}"
    pool = pools.of(entry.topic)  # searched for here, not while the picks are locked

    def choice(given: frozenset[str], cycle: int) -> Selection | None:
        return choose_ordered(pool, given, cycle, count=entry.count, seed=seed, liked=liked)

    return choice
