"""A sentence as words with their places, and which of them stand inside brackets, quotation marks or formulas."""

import re
from dataclasses import dataclass

_WORD = re.compile(r"—|[^\s—]+")
_OPENING = {"(": ")", "[": "]", "{": "}", "“": "”", "⟨": "⟩"}
_STRIPPED = "\"'“”‘’()[]{}.,;:!?"


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without white space; `low` is it without punctuation around it, in lower case.

    `inside` says that brackets or quotation marks are open before it.
    """

    start: int
    end: int
    text: str
    low: str
    inside: bool


def tokenise(sentence: str) -> list[Word]:
    """The words of a sentence, an em dash being a word of its own."""
    inside = enclosed(sentence)
    return [
        Word(
            match.start(),
            match.end(),
            match.group(),
            match.group().strip(_STRIPPED).lower(),
            bool(match.start() and inside[match.start() - 1]),
        )
        for match in _WORD.finditer(sentence)
    ]


def enclosed(sentence: str) -> bytearray:
    """One byte a character and one more: 1 from an opening bracket or quotation mark to before its closing one."""
    marks = bytearray(len(sentence) + 1)
    open_marks: list[tuple[str, int]] = []
    for position, character in enumerate(sentence):
        if character == '"':
            if open_marks and open_marks[-1][0] == '"':
                _, opened = open_marks.pop()
                marks[opened:position] = b"\x01" * (position - opened)
            elif position == 0 or not sentence[position - 1].isalnum():
                open_marks.append(('"', position))
        elif character in _OPENING:
            open_marks.append((_OPENING[character], position))
        elif open_marks and character == open_marks[-1][0]:
            _, opened = open_marks.pop()
            marks[opened:position] = b"\x01" * (position - opened)
    return marks
