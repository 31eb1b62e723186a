"""YAML as data: bounded, and without the readings that surprise."""

import pytest

from bot.config import MAX_BYTES, MAX_DEPTH, read_yaml
from bot.errors import YamlError


def test_times_stay_text_and_numbers_numbers() -> None:
    document = read_yaml("a: 10:30\nb: 9:30\nc: 09:30\nd: 12\ne: 1.5\nf: on\n", "f")
    assert document.value == {"a": "10:30", "b": "9:30", "c": "09:30", "d": 12, "e": 1.5, "f": True}


def test_every_value_knows_its_line() -> None:
    document = read_yaml("a:\n  b:\n    - x\n    - c: 1\n", "f", first_line=10)
    assert document.line(("a", "b", 1, "c")) == 13
    assert document.line(("a", "b", 1, "c", "not there")) == 13


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("a: 1\nb: 2\na: 3\n", "`a` stands twice"),
        ("[" * (MAX_DEPTH + 1), "nested deeper"),
        ("a: [1", "not valid YAML"),
        ("a: !!python/object:os.system x", "not valid YAML"),
        ("a: 1\n---\nb: 2\n", "not valid YAML"),
        ("x" * (MAX_BYTES + 1), "larger than"),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(YamlError, match=words):
        read_yaml(text, "f")


def test_empty_is_none() -> None:
    assert read_yaml("# only a comment\n", "f").value is None
