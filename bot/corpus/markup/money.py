"""Where a dollar sign opens a formula and where it is money."""

import re

_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\s*\{[^{}]*\})?")
_SIGNS = re.compile(r"[\\^_=<>{}|]")
_CALCULATION = re.compile(r"[0-9][0-9,.]*\s*[\\^_+*/=<>({|-]")
MAX_SPAN = 3_000
"""Characters between two dollars; more is not a formula of an abstract."""
_PROSE = 4
"""Words that a formula may hold outside of its commands; two amounts have a sentence between them."""


def is_formula(content: str, after: str) -> bool:
    """Whether what stands between two dollar signs is a formula; `after` is the character behind the second."""
    if not content.strip() or len(content) > MAX_SPAN:
        return False
    signs = _SIGNS.search(content) is not None
    words = len(_WORD.findall(_COMMAND.sub(" ", content)))
    if content[0].isdigit():
        if "\\" in content and words <= 1:
            return True
        if content[-1].isspace() or content[-1] in "-–—/,;(":
            return False
        if signs and _CALCULATION.match(content):
            return words <= _PROSE
        return not after.isdigit() and not words
    if signs:
        return words <= _PROSE or "\\" in content
    if content[0].isspace() or content[-1].isspace():
        return words == 0 and len(content.split()) == 1 and (content[0].isspace() or not content[-1].isspace())
    return words < _PROSE
