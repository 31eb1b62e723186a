import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_papers import CORPUS, PAPERS, paper

from bot.adapters.suggest import Suggestions
from bot.commands import all_commands
from bot.commands.base import Kind
from bot.library import Library
from bot.papers import Corpus, Paper
from bot.search.suggest import Suggester

SUGGESTER = Suggester(CORPUS)


def handles(found: object) -> list[str]:
    assert isinstance(found, list | tuple)
    return [one.handle for one in found if isinstance(one, Paper)]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("mos", ["mosaicmoe"]),
        ("Mosaic", ["mosaicmoe"]),
        ("mosaicm", ["mosaicmoe"]),
        ("kv", ["kvfold"]),
        ("τ", ["tau-shop"]),
        ("tau-s", ["tau-shop"]),
        ("taush", ["tau-shop"]),
        ("prune a", ["prune-a-star"]),
        ("syntax", []),  # only names and titles are suggested by
        ("reward bas", ["mentions-ripple"]),
        ("baselines study", ["mentions-ripple"]),  # the words apart, in another order
        ("component rew", ["sqlweave"]),
    ],
)
def test_what_was_typed_so_far(typed: str, expected: list[str]) -> None:
    assert handles(SUGGESTER.suggest(typed)) == expected


def test_names_come_before_titles_and_beginnings_before_middles() -> None:
    first = paper("search-me", "One", "First abstract.", name="Search Me")
    middle = paper("me", "Two", "Second abstract.", name="A Search")
    title = paper("three", "Search in Three Steps", "Third abstract.", name="Three")
    assert handles(Suggester(Corpus((title, middle, first))).suggest("sear")) == ["search-me", "me", "three"]


@pytest.mark.parametrize(
    ("typed", "handle"), [("mosiac", "mosaicmoe"), ("component rwards", "sqlweave"), ("halfbt", "halfbit")]
)
def test_the_last_word_is_repaired_when_nothing_is_found(typed: str, handle: str) -> None:
    assert handle in handles(SUGGESTER.suggest(typed))


def test_no_more_than_asked_and_each_once() -> None:
    many = Corpus(tuple(paper(f"net-{n}", f"Net {n}: a net of nets", f"Abstract {n}.") for n in range(2_000)))
    suggester = Suggester(many)
    for typed in ("", "n", "net", "net 1", "a"):
        found = handles(suggester.suggest(typed, limit=25))
        assert len(found) == len(set(found)) == 25
    assert handles(suggester.suggest("net 1999")) == ["net-1999"]


@pytest.mark.parametrize(
    ("typed", "handle"),
    [
        ("mosaicmoe", "mosaicmoe"),
        ("Mosaic MoE", "mosaicmoe"),
        ("TAU-SHOP", "tau-shop"),
        ("τ-Shop", "tau-shop"),
        ("tau shop", "tau-shop"),
        ("Prune-A*", "prune-a-star"),
        ("prune-a", "prune-a-star"),
        ("prune a star", "prune-a-star"),
        ("ripple", "ripple"),
        ("Checking Claims Along a Graph", "veritree"),
        ("claims along", "veritree"),
        ("ＫＶＦｏｌｄ", "kvfold"),
        (PAPERS[3].id, "sqlweave"),
        ("“HalfBit”", "halfbit"),
    ],
)
def test_a_name_stands_for_one_paper(typed: str, handle: str) -> None:
    resolution = SUGGESTER.resolve(typed)
    assert resolution.paper
    assert resolution.paper.handle == handle
    assert not resolution.candidates
    assert not resolution.suggestions


def test_a_part_of_several_names_lists_them() -> None:
    resolution = SUGGESTER.resolve("rewards")
    assert resolution.paper is None
    assert set(handles(resolution.candidates)) == {"ripple", "sqlweave"}


def test_one_name_of_two_papers_lists_both() -> None:
    twins = Corpus((paper("one", "One", "First.", name="Twin"), paper("two", "Two", "Second.", name="twin")))
    assert set(handles(Suggester(twins).resolve("twin").candidates)) == {"one", "two"}
    assert Suggester(twins).resolve("two").paper == twins.papers[1]


@pytest.mark.parametrize(
    ("typed", "handle"), [("mosaikmoe", "mosaicmoe"), ("halfbyt", "halfbit"), ("sqlwaeve", "sqlweave")]
)
def test_a_near_miss_is_suggested(typed: str, handle: str) -> None:
    resolution = SUGGESTER.resolve(typed)
    assert resolution.paper is None
    assert handle in handles(resolution.suggestions or resolution.candidates)


@pytest.mark.parametrize("typed", ["", "???", "zzzzzz"])
def test_nothing_is_called_that(typed: str) -> None:
    resolution = SUGGESTER.resolve(typed)
    assert (resolution.paper, resolution.candidates, resolution.suggestions) == (None, (), ())


@given(st.text())
def test_no_text_is_an_error(text: str) -> None:
    assert len(SUGGESTER.suggest(text)) <= 25
    SUGGESTER.resolve(text)


def test_an_empty_corpus() -> None:
    suggester = Suggester(Corpus(()))
    assert suggester.suggest("a") == []
    assert suggester.resolve("a").paper is None


@pytest.mark.parametrize("typed", ["human-ai", "human–ai", "collaboration", "Human-AI coll"])
def test_a_topic_is_offered_however_its_dash_is_typed(typed: str) -> None:
    named = paper("one", "One", "A paper.", topics=("human–AI collaboration",))
    library = Library.of(Corpus((named,), fingerprint="dash"))
    choices = Suggestions(all_commands(), 100).choices(Kind.TOPIC, typed, library)
    assert choices == [("human–AI collaboration", "human–AI collaboration")]
