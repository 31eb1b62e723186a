"""The piece of an abstract that shows why a paper was found."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bot.richtext import Inline, Inlines, Mark, Text
from bot.search.matcher import Matcher

LENGTH = 160
"""The most characters a snippet has, ellipses included."""

_BEFORE = 20
"""Characters shown before the first match, where the text does not start there."""

_ROOM = LENGTH - _BEFORE - 10
"""Characters in which the matches of one snippet lie: what the start and the cut between words leave for sure."""

_CUT = "…"

Hit = tuple[int, int, str]
"""Where a marked word starts and ends, and the stem that finds it."""


def snippet(text: str, marked: Iterable[str], rarity: Mapping[str, float] | None = None) -> Inlines:
    """One snippet; see `Snippets`."""
    wanted = frozenset(marked)
    return Snippets(Matcher(wanted), wanted, rarity or {}).of(text)


class Snippets:
    """Snippets for one query. `marked` are the stems to mark; `rarity` is what each is worth, 1 without it."""

    def __init__(self, matcher: Matcher, marked: frozenset[str], rarity: Mapping[str, float]) -> None:
        self._matcher = matcher
        self._marked = marked
        self._rarity = rarity

    def of(self, text: str) -> Inlines:
        """At most `LENGTH` characters of `text` around its best matches, which are marked; cut between words.

        The stretch with the most different stems wins, by their worth, the earliest of equal ones. A text without
        a match gives its beginning.
        """
        if not text.isprintable() or "  " in text or text[:1] == " " or text[-1:] == " ":
            text = " ".join(text.split())
        marked = self._marked
        found = [
            (start, end, form)
            for start, end, forms in self._matcher.matches(text)
            if (form := next((one for one in forms if one in marked), ""))
        ]
        return _cut(text, self._start(found, len(text)), found)

    def _start(self, found: Sequence[Hit], length: int) -> int:
        """Where the best stretch starts."""
        if not found or length <= LENGTH:
            return 0
        inside: Counter[str] = Counter()
        best, best_worth, worth, first = 0, 0.0, 0.0, 0
        for start, end, form in found:
            while found[first][0] < start and end > found[first][0] + _ROOM:
                left = found[first][2]
                inside[left] -= 1
                worth -= 0.01 if inside[left] else self._rarity.get(left, 1.0) + 0.01
                first += 1
            worth += 0.01 if inside[form] else self._rarity.get(form, 1.0) + 0.01
            inside[form] += 1
            if worth > best_worth + 1e-6:
                best, best_worth = found[first][0], worth
        return max(0, best - _BEFORE)


def _cut(text: str, start: int, found: Sequence[Hit]) -> Inlines:
    """The snippet from `start` on, or a little later, where a word begins."""
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
        while end > start + 1 and text[end - 1] in ",;:–—-":
            end -= 1
    nodes: list[Inline] = [Text(_CUT)] if start else []
    place = start
    for first, last, _ in found:
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
