"""Broken hyphenation is joined, suspended hyphens are left alone."""

import pytest

from bot.corpus.markup.repair import join_broken, vocabulary_of
from bot.richtext import Code, Emphasis, Link, Math, Strong, Text

VOCABULARY = vocabulary_of(
    [
        "Calibration of expert-level models, over long-term use.",
        "Tensoror shortand longtorow and theart. (OVERFITTING)",
    ],
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("the calibra- tion of", "the calibration of"),
        ("Calibra- tion matters", "Calibration matters"),
        ("self-calibra- tion", "self-calibration"),
        ("over- fitting", "overfitting"),
        # the joined words occur, but a conjunction suspends the hyphen
        ("tensor- or expert-level", "tensor- or expert-level"),
        ("short- and long-term", "short- and long-term"),
        ("long- to row", "long- to row"),
        # the joined word does not occur
        ("state-of-the- art? calibra- tor", "state-of-the- art? calibra- tor"),
        ("calibra- Tion", "calibra- Tion"),
        ("a - tion", "a - tion"),
    ],
)
def test_join(source: str, expected: str) -> None:
    vocabulary = VOCABULARY - {"theart"}
    assert join_broken((Text(source),), vocabulary) == (Text(expected),)


def test_it_works_inside_elements_and_leaves_formulas_and_code() -> None:
    broken = Text("calibra- tion")
    whole = Text("calibration")
    nodes = (
        Strong((Emphasis((broken,)),)),
        Link("https://a.org", (broken,)),
        Code("calibra- tion"),
        Math("a- b", "a- b"),
    )
    expected = (
        Strong((Emphasis((whole,)),)),
        Link("https://a.org", (whole,)),
        Code("calibra- tion"),
        Math("a- b", "a- b"),
    )
    assert join_broken(nodes, VOCABULARY) == expected


def test_what_needs_nothing_is_the_same_object() -> None:
    nodes = (Text("short- and long-term"), Strong((Text("x"),)))
    assert join_broken(nodes, VOCABULARY) is nodes


def test_the_vocabulary_holds_whole_words_in_lower_case() -> None:
    assert {"calibration", "overfitting", "expert", "long"} <= VOCABULARY
    assert "of" not in VOCABULARY  # nothing so short is ever a joined word


def test_a_word_that_is_usually_hyphened_is_not_run_together() -> None:
    vocabulary = vocabulary_of(["finetuned once, but fine-tuned and fine-tuned", "dataset and dataset, one data-set"])
    nodes = (Text("a fine- tuned model of a data- set"),)
    assert join_broken(nodes, vocabulary) == (Text("a fine-tuned model of a dataset"),)


def test_words_that_end_in_a_conjunction_and_true_hyphens_are_closed() -> None:
    whole = "Moreover, high-dimensional and non-parametric, state-of-the-art, whereas short-term or long-term is none."
    vocabulary = vocabulary_of([whole])
    broken = "More- over, a high- dimensional, non- parametric, state-of-the- art way, where- as short- and, long- to"
    expected = "Moreover, a high-dimensional, non-parametric, state-of-the-art way, whereas short- and, long- to"
    assert join_broken((Text(broken),), vocabulary) == (Text(expected),)
