"""Which paper: seeded, never twice in a cycle, steered by votes, explained."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from bot.digest.selection import choose, topic_votes
from bot.papers import Paper, Source
from bot.richtext import Text
from bot.schedule.values import Vote


def paper(number: int, *topics: str) -> Paper:
    return Paper(
        id=f"p{number:03d}",
        handle=f"h{number}",
        name=f"N{number}",
        aliases=(),
        title=(Text(f"Title {number}"),),
        title_source="file",
        abstract=(Text("Text."),),
        sources=(Source("f", number + 1, 1),),
        topics=topics,
    )


POOL = [paper(n, "liked" if n % 2 else "disliked") for n in range(40)]
NO_VOTES: dict[str, Vote] = {}


def _first(seed: str, liked: dict[str, Vote]) -> Paper:
    """What a channel gets first."""
    choice = choose(POOL, set(), 1, count=1, seed=seed, liked=liked)
    assert choice is not None
    return choice.picks[0].paper


def test_the_same_seed_gives_the_same_choice_whatever_the_order() -> None:
    one = choose(POOL, set(), 1, count=3, seed="a", liked=NO_VOTES)
    other = choose(list(reversed(POOL)), set(), 1, count=3, seed="a", liked=NO_VOTES)
    assert one == other


def test_channels_differ() -> None:
    first = {_first(f"channel:{n}", NO_VOTES).id for n in range(20)}
    assert len(first) > 5


@given(st.integers(1, 5), st.integers(1, 12))
def test_no_paper_comes_twice_in_a_cycle(count: int, size: int) -> None:
    pool, given_, cycle = POOL[:size], set[str](), 1
    for day in range(30):
        choice = choose(pool, given_, cycle, count=count, seed=f"x/{day}", liked=NO_VOTES)
        assert choice is not None
        ids = [pick.paper.id for pick in choice.picks]
        assert len(set(ids)) == len(ids)
        if choice.new_cycle:
            assert given_ == {entry.id for entry in pool}
            given_ = set()
        assert not given_ & set(ids)
        given_ |= set(ids)
        cycle = choice.cycle


def test_votes_steer_and_exploration_remains() -> None:
    liked = {"liked": Vote(up=20), "disliked": Vote(down=20)}
    found = Counter(_first(f"s{n}", liked).topics[0] for n in range(400))
    # three in four follow the votes, which prefer `liked` almost surely; the fourth is drawn evenly: 7/8 in all
    assert 320 <= found["liked"] <= 380
    assert found["disliked"] >= 20


def test_every_pick_says_why() -> None:
    for n in range(20):
        for liked in (NO_VOTES, {"liked": Vote(up=3)}):
            choice = choose(POOL, set(), 1, count=2, seed=str(n), liked=liked)
            assert choice is not None
            assert all(pick.reason for pick in choice.picks)


def test_an_empty_pool_gives_nothing() -> None:
    assert choose([], set(), 1, count=1, seed="x", liked=NO_VOTES) is None


def test_votes_for_papers_are_votes_for_their_topics() -> None:
    papers = {entry.id: entry for entry in POOL}
    votes = {"p001": Vote(2, 1), "p003": Vote(1, 0), "gone": Vote(5, 5)}
    assert topic_votes(votes, papers.get) == {"liked": Vote(3, 1)}
