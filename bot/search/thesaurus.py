"""Words of research talk that stand for one another, from the table in `data/thesaurus.txt`."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from bot.search.words import stems


@cache
def thesaurus() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """For the stem of a word, what else may be meant by it: runs of stems, mostly of one."""
    meant: defaultdict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
    for line in (files("bot.search") / "data" / "thesaurus.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        group = [tuple(stems(entry.replace("_", " "))) for entry in line.split()]
        for entry in group:
            if len(entry) == 1:
                meant[entry[0]].update({other: None for other in group if other != entry})
    return {word: tuple(others) for word, others in meant.items()}
