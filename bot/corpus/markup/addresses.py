"""Web addresses in running text: where they end, and which of them may become links."""

import re

from bot.corpus.markup import chars

_STOP = r"\s<>\"`{}|^\\“”‘’。，、；：）（《》「」"
_CHARACTER = rf"(?:[^{_STOP}\]{chars.STRONG_OPEN}{chars.STRONG_CLOSE}{chars.LINK_CLOSE}-\ufdef{chars.SLOTS}]|\](?!\())"
ADDRESS = rf"<?(?i:https?)://(?:{_CHARACTER}|\\[_#%&~-]){{0,2000}}"
"""An http(s) address, with the escapes that LaTeX needs, perhaps in angle brackets. Trim what it matches."""
HOST = rf"\.[a-z]{{2,10}}/(?:[^{_STOP}\[\]$*{chars.ALL}{chars.SLOTS}]|\\_)*"
"""From the last dot of a host on, an address without its scheme: not a link, but its underscores are its own."""

_TRAILING = f".,;:!?'*_{chars.EM_OPEN}{chars.EM_CLOSE}"
_EM = re.compile(f"[{chars.EM_OPEN}{chars.EM_CLOSE}]")
_ESCAPED = re.compile(r"\\([_#%&~$-])")
_WEB = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)


def trimmed(address: str) -> str:
    """The address without the sentence's punctuation and without brackets that close nothing of its own."""
    if address.count(chars.EM_OPEN) != address.count(chars.EM_CLOSE):
        address = _EM.split(address, maxsplit=1)[0]
    end = len(address)
    surplus = {close: address.count(close) - address.count(open_) for open_, close in ("()", "[]")}
    while end:
        last = address[end - 1]
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]


def destination(raw: str) -> str:
    """The address up to the bracket that closes a Markdown link, nothing where none does."""
    depth = 0
    for at, char in enumerate(raw):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return raw[:at]
    return ""


def unescaped(address: str) -> str:
    r"""The address as typed: without LaTeX's escapes, with underscores that a form's Markdown read as emphasis."""
    return "".join(_ESCAPED.sub(r"\1", chars.as_typed(address)).split())


def is_web(address: str) -> bool:
    """Whether it is http or https with a host: the only kind that becomes a link."""
    return _WEB.match(address) is not None
