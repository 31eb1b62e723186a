"""From an abstract to its label."""

import re
from collections.abc import Sequence

from bot.corpus.labels.candidates import Candidate, key_of, survey
from bot.corpus.labels.handles import Label, spelled
from bot.corpus.labels.introductions import introductions, mentions, repositories, shape, stems, styles
from bot.corpus.labels.lexicon import GENERIC_HEADS, is_known, word_set
from bot.corpus.labels.phrases import contribution, cut, gloss, title_name, title_phrase
from bot.corpus.labels.tokens import ODD, Flat, flatten, kind_of
from bot.richtext import Inlines, plain

# Names in addresses: what a repository or project page is called.

_CLEAN = re.compile(
    r"[-_.]?(?:official|code|main|release|public|pytorch|repo|project|page|[0-9a-f]{4,})$", re.IGNORECASE
)
_HASH = re.compile(r"[0-9a-f-]{20,}$", re.IGNORECASE)


def repository_names(links: Sequence[str]) -> list[str]:
    """Names of the repositories and project pages behind addresses: `github.com/owner/Name` gives `Name`."""
    names: list[str] = []
    for link in links:
        bare = next(iter(link[:300].split()), "").removeprefix("https://").removeprefix("http://").rstrip(".,;)}\"'/")
        path = re.split(r"[?#]", bare)[0].split("/")
        part = _part(path[0].casefold(), path)
        for _ in range(2):
            part = _CLEAN.sub("", part.removesuffix(".git").removesuffix(".io").removesuffix(".github"))
        if len(part) > 1 and not _HASH.match(part) and part not in names and any(char.isalpha() for char in part):
            names.append(part)
    return names


def _part(host: str, path: list[str]) -> str:
    if host.endswith(("github.com", "gitlab.com")) and len(path) > 2:
        return path[2]
    if host == "anonymous.4open.science" and len(path) > 2:
        return path[2]
    if host.endswith(".github.io"):
        return path[1] if len(path) > 1 else host.removesuffix(".github.io")
    if host.endswith("huggingface.co") and len(path) > 1:
        return path[-1]
    return ""


# The naming rules together: every possible name of an abstract, best first.


def candidates(flat: Flat, repository_names: Sequence[str]) -> list[Candidate]:
    """Every possible name with its score, best first."""
    field = survey(flat)
    introductions(field)
    for candidate in field.table.values():
        mentions(field, candidate)
        shape(field, candidate)
    styles(field)
    repositories(repository_names, field)
    stems(field)
    return sorted(field.table.values(), key=lambda found: (-found.score, found.run.start, len(found.name)))


_NAMED = 4.0
"""Score from which a candidate is the paper's name; below it the paper is called by a phrase."""

_USED = 5.5
"""The same for one that no sentence introduces."""

_ALSO = 5.0
"""Score from which another introduced name is an alias."""

_KINDS = word_set("model models module modules network networks architecture loss benchmark dataset transformer agent")

_LONGEST_PHRASE = 60
_MOST_HYPHENS = 2
_MOST_FURTHER = 8
_UNTITLED = "untitled paper"


def derive(abstract: Inlines, *, title: Inlines | None = None, links: Sequence[str] = ()) -> Label:
    """The label of a paper from its abstract, its title where known, and its addresses.

    Never raises; an empty abstract without a title gives `untitled paper`.
    """
    flat = flatten(abstract)
    repositories = repository_names((*links, *flat.links))
    ranked = candidates(flat, repositories)
    best = _best(ranked)
    real = " ".join(plain(title).split()) if title is not None else ""
    own = title_name(real, ranked)
    if own:
        return _label(own, _forms(best), ranked, repositories, real or cut(own))
    if best is not None:
        name, other = _called(best, real)
        return _label(name, [other], ranked, repositories, real or _named_line(flat, best, name))
    said = contribution(flat)
    named = next((item for item in repositories if _is_name(item)), "")
    if named:
        line = f"{named}: {said.line}" if said.line else named
        return _label(named, [said.name], ranked, repositories, real or cut(line))
    titled = "" if said.proposed else title_phrase(real)
    name = cut(titled or said.name or real or " ".join(flat.text.split()) or _UNTITLED, _LONGEST_PHRASE)
    line = real or cut(_sentence_case(said.line or name))
    further = [form for form in (said.name, *said.others) if form]
    return Label(name, _distinct(name, [*further, *_further(ranked), *repositories[:2]]), phrase=True, title=line)


