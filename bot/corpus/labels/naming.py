"""From an abstract to its label."""

import re
from collections.abc import Sequence

from bot.corpus.labels.evidence import Candidate, candidates, key_of, repository_names
from bot.corpus.labels.handles import spelled
from bot.corpus.labels.known import is_known
from bot.corpus.labels.lexicon import FUNCTION
from bot.corpus.labels.phrases import contribution, cut, gloss, keyphrase
from bot.corpus.labels.tokens import ODD, Flat, flatten, kind_of
from bot.corpus.labels.values import Label
from bot.richtext import Inlines, plain

_NAMED = 4.0
"""Score from which a candidate is the paper's name; below it the paper is called by a phrase."""

_ALSO = 5.0
"""Score from which another introduced name is an alias."""

_COLON = re.compile(r"^\s*([^:?!]{1,60}?)\s*:\s+\S")
_UNTITLED = "untitled paper"


def derive(abstract: Inlines, *, title: Inlines | None = None, links: Sequence[str] = ()) -> Label:
    """The label of a paper from its abstract, its title where known, and its addresses.

    Never raises; an empty abstract without a title gives `untitled paper`.
    """
    flat = flatten(abstract)
    addresses = (*links, *flat.links)
    real = " ".join(plain(title).split()) if title is not None else ""
    ranked = candidates(flat, addresses)
    best = ranked[0] if ranked and ranked[0].score >= _NAMED and ranked[0].introduced else None
    if best is None and ranked and ranked[0].score >= _NAMED + 1.5:
        best = ranked[0]
    prefix = _title_name(real)
    repositories = repository_names(addresses)
    aliases: list[str] = []
    phrase = False
    if prefix:
        name = prefix
        if best is not None:
            aliases += (
                [best.name, best.expansion] if key_of(prefix) in {key_of(best.name), key_of(best.expansion)} else []
            )
    elif best is not None:
        name, other = _called(best)
        aliases.append(other)
    elif odd := next((item for item in repositories if kind_of(item) == ODD and not is_known(item)), ""):
        name = odd
        aliases.append(contribution(flat))
    else:
        phrase = True
        name = (_title_phrase(real) if real else "") or contribution(flat) or keyphrase(flat) or real or _UNTITLED
        name = cut(name, 60)
    aliases += _further(ranked, best)
    aliases += repositories[:2]
    line = real or _title_line(flat, best, name, phrase=phrase)
    return Label(name, _distinct(name, aliases), phrase, line)


def _called(best: Candidate) -> tuple[str, str]:
    """The form that people say, and the other one.

    A pronounceable or mixed-case acronym is a name; initials that no one can say stand for a short expansion.
    """
    if not best.expansion:
        return best.name, ""
    if best.acronym_first or not _initials(best.name) or len(best.expansion.split()) > 4:
        return best.name, best.expansion
    return best.expansion, best.name


def _initials(name: str) -> bool:
    letters = name.casefold()
    return name.isupper() and len(name) <= 4 and sum(letter in "aeiou" for letter in letters[1:]) == 0


def _title_name(title: str) -> str:
    found = _COLON.match(title)
    if found is None:
        return ""
    name = found[1]
    words = name.split()
    if len(words) > 3 or words[0].casefold() in {"position", "towards", "toward", "beyond", "on"}:
        return ""
    if any(kind_of(word) == ODD for word in words) or len(words) == 1:
        return name
    return ""


def _title_phrase(title: str) -> str:
    head = re.split(r"[:?!]|\s(?:for|via|with|in|by|through|from|using|under|without|on|towards?|to)\s", title)[
        0
    ].strip()
    words = [word for word in head.split() if word]
    while words and words[0].casefold() in FUNCTION:
        words.pop(0)
    return " ".join(words) if 2 <= len(words) <= 5 else ""


def _further(ranked: Sequence[Candidate], best: Candidate | None) -> list[str]:
    more: list[str] = []
    for candidate in ranked:
        if candidate is best or len(more) >= 6:
            continue
        if candidate.introduced and candidate.score >= _ALSO:
            more += [candidate.expansion, candidate.name] if candidate.expansion else [candidate.name]
    return more


def _distinct(name: str, aliases: Sequence[str]) -> tuple[str, ...]:
    kept: list[str] = []
    seen = {name.casefold()}
    for alias in [*aliases]:
        for form in (alias, spelled(alias).strip("*+ ")):
            if form and form.casefold() not in seen:
                seen.add(form.casefold())
                kept.append(form)
    ascii_form = spelled(name).strip("*+ ")
    if ascii_form and ascii_form.casefold() not in seen:
        kept.insert(0, ascii_form)
    return tuple(kept)


def _title_line(flat: Flat, best: Candidate | None, name: str, *, phrase: bool) -> str:
    if best is not None and best.gloss >= 0:
        at = best.gloss
        run = best.run
        end = at + run.end - run.start
        if best.expansion_run is not None and at == best.expansion_run.start:
            end = run.end
        more = gloss(flat, end)
        if more:
            return cut(f"{name}: {more}")
    if phrase:
        return cut(name[:1].upper() + name[1:])
    return cut(name)
