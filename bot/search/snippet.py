"""The piece of an abstract that shows why a paper was found."""

from collections.abc import Iterable, Mapping
from itertools import accumulate

from bot.richtext import Inline, Inlines, Mark, Text
from bot.search.words import matching, pieces

LENGTH = 160
"""The most characters a snippet has, ellipses included."""

_CUT = "…"


def snippet(text: str, marked: Iterable[str], rarity: Mapping[str, float] | None = None) -> Inlines:
    """At most `LENGTH` characters of `text` around its best matches, which are marked; cut between words.

    `marked` are stems. The window with the most different stems wins (by `rarity`, 1 each without it), the
    earliest of equal ones. A text without a match gives its beginning.
    """
    text = " ".join(text.split())
    cut = pieces(text)
    written = cut[1::2]
    hits = matching(written, frozenset(marked))
    found: list[tuple[int, int, str]] = []
    if hits:
        ends = list(accumulate(map(len, cut)))
        found = [(ends[2 * n], ends[2 * n + 1], hits[word]) for n, word in enumerate(written) if word in hits]
    start = _window(found, rarity or {}, len(text))
    return _cut(text, start, [(first, last) for first, last, _ in found])


def _window(found: list[tuple[int, int, str]], rarity: Mapping[str, float], length: int) -> int:
    """Where the best window starts."""
    if not found or length <= LENGTH:
        return 0
    room = LENGTH - 30
    best, best_value = 0, 0.0
    for place, (first, _, _) in enumerate(found):
        inside: dict[str, float] = {}
        count = 0
        for _, end, hit in found[place:]:
            if end > first + room:
                break
            inside[hit] = rarity.get(hit, 1.0)
            count += 1
        value = sum(inside.values()) + 0.01 * count
        if value > best_value + 1e-9:
            best, best_value = first, value
    return max(0, best - 20)


def _cut(text: str, start: int, marks: list[tuple[int, int]]) -> Inlines:
    if len(text) - start < LENGTH:
        start = max(0, len(text) - LENGTH + 1)
    if start and (space := text.find(" ", start - 1)) != -1:
        start = space + 1
    room = LENGTH - bool(start)
    end = len(text)
    if end - start > room:
        end = text.rfind(" ", start, start + room)
        if end <= start:  # one word as long as the snippet
            end = start + room - 1
        end = _without_comma(text, start, end)
    nodes: list[Inline] = []
    place = start
    if start:
        nodes.append(Text(_CUT))
    for first, last in marks:
        if first < start or last > end:
            continue
        if first > place:
            nodes.append(Text(text[place:first]))
        nodes.append(Mark((Text(text[first:last]),)))
        place = last
    rest = text[place:end] + (_CUT if end < len(text) else "")
    if rest:
        nodes.append(Text(rest))
    return tuple(nodes)


def _without_comma(text: str, start: int, end: int) -> int:
    while end > start + 1 and text[end - 1] in ",;:–—-":
        end -= 1
    return end