def _label(
    name: str, forms: Sequence[str], ranked: Sequence[Candidate], repositories: Sequence[str], line: str
) -> Label:
    """The label of a named paper."""
    without_heads = [_without_head(form) for form in (name, *forms)]
    aliases = _distinct(name, [*forms, *without_heads, *_further(ranked), *repositories[:2]])
    return Label(name, aliases, phrase=False, title=line)


def _is_name(repository: str) -> bool:
    """Whether a repository is called like a system (`FlowScore`), not like a title with hyphens."""
    return kind_of(repository) == ODD and not is_known(repository) and repository.count("-") <= _MOST_HYPHENS


def _forms(best: Candidate | None) -> list[str]:
    return [best.name, best.expansion] if best is not None else []


def _sentence_case(line: str) -> str:
    return line[:1].upper() + line[1:]


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


def _called(best: Candidate, title: str) -> tuple[str, str]:
    """The form that people say, and the other one.

    The title decides where it has one of them. Else an acronym that can be spoken, or in mixed case, is a name; bare
    initials stand for an expansion of up to three words, which is easier to say.
    """
    acronym, expansion = best.name, best.expansion
    if not expansion:
        return acronym, ""
    if title and (key_of(acronym) in key_of(title)) != (key_of(expansion) in key_of(title)):
        spelled_out = key_of(expansion) in key_of(title)
    elif " " not in expansion and kind_of(expansion) == ODD:
        spelled_out = True
    else:
        short = len(expansion.split()) <= 3 and expansion[:1].isupper()
        spelled_out = short and not best.acronym_first and _initials(acronym)
    return (expansion, acronym) if spelled_out else (acronym, expansion)


def _without_head(name: str) -> str:
    """A name without the kind of thing it is: `Darwinian Memory System` is also `Darwinian Memory`."""
    words = name.split()
    return " ".join(words[:-1]) if len(words) > 2 and words[-1].casefold() in GENERIC_HEADS | _KINDS else ""


def _initials(name: str) -> bool:
    bare = name.removesuffix("s")
    if not bare.isupper() or not bare.isalpha():
        return False
    return len(bare) <= 2 or bare != name or (len(bare) <= 4 and not set(bare[1:-1]) & set("AEIOU"))


def _further(ranked: Sequence[Candidate]) -> list[str]:
    """Other names that the paper gives: introduced, or emphasised and spelled out."""
    more: list[str] = []
    said = " ".join(candidate.expansion for candidate in ranked)
    for candidate in ranked:
        if len(more) >= _MOST_FURTHER:
            break
        if candidate.phenomenon or (" " in candidate.name and candidate.name in said):
            continue
        styled = bool(candidate.signs.keys() & {"bold", "italic"}) and "background" not in candidate.signs
        if candidate.introduced and candidate.score >= _ALSO:
            more += [candidate.name, candidate.expansion]
        elif styled and candidate.expansion:
            more += [candidate.expansion] if is_known(candidate.name) else [candidate.name, candidate.expansion]
    return more


def _distinct(name: str, aliases: Sequence[str]) -> tuple[str, ...]:
    """Aliases without the name and repeats, each also in ASCII and without a closing sign (`SCHUR-A*`)."""
    kept: list[str] = []
    seen = {name.casefold()}
    for alias in (name, *aliases):
        for form in (alias, spelled(alias).strip("*+ ")):
            if form and form.casefold() not in seen:
                seen.add(form.casefold())
                kept.append(form)
    return tuple(kept)


def _named_line(flat: Flat, best: Candidate, name: str) -> str:
    """`SINQ: augment existing post-training quantizers with …`: a name and the first words that explain it."""
    for at in (best.gloss, *best.mentions):
        if at < 0:
            continue
        span = best.expansion_run
        end = span.end if span is not None and at == span.start else at + best.run.end - best.run.start
        said = gloss(flat, end)
        if said:
            return cut(f"{name}: {said}")
    return cut(name)
