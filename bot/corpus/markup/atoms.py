"""How the pieces of a formula stand beside each other in plain text: spaces, brackets, scripts and accents."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto


class AtomKind(Enum):
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
    kind: AtomKind
    after: bool = False


_SUPERSCRIPT = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_NUMBER_UP = re.compile(r"[+\-−]?[0-9]+|[0-9]*[+\-−]")
_ATOM = re.compile(r"[^\W_]*(?:[.'′\u0300-\u036f\u20d7][^\W_]*)*|.", re.DOTALL)
_FACTOR = re.compile(
    r"[0-9][0-9.,]*|(?:[^\W\d_][\u0300-\u036f\u20d7]*'*)(?:[₀-₉]+|_\w+|_\([^()]*\))?(?:[⁰¹²³⁴-⁹⁺⁻]+|\^\w+|\^\([^()]*\)|\*)?",
)
_OPEN_SCRIPT = re.compile(r"[_^]\w+$")
"""A script without brackets, which a letter behind it would join."""
_ORDINALS = frozenset(("st", "nd", "rd", "th"))


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
        under_root = text[1:] if text[:1] in "√∛∜" else text
        return text if _FACTOR.fullmatch(under_root) or _wrapped(under_root) else f"({text})"
    scripts = re.fullmatch(r"[\w.'*^₀-₉⁰¹²³⁴-⁹\u0300-\u036f\u20d7]+(?:[_^]\([^()]*\))?(?:\([^()]*\))?", text)
    return text if not text or scripts or atomic(text) else f"({text})"


def scripted(base: str, sign: str, script: str, single: bool = True) -> str:
    """The base with a superscript (`^`) or subscript (`_`); `single`: the script is one letter, number or word.

    Letters side by side are a product in a superscript, which needs brackets, and an index in a subscript (`x_ij`).
    """
    if not script:
        return base
    if script[0] == "{" and _wrapped(script):
        script = f"({script[1:-1]})"
    if script in ("*", "⋆", "∗"):
        return base + ("*" if sign == "^" else "_*")
    if sign == "^":
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
    bare = _wrapped(script) or (atomic(script) and (single or (sign == "_" and script.isalpha())))
    return f"{base}{sign}{script}" if bare else f"{base}{sign}({script})"


def accented(text: str, mark: str, name: str) -> str:
    """A letter with an accent; a longer text in brackets behind the accent's name."""
    if re.fullmatch(r"[^\W\d_]['′*₀-₉⁰-⁹]*(?:[_^](?:\w+|\([^()]*\)))*", text) or len(text) == 1:
        return unicodedata.normalize("NFC", text[0] + mark) + text[1:]
    if not text:
        return ""
    return f"{name.removeprefix('wide').lower()}({text})"


def join(atoms: Sequence[Atom], compact: bool = False) -> str:
    """The atoms as text. `compact` leaves no space around signs, as inside a script."""
    items: list[_Item] = []
    spaced = False
    for atom in atoms:
        if atom.kind is AtomKind.SPACE:
            spaced = True
            continue
        items.append(_Item(atom, spaced))
        spaced = False
    if any(item.atom.kind is AtomKind.REL for item in items):
        # one formula, one habit: beside a spaced sign the typed ones are spaced too
        items = [
            replace(item, atom=replace(item.atom, kind=AtomKind.REL)) if _compares(item.atom) else item
            for item in items
        ]
    parts: list[str] = []
    for index, item in enumerate(items):
        if index and _gap(items, index, compact):
            parts.append(" ")
        parts.append(item.atom.text)
    return "".join(parts) + (" " if spaced and parts else "")


@dataclass(frozen=True, slots=True)
class _Item:
    """An atom that prints; `spaced`: white space stands before it that counts."""

    atom: Atom
    spaced: bool


def _compares(atom: Atom) -> bool:
    return atom.kind is AtomKind.BIN and atom.text in {"=", "<", ">", ":=", "≤", "≥", "≠", "≈", "∈", "→", "<=", ">="}


_NO_OPERAND = frozenset((AtomKind.OPEN, AtomKind.REL, AtomKind.BIN, AtomKind.PUNCT))


def _operand_before(items: Sequence[_Item], index: int) -> bool:
    return index > 0 and items[index - 1].atom.kind not in _NO_OPERAND


def _loose(items: Sequence[_Item], index: int) -> bool:
    """Whether the author left space on either side of the sign at `index`."""
    before = index > 0 and (items[index].spaced or items[index - 1].atom.after)
    return before or (index + 1 < len(items) and items[index + 1].spaced)


def _gap(items: Sequence[_Item], index: int, compact: bool) -> bool:
    """Whether a space stands before the item at `index`, which is not the first."""
    item, previous = items[index], items[index - 1].atom
    spaced, left, right = item.spaced, previous.kind, item.atom.kind
    last = index + 1 == len(items)
    if left is AtomKind.OPEN or right in (AtomKind.CLOSE, AtomKind.PUNCT):
        return False
    if left is AtomKind.PUNCT:
        return not compact and (spaced or not item.atom.text[:1].isdigit() or previous.text == ";")
    if AtomKind.REL in (left, right):
        if compact:
            return False
        if right is AtomKind.REL:
            return spaced or previous.after if last else True
        return True if _operand_before(items, index - 1) else (previous.after or spaced) and previous.text != "~"
    if right is AtomKind.BIN:
        return not compact and (spaced or previous.after if last else _loose(items, index))
    if left is AtomKind.BIN:
        if compact:
            return False
        if _operand_before(items, index - 1):
            return _loose(items, index - 1)
        return spaced and previous.text not in {"+", "-", "−", "±"}
    if AtomKind.BAR in (left, right):
        return not compact and (spaced or (left is AtomKind.BAR and previous.after and right is not AtomKind.BAR))
    if right is AtomKind.OPEN and left in (AtomKind.ORD, AtomKind.NAME):
        return False
    return spaced or _words_meet(previous, item.atom)


def _words_meet(previous: Atom, atom: Atom) -> bool:
    """Whether two atoms that touch in the source would run into one word."""
    word = atom.text[:1].isalnum() or atom.text[:1] in "√∑∏∫"
    left, right = previous.kind, atom.kind
    if word and _OPEN_SCRIPT.search(previous.text):
        return True
    if left is AtomKind.NAME:
        return word or (previous.after and right is not AtomKind.OPEN)
    if left is AtomKind.OP:
        return word
    if right in (AtomKind.NAME, AtomKind.OP):
        return len(atom.text) > 1 and (previous.text[-1:].isalnum() or left is AtomKind.CLOSE)
    return left is AtomKind.FRACTION and word
