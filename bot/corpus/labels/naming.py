"""From an abstract to its label."""

import re
from collections.abc import Sequence

from bot.corpus.labels.candidates import Candidate, key_of
from bot.corpus.labels.evidence import candidates
from bot.corpus.labels.handles import spelled
from bot.corpus.labels.known import is_known
from bot.corpus.labels.lexicon import FUNCTION, GENERIC_HEADS
from bot.corpus.labels.links import repository_names
from bot.corpus.labels.phrases import contribution
from bot.corpus.labels.titles import cut, gloss
from bot.corpus.labels.tokens import ODD, Flat, flatten, kind_of
from bot.corpus.labels.values import Label
from bot.corpus.labels.wordlist import word_set
from bot.richtext import Inlines, plain

_NAMED = 4.0
"""Score from which a candidate is the paper's name; below it the paper is called by a phrase."""

_USED = 5.5
"""The same for one that no sentence introduces."""

_ALSO = 5.0
"""Score from which another introduced name is an alias."""

_KINDS = word_set("model models module modules network networks architecture loss benchmark dataset transformer agent")

_COLON = re.compile(r"^\s*([^:?!]{1,60}?)\s*:\s+\S")
_UNTITLED = "untitled paper"


def derive(abstract: Inlines, *, title: Inlines | None = None, links: Sequence[str] = ()) -> Label:
    """The label of a paper from its abstract, its title where known, and its addresses.

    Never raises; an empty abstract without a title gives `untitled paper`.
    """
    flat = flatten(abstract)
    addresses = (*links, *flat.links)
    real = " ".join(plain(title).split()) if title is not None else ""
    repositories = repository_names(addresses)
    ranked = candidates(flat, repositories)
    best = _best(ranked)
    prefix = _title_name(real)
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
        aliases += contribution(flat)
    else:
        phrase = True
        said, short = contribution(flat)
        aliases.append(short)
        name = (_title_phrase(real) if real else "") or said or real or flat.text or _UNTITLED
        name = cut(name, 60)
    aliases += [_without_head(item) for item in (name, *aliases)] if not phrase else []
    aliases += _further(ranked, best)
    aliases += repositories[:2]
    line = real or _title_line(flat, best, name, phrase=phrase)
    return Label(name, _distinct(name, aliases), phrase, line)


def _best(ranked: Sequence[Candidate]) -> Candidate | None:
    """The paper's own name, if it has one: introduced, else used as only one's own is, else a phenomenon's."""
    for candidate in ranked[:3]:
        if candidate.phenomenon:
            continue
        if candidate.score >= _NAMED and candidate.introduced:
            return candidate
        if candidate.score >= _USED and _is_used_as_own(candidate):
            return candidate
    return next((found for found in ranked if found.phenomenon and not is_known(found.name)), None)


def _is_used_as_own(candidate: Candidate) -> bool:
    signs = candidate.signs.keys()
    if "background" in signs or candidate.expansion[:1].islower():
        return False
    return bool(signs & {"subject", "bold", "repository"})


def _called(best: Candidate) -> tuple[str, str]:
    """The form that people say, and the other one.

    An acronym that can be spoken, or in mixed case, is a name; bare initials stand for an expansion of up to three
    words, which is easier to say.
    """
    short = len(best.expansion.split()) <= 3 and best.expansion[:1].isupper() and not best.acronym_first
    if best.expansion and (
        (short and _initials(best.name)) or (kind_of(best.expansion) == ODD and " " not in best.expansion)
    ):
        return best.expansion, best.name
    return best.name, best.expansion


def _without_head(name: str) -> str:
    """A name without the kind of thing it is: `Darwinian Memory System` is also `Darwinian Memory`."""
    words = name.split()
    return " ".join(words[:-1]) if len(words) > 2 and words[-1].casefold() in GENERIC_HEADS | _KINDS else ""


def _initials(name: str) -> bool:
    bare = name.removesuffix("s")
    if not bare.isupper() or not bare.isalpha():
        return False
    return len(bare) <= 2 or bare != name or (len(bare) <= 4 and not set(bare[1:]) & set("AEIOU"))


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
            end = best.expansion_run.end
        more = gloss(flat, end)
        if more:
            return cut(f"{name}: {more}")
    if phrase:
        return cut(name[:1].upper() + name[1:])
    return cut(name)
