r"""Text that must stay text in Discord's Markdown, and addresses that may be links.

Discord takes a backslash before any character that is neither letter, digit nor space for "this character, as it is",
and reads no code, mention, address or style that the backslash interrupts. So `<@1>` is sent as `\<@1\>`, `:smile:` as
`\:smile:`, `https://a.b` as `https\://a.b`.
"""

import re
from urllib.parse import quote, urlsplit

from bot.text import one_line

MOST = 20_000
"""Characters that are looked at: several messages' worth, and a bound on the time that any expression takes."""

MOST_URL = 1_000
"""Longer addresses would use up a message; Discord takes 2,048 in an embed."""

_ALWAYS = re.compile(r"[\\*_~`|<>\[\]@]|:(?!\s)")
_LINE_START = re.compile(r"([ ]{0,20})(?:([#+-])(?=[ #]|$)|(\d{1,20})([.)])(?= |$))")
_INVITE = re.compile(r"\b(discord(?:app)?)\.(?=(?:gg|com|new|gift|me)\b)", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::\d{1,5})?", re.IGNORECASE | re.ASCII)
_SAFE_IN_URL = "%/:?#@!$&+,;=-._~"
"""What RFC 3986 lets stand, without the brackets, stars and quotes that would end a link or begin a style."""


def escaped(text: str) -> str:
    """The text as Markdown that shows exactly its characters (those of `one_line`), wherever in a line it stands."""
    kept = one_line(text[:MOST])
    kept = _INVITE.sub(r"\1" + "\0.", _ALWAYS.sub(lambda found: "\\" + found[0], kept)).replace("\0", "\\")
    start = _LINE_START.match(kept)
    if start is None:
        return kept
    place = start.start(2) if start[2] else start.start(4)
    return f"{kept[:place]}\\{kept[place:]}"


def as_code(text: str) -> str:
    """Monospaced, if a code span can hold it: no escape works inside one, so what has a backtick is plain text."""
    kept = one_line(text[:MOST])
    if not kept.strip():
        return kept
    return escaped(kept) if "`" in kept else f"`{kept}`"


def label_brackets(text: str) -> str:
    """A link's label with brackets that cannot end it: pairs stay, others become their wide look-alikes.

    Discord finds the end of a label by counting brackets, whether a backslash stands before them or not.
    """
    depth = 0
    for char in text:
        depth += (char == "[") - (char == "]")
        if depth not in {0, 1}:
            break
    return text.replace("[", "［").replace("]", "］") if depth else text


def usable(url: str) -> str | None:
    """The address as it may stand in a link, or None where it is none of http or https, or too long.

    Characters that could end the link or begin a style are written as percent codes.
    """
    if len(url) > MOST_URL:
        return None
    try:
        parts = urlsplit(url.strip())
        host = parts.netloc.encode("idna").decode("ascii") if not parts.netloc.isascii() else parts.netloc
    except ValueError:  # a bracket in the host, or a host that no domain can be (UnicodeError is one too)
        return None
    if parts.scheme not in {"http", "https"} or not _HOST.fullmatch(host):
        return None
    rest = url.strip()[len(parts.scheme) + 3 + len(parts.netloc) :]
    made = f"{parts.scheme}://{host}{quote(one_line(rest), safe=_SAFE_IN_URL)}"
    return made if len(made) <= MOST_URL else None
