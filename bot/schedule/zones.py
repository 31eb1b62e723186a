"""Time zones by the pinned data of the `tzdata` package, never the machine's: found by name, city, country, offset."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
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
    "kst": "Asia/Seoul",
    "hkt": "Asia/Hong_Kong",
    "sgt": "Asia/Singapore",
    "ict": "Asia/Bangkok",
    "wib": "Asia/Jakarta",
    "pkt": "Asia/Karachi",
    "gst": "Asia/Dubai",
    "msk": "Europe/Moscow",
    "trt": "Europe/Istanbul",
    "eet": "Europe/Athens",
    "eest": "Europe/Athens",
    "wet": "Europe/Lisbon",
    "aest": "Australia/Sydney",
    "aedt": "Australia/Sydney",
    "acst": "Australia/Adelaide",
    "awst": "Australia/Perth",
    "nzst": "Pacific/Auckland",
    "nzdt": "Pacific/Auckland",
    "sast": "Africa/Johannesburg",
    "brt": "America/Sao_Paulo",
    "nsw": "Australia/Sydney",
    "act": "Australia/Sydney",
    "uk": "Europe/London",
    "great britain": "Europe/London",
    "england": "Europe/London",
    "scotland": "Europe/London",
    "wales": "Europe/London",
    "korea": "Asia/Seoul",
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


_COUNTRIES = {"usa": "united states", "us": "united states", "america": "united states", "uae": "united arab emirates"}
"""What people call a country that the data names otherwise."""

_FIRST = (
    "Australia/Sydney",
    "Australia/Brisbane",
    "Australia/Adelaide",
    "America/Sao_Paulo",
    "America/Manaus",
    "America/Toronto",
    "America/Vancouver",
    "America/Edmonton",
    "America/Winnipeg",
    "America/Halifax",
    "Europe/Moscow",
    "Europe/Kyiv",
)
"""Where most people of a country of several zones live: the data has its places by where they lie."""

_PLACES = 8
"""Places that a country of several zones is asked about: as many as the United States have."""

_NO_PLACES = {"east", "general", "lhi", "north", "south", "west"}
"""Last parts of the data's older names (`Brazil/East`) that nobody means a place by."""

_OFFSET = re.compile(r"(?:utc|gmt)?\s*(?P<sign>[+-])\s*(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?")
_SEASONS = (datetime(2026, 1, 15, 12, tzinfo=UTC), datetime(2026, 7, 15, 12, tzinfo=UTC))
"""Zones are the same to a person that agree in winter and in summer."""


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
def _by_full_name() -> dict[str, str]:
    return {name.casefold(): name for name in names() if "/" in name}


@cache
def _by_words() -> dict[str, str]:
    """Folded names and their cities; of two zones with one city, the one that comes first in the data."""
    found: dict[str, str] = {}
    regional = [name for name in names() if "/" in name and not name.startswith(("Etc/", "US/", "SystemV/"))]
    for name in regional:
        city = _folded(name.rpartition("/")[2])
        if city not in _NO_PLACES:
            found.setdefault(city, name)
    for name in names():
        if not name.startswith("Etc/"):  # their signs are the other way round: GMT+1 would mean UTC-1
            found[_folded(name)] = name
    return found | _COMMON


@cache
def _by_country() -> dict[str, tuple[str, ...]]:
    """Zones by the folded name of their country, those that only repeat another left out."""
    files = resources.files("tzdata.zoneinfo")

    def rows(file: str) -> list[list[str]]:
        lines = files.joinpath(file).read_text(encoding="utf-8").splitlines()
        return [line.split("\t") for line in lines if line and not line.startswith("#")]

    places = {zone: number for number, zone in enumerate(_FIRST)}
    zones_of: dict[str, dict[tuple[timedelta | None, ...], str]] = {}
    for code, _, zone, *_ in sorted(rows("zone.tab"), key=lambda row: places.get(row[2], len(places))):
        zones_of.setdefault(code, {}).setdefault(_offsets(zone), zone)
    found = {_folded(name): tuple(zones_of[code].values()) for code, name in rows("iso3166.tab") if code in zones_of}
    return found | {word: found[name] for word, name in _COUNTRIES.items()}


def _offsets(zone: str) -> tuple[timedelta | None, ...]:
    return tuple(moment.astimezone(load(zone)).utcoffset() for moment in _SEASONS)


def _at_offset(key: str) -> ZoneAnswer | None:
    """The zone of an offset (`gmt+1`, `utc-5`, `+05:30`), which has no summer time; None for words that are none.

    The data has zones for whole hours alone: for another offset, those places that have it.
    """
    found = _OFFSET.fullmatch(key)
    if found is None:
        return None
    minutes = int(found["hours"]) * 60 + int(found["minutes"] or 0)
    signed = minutes if found["sign"] == "+" else -minutes
    if not signed:
        return ZoneAnswer("UTC")
    name = f"Etc/GMT{'-' if signed > 0 else '+'}{minutes // 60}"
    if minutes % 60 == 0 and name in _known():
        return ZoneAnswer(name)
    offset = timedelta(minutes=signed)
    places = dict.fromkeys(zone for zones in _by_country().values() for zone in zones if offset in _offsets(zone))
    return ZoneAnswer(None, tuple(sorted(places, key=lambda zone: len(set(_offsets(zone)))))[:5])


def shown(name: str, at: datetime) -> str:
    """A zone as people read it, with its offset at that moment: `Europe/Berlin (UTC+02:00)`."""
    offset = at.astimezone(load(name)).strftime("%z")
    words = f"UTC{offset[:3]}:{offset[3:]}"
    if name.startswith("Etc/"):
        return f"{words}, no summer time"
    return name if name == "UTC" else f"{name} ({words})"


def _folded(words: str) -> str:
    decomposed = unicodedata.normalize("NFKD", words.casefold())
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9+-]+", " ", bare).strip()


def find(words: str) -> ZoneAnswer:
    """The zone that a name (`Europe/Berlin`), city, country, offset (`UTC+1`) or short form (`CET`) stands for.

    A country of several zones, and an offset that no zone is fixed at, give places to choose from.
    """
    key = _folded(words[:60])
    if (fixed := _at_offset(words[:60].strip().casefold())) is not None:
        return fixed
    if words in _known() and key not in _COMMON:  # the data's own EST is a zone without summer time: nobody means it
        return ZoneAnswer(words)
    exact = _by_full_name().get(words.casefold()) or _by_words().get(key)
    if exact:
        return ZoneAnswer(exact)
    if country := _by_country().get(key.removeprefix("the ")):
        return ZoneAnswer(country[0]) if len(country) == 1 else ZoneAnswer(None, country[:_PLACES])
    if not key or key in _NO_PLACES:
        return ZoneAnswer(None)
    near = process.extract(key, list(_by_words()), scorer=fuzz.WRatio, score_cutoff=_NEAR, limit=12)
    return ZoneAnswer(None, tuple(dict.fromkeys(_by_words()[match] for match, _, _ in near))[:5])
