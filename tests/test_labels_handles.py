"""Handles: readable, short, unique, never taken."""

import random
import re
import string
import sys
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.corpus.labels import Label, assign, derive, handle_base
from bot.corpus.markup import parse

SHAPE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def named(name: str, *aliases: str, title: str = "", phrase: bool = False) -> Label:
    return Label(name, aliases, phrase=phrase, title=title or name)


@pytest.mark.parametrize(
    ("label", "handle"),
    [
        (named("τ-Knowledge"), "tau-knowledge"),
        (named("φ-balancing"), "phi-balancing"),
        (named("SCHUR-A*"), "schur-a"),
        (named("xKV"), "xkv"),
        (named("Naïve Résumé"), "naive-resume"),
        (named("D²Evo"), "d2evo"),
        (named("λ-PSD"), "lambda-psd"),
        (named("Straße"), "strasse"),
        (named("RoboTwin 2.0"), "robotwin-2-0"),
        (named("Gated Layer Skipping", "GLS"), "gls"),
        (named("Gated Layer Skipping", "layer-repo"), "gated-layer-skipping"),
        (named("Missed-Step Fraction", "MSF"), "missed-step-fraction"),
        (named("Distant Layer Score", "DLS"), "distant-layer-score"),
        (named("memory-anchored decoding", phrase=True), "memory-anchored-decoding"),
        (named("layer-unaligned RL token distillation", "LU RL distillation", phrase=True), "lu-rl-distillation"),
        (named("数据", title="Data of All Kinds"), "data-of-all-kinds"),
        (named("数据", title="数据"), "paper"),
    ],
)
def test_the_handle_is_what_a_person_would_type(label: Label, handle: str) -> None:
    assert handle_base(label) == handle


def test_a_long_name_is_cut_between_words() -> None:
    assert handle_base(named("Alpha Beta Gamma Delta Epsilon Zeta Eta Theta")) == "alpha-beta-gamma-delta-epsilon"


def test_the_second_of_a_name_gets_a_telling_word_of_its_title() -> None:
    first = named("CAMEL", title="CAMEL: agents that talk to each other")
    second = named("CAMEL", title="CAMEL: a capacity-aware mixture law that models validation loss")
    assert assign([first, second], {}) == ["camel", "camel-mixture"]


def test_numbers_are_the_last_resort() -> None:
    assert assign([named("CAMEL")] * 3, {}) == ["camel", "camel-2", "camel-3"]


def test_a_taken_handle_is_never_given_again() -> None:
    label = named("CAMEL", title="CAMEL: a mixture law")
    assert assign([label], {"camel": "somebody"}) == ["camel-mixture"]
    assert assign([label], {"camel": 1, "camel-mixture": 2}) == ["camel-2"]


def test_ten_thousand_of_one_name_are_told_apart() -> None:
    handles = assign([named("CAMEL")] * 10_000, {"camel-77": None})
    assert len(set(handles)) == 10_000
    assert "camel-77" not in handles


words = st.text(alphabet=st.characters(codec="utf-8"), max_size=60)
labels = st.builds(
    Label,
    name=words,
    aliases=st.lists(words, max_size=3).map(tuple),
    phrase=st.booleans(),
    title=words,
)
few = st.text(alphabet="aB-é*φ 1", max_size=4)
colliding = st.builds(Label, name=few, aliases=st.just(()), phrase=st.booleans(), title=few)


@given(labels)
def test_every_label_has_a_handle_of_the_right_shape(label: Label) -> None:
    handle = handle_base(label)
    assert SHAPE.fullmatch(handle)
    assert len(handle) <= 32


@given(st.lists(colliding, max_size=40), st.sets(st.sampled_from(["a", "b", "1", "paper", "a-2", "phi"])))
def test_handles_are_unique_stable_and_free(given_labels: list[Label], taken: set[str]) -> None:
    handles = assign(given_labels, dict.fromkeys(taken))
    assert handles == assign(given_labels, dict.fromkeys(taken))
    assert len(set(handles)) == len(given_labels)
    assert not taken & set(handles)
    assert all(SHAPE.fullmatch(handle) and len(handle) <= 32 for handle in handles)


tokens = st.sampled_from(
    ["We", "propose", "introduce", "a", "the", "Zorb-Net", "(ZN)", "(", ")", ",", ".", ":", "—", "which", "method",
     "called", "our", "X", "is", "$\\tau$-Zorb", "**ZORB**", "https://github.com/a/b", "(RL)", "Deep", "of", "and",
     "*", "é", "-", "learning"]
)  # fmt: skip


@given(st.one_of(st.text(max_size=300), st.lists(tokens, max_size=60).map(" ".join)), st.text(max_size=80))
def test_any_text_has_a_label(text: str, title: str) -> None:
    for label in (derive(parse(text)), derive(parse(text), title=parse(title), links=(title, text))):
        assert label.name.strip()
        assert label.title.strip()
        assert label.name not in label.aliases
        assert len(set(label.aliases)) == len(label.aliases)
        assert SHAPE.fullmatch(handle_base(label))


@given(st.text(alphabet=string.ascii_letters + "()[]{}- .,", min_size=2_000, max_size=3_000))
def test_a_long_run_of_brackets_and_letters_has_a_label(text: str) -> None:
    assert derive(parse(text * 4)).name


def calls_of(work: Callable[[], object]) -> int:
    """How many calls, of Python's functions and of C's, this work takes: the same on a busy machine."""
    count = 0

    def one(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(one)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def _derived(title: str) -> Label:
    return derive(parse(title))


@pytest.mark.parametrize(
    "letters", [string.ascii_letters + "()[]{}- .,", "()[]{}- .,", "([{", "A(", "a b(", "Ab-C ("], ids=repr
)
def test_a_long_run_of_brackets_and_letters_is_bounded_work(letters: str) -> None:
    dice = random.Random(1)
    text = "".join(dice.choice(letters) for _ in range(2_500))
    short, long = (calls_of(partial(_derived, text * times)) for times in (1, 4))
    assert long < 6 * short, "four times the text is about four times the work, never its square"
