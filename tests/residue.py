"""What a parse left of the markup, by class: the measure of the parser, also on a user's own corpus."""

import re

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
