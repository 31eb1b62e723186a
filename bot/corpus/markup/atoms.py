"""How the pieces of a formula stand beside each other in plain text: spaces, brackets, scripts and accents."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    """What an atom is to its neighbours, after TeX's classes."""

    ORD = auto()
    TEXT = auto()  # words
    NAME = auto()  # a named function: a space before its argument
    OP = auto()  # a big operator: a space on both sides
    BIN = auto()
    REL = auto()
    BAR = auto()
    OPEN = auto()
    CLOSE = auto()
    PUNCT = auto()
    FRACTION = auto()
    SPACE = auto()


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of a formula; `after`: the author left a space behind the command."""

    text: str
    kind: Kind
    after: bool = False


_SUPERSCRIPT = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_NUMBER_UP = re.compile(r"[+\-−]?[0-9]+|[+\-−]")
_ATOM = re.compile(r"[\w.'′*⊤†‡°∞ℓ\u0300-\u036f\u20d7]+|.", re.DOTALL)
_FACTOR = re.compile(
    r"[0-9][0-9.,]*|(?:[^\W\d_][\u0300-\u036f\u20d7]*'*)(?:[₀-₉]+|_\w+|_\([^()]*\))?(?:[⁰¹²³⁴-⁹⁺⁻]+|\^\w+|\^\([^()]*\)|\*)?",
)
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_TIGHT = {"~"}


def atomic(text: str) -> bool:
    """Whether a script or numerator needs no brackets."""
    return bool(_ATOM.fullmatch(text)) or _wrapped(text)


def _wrapped(text: str) -> bool:
    """Whether one pair of brackets encloses the whole text."""
    if len(text) < 2 or (text[0], text[-1]) not in {("(", ")"), ("[", "]"), ("⌊", "⌋"), ("⌈", "⌉"), ("{", "}")}:
        return False
    depth = 0
    for index, char in enumerate(text):
        depth += (char == text[0]) - (char == text[-1])
        if depth == 0:
            return index == len(text) - 1
    return False


def bracketed(text: str, product: bool = False) -> str:
    """The text in brackets unless it is one atom; with `product`, unless it is one factor."""
    if product and not _wrapped(text):
        words = text.isalpha() and len(text) > 2
        return text if _FACTOR.fullmatch(text) or words else f"({text})"
    scripts = re.fullmatch(r"[\w.'*^₀-₉⁰¹²³⁴-⁹\u0300-\u036f\u20d7]+(?:[_^]\([^()]*\))?(?:\([^()]*\))?", text)
    return text if not text or scripts or atomic(text) else f"({text})"


def scripted(base: str, sign: str, script: str) -> str:
    """The base with a superscript (`^`) or subscript (`_`)."""
    if not script:
        return base
    if sign == "^":
        if script in ("*", "⋆", "∗"):
            return base + "*"
        if script in ("∘", "°"):
            return base + "°"
        if set(script) <= {"'", "′"}:
            return base + script
        if script == "⊤":
            script = "T"
        if script in _ORDINALS:
            return base + script
        if _NUMBER_UP.fullmatch(script) and not re.search(r"_\w*[^\W\d]\w*$", base):
            return base + script.translate(_SUPERSCRIPT)
    elif script.isdecimal() and script.isascii():
        return base + script.translate(_SUBSCRIPT)
    return f"{base}{sign}{script}" if atomic(script) else f"{base}{sign}({script})"


def accented(text: str, mark: str, name: str) -> str:
    """A letter with an accent; a longer text in brackets behind the accent's name."""
    if re.fullmatch(r"[^\W\d_]['′*₀-₉⁰-⁹]*(?:[_^](?:\w+|\([^()]*\)))*", text) or len(text) == 1:
        return unicodedata.normalize("NFC", text[0] + mark) + text[1:]
    if not text:
        return ""
    return f"{name.removeprefix('wide')}({text})"


def join(atoms: Sequence[Atom], compact: bool = False) -> str:
    """The atoms as text. `compact` leaves no space around signs, as inside a script."""
    parts: list[str] = []
    previous: Atom | None = None
    spaced = False
    for index, atom in enumerate(atoms):
        if atom.kind is Kind.SPACE:
            spaced = True
            if atom.text.strip():
                parts.append(atom.text.strip())
            continue
        following = next((a for a in atoms[index + 1 :] if a.kind is not Kind.SPACE), None)
        gap = previous is not None and _gap(atoms, index, previous, atom, following, spaced, compact)
        parts.append((" " if gap else "") + atom.text)
        previous, spaced = atom, False
    return "".join(parts) + (" " if spaced and parts else "")


def _gap(
    atoms: Sequence[Atom], index: int, previous: Atom, atom: Atom, following: Atom | None, spaced: bool, compact: bool
) -> bool:
    """Whether a space stands between two atoms."""
    left, right = previous.kind, atom.kind
    if left is Kind.OPEN or right in (Kind.CLOSE, Kind.PUNCT):
        return False
    if right is Kind.REL:
        return not compact and following is not None
    if left is Kind.REL:
        first = all(a.kind is Kind.SPACE for a in atoms[: index - (2 if spaced else 1)])
        if compact:
            return False
        if first:
            return (previous.after or spaced) and previous.text not in _TIGHT
        return True
    if left is Kind.PUNCT:
        return not compact and (spaced or not atom.text[:1].isdigit() or previous.text == ";")
    if right is Kind.BIN:
        return spaced and following is not None and not compact
    if left is Kind.BIN:
        before = atoms[index - 2].kind if index >= 2 else None
        wide = before is Kind.SPACE or spaced
        return wide and not compact and before is not None
    if left is Kind.BAR or right is Kind.BAR:
        return (spaced or (left is Kind.BAR and previous.after and right is not Kind.BAR)) and not compact
    word = atom.text[:1].isalnum() or atom.text[:1] in "√∑∏∫ℝℕℤℂ"
    if left is Kind.NAME:
        return spaced or word or (previous.after and right is not Kind.OPEN)
    if left is Kind.OP:
        return True if word else spaced
    if right in (Kind.NAME, Kind.OP, Kind.TEXT):
        return (
            spaced
            or (previous.text[-1:].isalnum() and right is not Kind.TEXT and len(atom.text) > 1)
            or left is Kind.CLOSE
        )
    if left is Kind.FRACTION:
        return spaced or word
    return spaced
