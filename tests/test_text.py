"""Typographic, invisible and wide characters: one meaning at every entrance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands import all_commands
from bot.commands.dispatch import checked
from bot.commands.grammar import interpret
from bot.search import parse
from bot.text import straighten

COMMANDS = all_commands()
SEARCH = COMMANDS.get("search")
assert SEARCH is not None

PLAIN = {
    **dict.fromkeys("“”„‟«»＂〝〞″", '"'),
    **dict.fromkeys("‘’‚‛‹›′＇`´｀", "'"),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    "：": ":",
    "＞": ">",
    "＃": "#",
    "／": "/",
    "２": "2",
    "ｋ": "k",
    **dict.fromkeys("\u3000\u00a0\u202f\u2009\u2028\x00\x1f\t\n\x85\ud800\ue000", " "),
    **dict.fromkeys("\u200b\ufeff\u2060\u00ad\u200e\u202e\u2066\u3164", ""),
}
"""What each character means, by its name in Unicode."""


@pytest.mark.parametrize(("char", "plain"), PLAIN.items(), ids=[f"U+{ord(char):04X}" for char in PLAIN])
def test_each_character_means_the_same_typed_as_an_option_and_in_a_query(char: str, plain: str) -> None:
    words = f"ab{char}cd"
    assert straighten(words) == f"ab{plain}cd"
    assert interpret(f"search {words} ef", COMMANDS).call.arguments["query"] == f"ab{plain}cd ef"
    assert SEARCH is not None
    assert checked(SEARCH, {"query": f"{words} ef"}) == {"query": f"ab{plain}cd ef"}
    assert parse(f"{words} ef") == parse(f"ab{plain}cd ef")


@pytest.mark.parametrize(
    "typed", ["experts —pruning", "experts –pruning", "experts －pruning", "experts\u3000−pruning"]
)
def test_a_word_is_left_out_whichever_dash_stands_before_it(typed: str) -> None:
    assert SEARCH is not None
    option = str(checked(SEARCH, {"query": typed})["query"])
    line = str(interpret(typed, COMMANDS).call.arguments["query"])
    assert parse(option) == parse(line) == parse("experts -pruning")
    assert parse(option).without == ("pruning",)


def test_joiners_stay_where_they_join() -> None:
    assert straighten("می\u200cخواهم") == "می\u200cخواهم"
    assert straighten("👩\u200d🔬 kv\u200d cache\u200c") == "👩\u200d🔬 kv cache"


@given(st.text(st.one_of(st.characters(), st.sampled_from([*PLAIN, "\u200d", "\u200c", "é"])), max_size=60))
def test_straightening_twice_changes_nothing_more(text: str) -> None:
    once = straighten(text)
    assert straighten(once) == once
    assert "\n" not in once
