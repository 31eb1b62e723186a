"""Folding: one spelling for what people type in many ways.

Case, accents, compatibility forms, Greek letters (`τ` is `tau`), hyphens and spaces, `A*`. Keys of names are
compared folded, and the index and its queries see nothing but folded words.
"""

import re
import unicodedata

_GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon
    phi chi psi omega
"""
GREEK = {
    chr(start + step): name
    for start in (0x391, 0x3B1)
    for step, name in zip([*range(17), *range(18, 25)], _GREEK_NAMES.split(), strict=True)
} | {"ς": "sigma", "ϕ": "phi", "ϵ": "epsilon", "ϑ": "theta", "ℓ": "l", "∇": "nabla", "∂": "partial"}
"""Letters by what they are called when they are typed."""

_LETTERS = {
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "AE", "œ": "oe",
    "Œ": "OE", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ß": "ss", "ẞ": "SS",
}  # fmt: skip
_FOLDED = str.maketrans({**GREEK, **_LETTERS})
_MARKS = re.compile("[\u0300-\u036f]+")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−﹣－", "-") | dict.fromkeys("‘’‛′＇`", "'"))
_STARS = re.compile(r"(?<![^\W_])([^\W_])(\*|\+\+|#)(?![^\W_])")
_SPOKEN = {"*": "star", "++": "plusplus", "#": "sharp"}
_NOT_WORD = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Text without accents, compatibility forms and Greek letters; case is kept, dashes become `-`."""
    if text.isascii():
        return text
    text = text.translate(_FOLDED)
    text = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", text).translate(_FOLDED).translate(_DASHES)


def spoken(text: str) -> str:
    """Folded text in which the marks of `A*`, `C++` and `C#` are words (`Astar`)."""
    return _STARS.sub(lambda found: found[1] + _SPOKEN[found[2]], text)


def words(text: str) -> list[str]:
    """The folded, lower-case words of a name or query, for comparing: `Schur-A*` gives `schur`, `astar`."""
    return _NOT_WORD.sub(" ", spoken(fold(text)).casefold()).split()


def key(text: str) -> str:
    """What two spellings of one name have in common: `Flex Rank`, `flex-rank`, `FlexRank` give `flexrank`."""
    return "".join(words(text))
