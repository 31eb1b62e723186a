from string import printable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.search.query import MAX_CHARACTERS, MAX_LIMIT, Query, Years, exclusion, in_english, knowable, parse


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("kv cache", Query(words=("kv", "cache"))),
        ('"kv cache" layers', Query(words=("layers",), phrases=("kv cache",))),
        ("pruning -experts", Query(words=("pruning",), without=("experts",))),
        ('pruning -"dense model"', Query(words=("pruning",), without=("dense model",))),
        ("topic:rl", Query(topics=("rl",))),
        ('topic:"reinforcement learning" reward', Query(words=("reward",), topics=("reinforcement learning",))),
        ("has:code", Query(has_code=True)),
        ("HAS:Code Topic:RL", Query(has_code=True, topics=("RL",))),
        ("venue:icml year:2026", Query(venues=("icml",), years=Years(2026, 2026))),
        ("year:2024-2026", Query(years=Years(2024, 2026))),
        ("year:2026-2024", Query(years=Years(2024, 2026))),
        ("year:>2024", Query(years=Years(2025, None))),
        ("year:>=2024", Query(years=Years(2024, None))),
        ("year:<2024", Query(years=Years(None, 2023))),
        ("year:<=2024", Query(years=Years(None, 2024))),
        ("limit:3 agents", Query(words=("agents",), limit=3)),
        ("limit:0", Query(limit=1)),
        ("limit:9999", Query(limit=MAX_LIMIT)),
    ],
)
def test_the_language(text: str, query: Query) -> None:
    assert parse(text) == query


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("note:this", ("note:this",)),
        ("year:soon", ("year:soon",)),
        ("has:wings", ("has:wings",)),
        ("limit:many", ("limit:many",)),
        ("topic:", ("topic:",)),
        ("don't panic", ("don't", "panic")),
        ("why (and how) do agents fail?", ("why", "(and", "how)", "do", "agents", "fail?")),
        ("input/output: a study", ("input/output:", "a", "study")),
        ("state - of - the art", ("state", "of", "the", "art")),
        ("-5 degrees", ("5", "degrees")),
    ],
)
def test_everything_else_is_plain_words(text: str, words: tuple[str, ...]) -> None:
    assert parse(text) == Query(words=words)


def test_marks_that_phones_type() -> None:
    assert parse("“kv cache” –dense topic:„long context“") == Query(
        phrases=("kv cache",), without=("dense",), topics=("long context",)
    )


@pytest.mark.parametrize("text", ['"kv cache', 'kv "cache', 'kv cache"', '-"kv cache', 'topic:"kv cache'])
def test_a_quotation_mark_without_a_partner_is_no_error(text: str) -> None:
    assert not parse(text).phrases
    assert {"kv", "cache"} <= set(" ".join((parse(text).text, *parse(text).topics, *parse(text).without)).split())


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_typed(text: str) -> None:
    assert parse(text) == Query()
    assert not parse(text).marks


@pytest.mark.parametrize("text", ["???", "—", '""', "-", "... !", "🦆"])
def test_marks_alone_are_told_from_nothing(text: str) -> None:
    assert parse(text) == Query()
    assert parse(text).marks


def test_a_long_text_is_cut_at_a_word() -> None:
    query = parse("word " * 2_000)
    assert query.cut
    assert len(str(query)) <= MAX_CHARACTERS
    assert set(query.words) == {"word"}
    assert not parse("word " * 10).cut


def test_rendering() -> None:
    query = Query(
        words=("kv", "cache"),
        phrases=("low rank",),
        without=("dense", "cross layer"),
        topics=("long context",),
        venues=("ICML",),
        years=Years(2024, None),
        has_code=True,
        limit=5,
    )
    assert str(query) == (
        'kv cache "low rank" -dense -"cross layer" topic:"long context" venue:ICML year:>=2024 has:code limit:5'
    )


QUERY_LIKE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "topic:",
                "venue:",
                "has:code",
                "year:2026",
                "year:>=2020",
                "limit:7",
                "-",
                '"',
                "“",
                "”",
                " ",
                "—",
                "'",
                "\\",
            ]
        ),
        st.text(alphabet=printable, max_size=8),
        st.text(max_size=6),
    ),
    max_size=12,
).map("".join)


@given(QUERY_LIKE)
@example('-a"b c"')
@example('topic:"a"b"c"')
@example("--x")
@example('"a" "a"')
@example("\ue000a\ue000")
def test_what_is_read_can_be_written_and_read_again(text: str) -> None:
    query = parse(text)
    assert parse(str(query)) == query


@given(st.text())
def test_no_text_is_an_error(text: str) -> None:
    parse(text)


@pytest.mark.parametrize(
    ("typed", "read", "sure"),
    [
        ("kv cache not quantization", "kv cache -quantization", True),
        ("diffusion models without images", "diffusion models -images", False),
        ("protein folding but not alphafold", "protein folding -alphafold", True),
        ("agents, not about games or robots", "agents -games -robots", True),
        ("experts except pruning?", "experts -pruning", True),
    ],
)
def test_what_is_left_out_in_plain_words(typed: str, read: str, *, sure: bool) -> None:
    found = exclusion(parse(typed))
    assert found
    assert (str(found.query), found.sure) == (read, sure)


@pytest.mark.parametrize(
    "typed",
    ["why transformers do not generalize", "not pruning", "is attention not enough", "models that are not overfitting"],
)
def test_a_not_that_denies_leaves_nothing_out(typed: str) -> None:
    assert exclusion(parse(typed)) is None


@pytest.mark.parametrize(
    ("typed", "left", "told"),
    [
        ("most cited", "", "citations"),
        ("most cited papers on diffusion", "papers on diffusion", "citations"),
        ("best paper award", "", "awards"),
        ("papers from stanford about agents", "about agents", "where authors work"),
        ("papers on wednesday morning", "", "on which day"),
        ("sort:date diffusion", "diffusion", "no filter `sort:`"),
        ('title:"flow matching" pruning', "pruning", "no filter `title:`"),
    ],
)
def test_what_cannot_be_known_is_said_and_not_searched(typed: str, left: str, told: str) -> None:
    asked = knowable(typed)
    assert asked.text == left
    assert told in " ".join(asked.notes)


@pytest.mark.parametrize(
    "typed", ["what's the best paper on diffusion", "citation recommendation", "topic:vision year:2026", "https://a.b"]
)
def test_what_can_be_known_stays(typed: str) -> None:
    assert knowable(typed).text == typed
    assert not knowable(typed).notes


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("Verstärkungslernen", "try “reinforcement learning”"),
        ("扩散模型", "try “diffusion models”"),
        ("réseaux de neurones pour les images", "try “neural networks”"),
        ("обзор", "try the English words"),
        ("une méthode pour les robots", "try the English words"),
        ("gardening tips", ""),
        ("naive bayes", ""),
    ],
)
def test_another_language_than_the_abstracts(typed: str, told: str) -> None:
    assert (told in (in_english(typed) or "")) if told else in_english(typed) is None
