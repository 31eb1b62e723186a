"""Where a dollar sign opens a formula and where it is money."""

import re

_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_TEXT_ARGUMENT = re.compile(r"\\[A-Za-z]+\*?(?:\s*\{[^{}]*\})?")
_SIGNS = re.compile(r"[\\^_=<>{}|]")
MAX_SPAN = 3_000
"""Characters between two dollars; more is not a formula of an abstract."""


def is_formula(content: str, after: str) -> bool:
    """Whether what stands between two dollar signs is a formula; `after` is the character behind the second."""
    if not content.strip() or len(content) > MAX_SPAN:
        return False
    signs = bool(_SIGNS.search(content))
    words = len(_WORD.findall(_TEXT_ARGUMENT.sub(" ", content)))
    if content[0].isdigit():
        if "\\" in content and words <= 1:
            return True
        if after.isdigit() or words:
            return False
        return not content[-1].isspace() and content[-1] not in "-–—/,;("
    if signs:
        # two amounts around a command or an underscore are still prose when many words stand between them
        return words <= 4 or "\\" in content
    if content[0].isspace() or content[-1].isspace():
        return words == 0 and len(content.split()) == 1 and (content[0].isspace() or not content[-1].isspace())
    return words <= 3
