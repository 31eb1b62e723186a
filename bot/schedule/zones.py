"""Time zones by the pinned data of the `tzdata` package, never the machine's own, and found by city as well as name."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

from rapidfuzz import fuzz, process

_NEAR = 70.0
"""Likeness in percent (rapidfuzz WRatio) from which a zone is suggested."""

_COMMON = {
    "utc": "UTC",
    "gmt": "UTC",
    "z": "UTC",
    "est": "America/New_York",
    "edt": "America/New_York",
    "et": "America/New_York",
    "cst": "America/Chicago",
    "cdt": "America/Chicago",
    "mst": "America/Denver",
    "mdt": "America/Denver",
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
    "pt": "America/Los_Angeles",
    "cet": "Europe/Berlin",
    "cest": "Europe/Berlin",
    "bst": "Europe/London",
    "ist": "Asia/Kolkata",
    "jst": "Asia/Tokyo",
    "sf": "America/Los_Angeles",
    "san francisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles",
    "boston": "America/New_York",
    "nyc": "America/New_York",
    "washington": "America/New_York",
    "montreal": "America/Toronto",
    "munich": "Europe/Berlin",
    "hamburg": "Europe/Berlin",
    "zurich": "Europe/Zurich",
    "geneva": "Europe/Zurich",
    "lausanne": "Europe/Zurich",
    "barcelona": "Europe/Madrid",
    "milan": "Europe/Rome",
    "cambridge": "Europe/London",
    "oxford": "Europe/London",
    "edinburgh": "Europe/London",
    "beijing": "Asia/Shanghai",
    "shenzhen": "Asia/Shanghai",
    "hangzhou": "Asia/Shanghai",
    "bangalore": "Asia/Kolkata",
    "bengaluru": "Asia/Kolkata",
    "delhi": "Asia/Kolkata",
    "mumbai": "Asia/Kolkata",
    "kyoto": "Asia/Tokyo",
    "osaka": "Asia/Tokyo",
    "tel aviv": "Asia/Jerusalem",
    "abu dhabi": "Asia/Dubai",
    "saint petersburg": "Europe/Moscow",
}
"""What people write for a zone that the database names otherwise; a city counts more than an abbreviation's letter."""


@dataclass(frozen=True, slots=True)
class ZoneAnswer:
    """The zone that words name, or what they may have meant."""

    zone: str | None
    suggestions: tuple[str, ...] = ()


@cache
def names() -> tuple[str, ...]:
    """Every zone of the pinned data, in its own order."""
    return tuple(resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())


@cache
def load(name: str) -> ZoneInfo:
    """The zone of this name. Raises KeyError where the pinned data has none."""
    if name not in _known():
        raise KeyError(name)
    file = resources.files("tzdata.zoneinfo").joinpath(*name.split("/"))
    with file.open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


@cache
def _known() -> frozenset[str]:
    return frozenset(names())


@cache
def _by_words() -> dict[str, str]:
    """Folded names and their cities; of two zones with one city, the one that comes first in the data."""
    found: dict[str, str] = {}
    regional = [name for name in names() if "/" in name and not name.startswith(("Etc/", "US/", "SystemV/"))]
    for name in regional:
        found.setdefault(_folded(name.rpartition("/")[2]), name)
    for name in names():
        found[_folded(name)] = name
    return found | _COMMON


def _folded(words: str) -> str:
    decomposed = unicodedata.normalize("NFKD", words.casefold())
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9+-]+", " ", bare).strip()


def find(words: str) -> ZoneAnswer:
    """The zone that a name (`Europe/Berlin`), a city (`berlin`) or a common short form (`CET`) stands for."""
    key = _folded(words[:60])
    if words in _known() and key not in _COMMON:  # the data's own EST is a zone without summer time: nobody means it
        return ZoneAnswer(words)
    exact = _by_words().get(key)
    if exact:
        return ZoneAnswer(exact)
    if not key:
        return ZoneAnswer(None)
    near = process.extract(key, list(_by_words()), scorer=fuzz.WRatio, score_cutoff=_NEAR, limit=12)
    return ZoneAnswer(None, tuple(dict.fromkeys(_by_words()[match] for match, _, _ in near))[:5])
