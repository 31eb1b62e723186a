import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.search.documents import explained
from bot.search.plan import thesaurus
from bot.search.words import MAX_WORD, Vocabulary, american, fold, key, stem, stems, tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Flex Rank", "flexrank"),
        ("flex-rank", "FlexRank"),
        ("τ-Bench", "tau bench"),
        ("φ-balancing", "Phi Balancing"),
        ("naïve", "NAIVE"),
        ("Gödel", "Godel"),
        ("ﬁne", "fine"),
        ("Ｑ４", "q4"),
        ("Schur-A*", "schur a star"),
        ("C++", "c plus plus"),
        ("Łukasz", "lukasz"),
    ],
)
def test_spellings_with_one_key(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("british", "us"),
    [
        ("quantisation", "quantization"),
        ("optimised", "optimized"),
        ("generalising", "generalizing"),
        ("behaviours", "behaviors"),
        ("neighbourhood", "neighborhood"),
        ("modelling", "modeling"),
        ("unlabelled", "unlabeled"),
        ("analyse", "analyze"),
        ("parallelised", "parallelized"),
        ("centre", "center"),
        ("customised", "customized"),
        ("minimise", "minimize"),
    ],
)
def test_british_and_american_are_one(british: str, us: str) -> None:
    assert american(british) == us
    assert stem(british) == stem(us)


@pytest.mark.parametrize(
    "word",
    ["supervised", "precise", "otherwise", "noise", "promise", "expertise", "revised", "exercise", "raised", "disease"],
)
def test_words_that_only_look_british_stay(word: str) -> None:
    assert american(word) == word


def test_supervision_and_supervised_stay_together() -> None:
    assert stem("supervised") == stem("supervision")


@pytest.mark.parametrize(
    ("written", "words", "inner", "joined"),
    [
        ("KV-Cache", ("kv", "cache"), (), "kvcach"),
        ("PuzzleMoE", ("puzzlemoe",), ("puzzl", "moe"), ""),
        ("LoRA", ("lora",), (), ""),
        ("DeltaUCB", ("deltaucb",), ("delta", "ucb"), ""),
        ("A*", ("astar",), (), ""),
        ("Text2SQL", ("texttosql",), ("text", "text2", "2sql", "sql"), ""),
        ("4.23", ("4.23",), (), ""),
        ("1,000", ("1000",), (), ""),
        ("pass^1", ("pass", "1"), (), "pass1"),
        ("snake_case", ("snake", "case"), (), "snakecas"),
        ("model’s", ("model",), (), ""),
    ],
)
def test_words_as_written(written: str, words: tuple[str, ...], inner: tuple[str, ...], joined: str) -> None:
    (found,) = tokens(written)
    assert (found.words, found.inner, found.joined) == (words, inner, joined)


@pytest.mark.parametrize(("one", "many"), [("LLM", "LLMs"), ("VLA", "VLAs"), ("CNN", "cnns"), ("MoE", "MoEs")])
def test_acronyms_in_the_plural(one: str, many: str) -> None:
    assert stems(one) == stems(many)


def test_gps_is_no_plural() -> None:
    assert stems("gps") == ["gps"]


@given(st.text())
def test_any_text_gives_words_without_spaces(text: str) -> None:
    for one in tokens(text):
        for word in (*one.words, *one.forms):
            assert word
            assert not any(map(str.isspace, word))
        assert all(len(word) <= MAX_WORD for word in one.words)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert key(key(text)) == key(text)


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("We use Reinforcement Learning (RL) here.", "rl", ("reinforc", "learn")),
        ("a mixture-of-experts (MoE) layer", "moe", ("mixtur", "of", "expert")),
        ("Large Language Models (LLMs)", "llm", ("larg", "languag", "model")),
        ("chain-of-thought (CoT, for short)", "cot", ("chain", "of", "thought")),
        ("key-value (KV) cache", "kv", ("key", "valu")),
    ],
)
def test_acronyms_that_a_text_explains(text: str, short: str, long: tuple[str, ...]) -> None:
    assert explained(text) == [(short, long)]


@pytest.mark.parametrize(
    "text",
    [
        "as shown (see below)",
        "we test it (on GSM8K)",
        "four models (A)",
        "in the year (2026)",
        "(RL) alone",
        "it is (XY)",
    ],
)
def test_brackets_that_explain_nothing(text: str) -> None:
    assert explained(text) == []


VOCABULARY = Vocabulary(
    {"quantization": 40, "attention": 300, "retention": 20, "model": 900, "modal": 30, "trifuse": 1, "cache": 50}
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("quantizaton", "quantization"),
        ("atention", "attention"),  # the frequent one of two that are one letter away
        ("modle", "model"),
        ("trifuze", "trifuse"),  # a name counts although one paper has it
        ("cahce", "cache"),
        ("kache", "cache"),  # the first letter is wrong
        ("qantizaton", "quantization"),
    ],
)
def test_what_was_meant(typed: str, meant: str) -> None:
    assert VOCABULARY.repaired(typed) == meant


@pytest.mark.parametrize("typed", ["cat", "sourdough", "xyzzy", "1234", "pizza"])
def test_what_nothing_is_close_to(typed: str) -> None:
    assert VOCABULARY.repaired(typed) is None


@given(st.text())
def test_repair_takes_any_word(word: str) -> None:
    VOCABULARY.repaired(word)
    VOCABULARY.nearest(word)


def test_the_thesaurus_is_read() -> None:
    table = thesaurus()
    assert ("compact",) in table[stem("small")]
    assert ("zero", "shot") in table[stem("unseen")]
    assert all(other != (word,) for word, others in table.items() for other in others)
