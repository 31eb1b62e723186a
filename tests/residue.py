"""What a parse left of the markup, and which words it lost: the measure of the parser, also on a user's own corpus."""

import html
import re
import unicodedata
from collections import Counter

_CLASSES: dict[str, re.Pattern[str]] = {
    "commands": re.compile(r"\\(?:[A-Za-z]+\*?|\S)"),
    "scripts": re.compile(r"[\^_]\{"),
    "dollars": re.compile(r"(?<!\bUS)(?<!\bA)(?<!\bC)\$(?!\s?[0-9]|[0-9.,]|US)"),
    "entities": re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE),
    "tags": re.compile(
        r"</?(?:p|em|i|b|strong|code|br|sub|sup|a|span|div|li|ul|ol|h[1-6]|tt|jats:\w+)(?:\s[^<>]{0,500})?/?>",
        re.IGNORECASE,
    ),
    "stars": re.compile(r"\*\*|(?<![\w*)\]])\*(?=[^\W\d])[^*\n]{1,200}\*(?!\w)"),
    "underscores": re.compile(
        r"(?<![^\s(“\"])_(?=[^\W_])[^_\n]{1,200}[^\W_]_(?![\w/])|(?<!\w)__(?=\w)[^_\n]{1,100} [^_\n]{1,100}__"
    ),
    "quotes": re.compile(r"``|''|`"),
    "private": re.compile("[\ufdd0-\ufdef\U000f0000-\U0010fffd]"),
}


def residue(text: str) -> dict[str, list[str]]:
    """The pieces of markup in a plain text by class; classes without any are absent.

    The classes: `commands`, `scripts`, `dollars` that are no money, `entities`, `tags`, `stars`, `underscores`,
    `quotes` and `private` (the parser's own characters).
    """
    found: dict[str, list[str]] = {}
    for name, pattern in _CLASSES.items():
        pieces = [match[0] for match in pattern.finditer(text)]
        if pieces:
            found[name] = pieces
    return found


# Words, by an extraction that shares nothing with the parser.

_TAG = re.compile(r"</?(?:p|em|strong|code|a|b|i|br|ul|li|ol|sub|sup)(?:\s[^<>]*)?>")
_KEYED = re.compile(
    r"\\(?:cite\w*|ref|[cC]ref|label|begin|end|eqref|vspace|hspace|fontfamily|input|textcolor|color|href)\*?"
    r"(?:\[[^\]]*\])*\{[^}]*\}",
)
_TYPEFACE = re.compile(r"\\(?:text(?:bf|it|tt|sc|sf|rm|up|md|normal|ul)?|emph|underline|math[a-z]+)\*?(?=\{)")
_ACCENT = re.compile(r"""\\["'`^~=.]\{?([A-Za-z])\}?""")
_WORD = re.compile(r"[A-Za-z]{3,}")
_EATEN = re.compile(
    r"\$?\s(?:imes|ightarrow)|(?<![A-Za-z\\])(?:t?ext(?:bf|it|tt)|e?mph|f?ootnote|url|cite|mbox|sqrt)\s*(?=\{)|"
    r"(?<=[~\d^])(?:circ|cite)(?![a-z])"
)
"""Commands that lost their backslash, or a letter with it, on the way here."""
_MOJIBAKE = re.compile("[\xc2-\xef][\x80-\xbf]*[\x80-\x9f][\x80-\xbf]*")
"""UTF-8 that was taken for Latin-1: no letter of it is one of a word."""
_ELEMENT = re.compile(r"</?[a-z][\w:-]*(?:\s[^<>]*)?>")


def words(text: str) -> Counter[str]:
    """The words of a text, without accents and without the signs that join or part them."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return Counter(_WORD.findall(re.sub(r"[_*^`]", "", bare)))


def struck_out(source: str) -> str:
    """The source with its markup struck out, by nothing that the parser uses."""
    text = _TAG.sub("", re.sub(r"</p>|<p>|<br ?/?>", " ", source))
    text = html.unescape(html.unescape(text))
    text = re.sub(r"\]\([^)]*\)", "] ", _KEYED.sub(" ", text))
    text = _ACCENT.sub(r"\1", _TYPEFACE.sub("", text))
    return re.sub(r"[*_`{}$\\]", "", re.sub(r"\\[A-Za-z]+", " ", text))


def lost_words(source: str, text: str) -> Counter[str]:
    """The words of a source that its plain text does not have, neither as words nor as runs of letters."""
    source = _MOJIBAKE.sub("", source)
    eaten = _EATEN.sub(" ", _ELEMENT.sub(" ", html.unescape(source)))
    letters = "".join(char for char in unicodedata.normalize("NFKD", text) if char.isascii() and char.isalpha())
    lost = words(struck_out(source)) - words(text)
    if not lost:
        return lost
    kept = words(struck_out(eaten))
    return Counter({word: count for word, count in lost.items() if word in kept and word not in letters})
