"""Papers as citations: BibTeX, RIS, CSL-JSON, and a plain line as in a list of references.

Forms: BibTeX's entry types and names as in its manual (O. Patashnik, BibTeXing, 1988); RIS as Reference Manager's
specification of 2011; CSL-JSON 1.0.2 of citationstyles.org; the plain line follows the APA's manual, 7th edition.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pylatexenc.latexencode import UnicodeToLatexEncoder

from bot.papers import Paper
from bot.summary.lexicon import words

Work = Literal["article", "inproceedings", "misc"]


@dataclass(frozen=True, slots=True)
class PersonName:
    """An author's name in parts. A body of people (`Institute of X and Y`) has a family name alone, and is `whole`."""

    family: str
    given: str = ""
    suffix: str = ""
    whole: bool = False


_BODY = re.compile(
    r"\b(?:and|of|for)\b|&|\d|^The\b|\b(?:team|group|collaboration|consortium|labs?|institute|university|foundation|inc|ltd"
    r"|research|ai|authors)\.?$",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"(?:Jr|Sr)\.?|I{2,3}|IV")


def person(name: str) -> PersonName:
    """A name as records have it, `Ada von Lovelace` or `Lovelace, Ada`, in parts; particles belong to the family."""
    name = " ".join(name.split())
    before, comma, after = name.partition(",")
    if comma:
        parts = [part.strip() for part in after.split(",")]
        suffix = parts.pop(0) if len(parts) > 1 and _SUFFIX.fullmatch(parts[0]) else ""
        return PersonName(before.strip(), ", ".join(part for part in parts if part), suffix)
    words = name.split(" ")
    if _BODY.search(name) or len(words) == 1:
        return PersonName(name, whole=len(words) > 1)
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    particles = (place for place, word in enumerate(words[1:-1], 1) if word[:1].islower())
    first = next(particles, len(words) - 1)
    return PersonName(" ".join(words[first:]), " ".join(words[:first]), suffix)


_SMALL_WORDS = words("""
    a an and are as at be by can could do does for from how in is it of on or that the their to toward towards via what
    when where which who why with without
""")
_JOURNAL = re.compile(
    r"\b(?:journal|transactions|letters|review|annals|magazine|nature|science|pnas|plos|[jt]mlr)\b", re.IGNORECASE
)
_PREPRINT = re.compile(r"\b(?:arxiv|corr|preprint|biorxiv|medrxiv)\b", re.IGNORECASE)


def _ascii(words: str) -> str:
    return unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()


def citation_key(paper: Paper) -> str:
    """Family name of the first author, year, and the first telling word of the title: `chang2026xkv`."""
    family = person(paper.authors[0]).family.split(" ")[-1] if paper.authors else ""
    title = re.findall(r"[a-z0-9]+", _ascii(paper.title_text.replace("-", "")))
    word = next((word for word in title if word not in _SMALL_WORDS), "")
    key = re.sub(r"[^a-z0-9]", "", _ascii(family)) + str(paper.year or "") + word
    return key if key[:1].isalpha() else paper.handle


def _keyed(papers: Sequence[Paper]) -> Iterator[tuple[str, Paper]]:
    """Each paper with its key; of two with one key the later has a letter behind."""
    taken: set[str] = set()
    for paper in papers:
        key, number = citation_key(paper), 1
        unique = key
        while unique in taken:
            number += 1
            unique = f"{key}{chr(ord('a') + number - 1) if number <= 26 else number}"
        taken.add(unique)
        yield unique, paper


def _id_of(paper: Paper, kind: str) -> str:
    found = sorted(key.partition(":")[2] for key in paper.keys if key.startswith(f"{kind}:"))
    return min(found, key=lambda one: one.startswith("10.48550/"), default="")  # the publisher's before arXiv's own


def _work(paper: Paper) -> Work:
    if not paper.venue or _PREPRINT.search(paper.venue):
        return "misc"
    return "article" if _JOURNAL.search(paper.venue) else "inproceedings"


@cache
def _encoder() -> UnicodeToLatexEncoder:
    return UnicodeToLatexEncoder(
        unknown_char_policy="keep", unknown_char_warning=False, replacement_latex_protection="braces-almost-all"
    )


def _tex(value: str) -> str:
    """Text that LaTeX shows as it is."""
    return str(_encoder().unicode_to_latex(value))


def _tex_name(name: str) -> str:
    one = person(name)
    if one.whole or (not one.given and re.search(r"\sand\s|,", one.family)):
        return "{" + _tex(one.family) + "}"
    return ", ".join(_tex(part) for part in (one.family, one.suffix, one.given) if part)


def bibtex(papers: Sequence[Paper]) -> str:
    """One entry a paper."""
    return "\n\n".join(_bibtex_entry(key, paper) for key, paper in _keyed(papers)) + "\n"


def _bibtex_entry(key: str, paper: Paper) -> str:
    work = _work(paper) if paper.authors else "misc"
    fields: list[tuple[str, str]] = [("title", "{" + _tex(paper.title_text) + "}")]
    if paper.authors:
        fields.append(("author", " and ".join(map(_tex_name, paper.authors))))
    if paper.venue:
        where = {"article": "journal", "inproceedings": "booktitle", "misc": "howpublished"}[work]
        fields.append((where, _tex(paper.venue)))
    if paper.year:
        fields.append(("year", str(paper.year)))
    if doi := _id_of(paper, "doi"):
        fields.append(("doi", re.sub(r"[{}\s]", "", doi)))
    if arxiv := _id_of(paper, "arxiv"):
        fields += [("eprint", arxiv), ("archiveprefix", "arXiv")]
    if paper.url:
        fields.append(("url", re.sub(r"[{}\s]", "", paper.url)))
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields)
    return f"@{work}{{{key},\n{body}}}"


def ris(papers: Sequence[Paper]) -> str:
    """One reference a paper, from TY to ER."""
    return "\n".join(_ris_entry(key, paper) for key, paper in _keyed(papers))


def _ris_entry(key: str, paper: Paper) -> str:
    kinds: Mapping[Work, str] = {"article": "JOUR", "inproceedings": "CPAPER", "misc": "UNPB"}
    lines = [("TY", kinds[_work(paper)]), ("ID", key), ("TI", paper.title_text)]
    for name in paper.authors:
        one = person(name)
        lines.append(("AU", ", ".join(part for part in (one.family, one.given, one.suffix) if part)))
    lines += [("T2", paper.venue or ""), ("PY", str(paper.year or "")), ("DO", _id_of(paper, "doi"))]
    lines += [("UR", paper.url or ""), ("KW", ""), ("ER", " ")]
    return "".join(f"{tag}  - {' '.join(value.split())}\n" for tag, value in lines if value)


def csl_json(papers: Sequence[Paper]) -> str:
    """A list of items, as Zotero, Pandoc and citeproc read it."""
    return json.dumps([_csl_item(key, paper) for key, paper in _keyed(papers)], ensure_ascii=False, indent=2) + "\n"


def _csl_item(key: str, paper: Paper) -> dict[str, object]:
    kinds: Mapping[Work, str] = {"article": "article-journal", "inproceedings": "paper-conference", "misc": "article"}
    item: dict[str, object] = {"id": key, "type": kinds[_work(paper)], "title": paper.title_text}
    if paper.authors:
        item["author"] = [_csl_name(person(name)) for name in paper.authors]
    if paper.year:
        item["issued"] = {"date-parts": [[paper.year]]}
    found = {"container-title": paper.venue, "DOI": _id_of(paper, "doi"), "URL": paper.url}
    return {**item, **{name: value for name, value in found.items() if value}}


def _csl_name(name: PersonName) -> dict[str, str]:
    if name.whole or not name.given:
        return {"literal": name.family}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {part: value for part, value in parts.items() if value}


_MOST_NAMED = 20
"""Authors that a reference names; of more, the first 19 and the last (APA, 7th edition, 9.8)."""


def plain_reference(papers: Sequence[Paper]) -> str:
    """One line a paper, as a list of references has it."""
    return "\n".join(map(_plain_line, papers)) + "\n"


def _plain_line(paper: Paper) -> str:
    names = [_initialled(person(name)) for name in paper.authors]
    if len(names) > _MOST_NAMED:
        who = f"{', '.join(names[: _MOST_NAMED - 1])}, … {names[-1]}"
    else:
        who = ", & ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
    year = f"({paper.year or 'n.d.'})."
    title = paper.title_text.rstrip(".")
    title = title if title.endswith(("?", "!")) else f"{title}."
    where = {"inproceedings": f"In {paper.venue}.", "article": f"{paper.venue}.", "misc": f"{paper.venue or ''}."}
    doi = _id_of(paper, "doi")
    address = f"https://doi.org/{doi}" if doi else paper.url or ""
    head = [who if who.endswith(".") else f"{who}.", year, title] if who else [title, year]
    return " ".join(part for part in (*head, where[_work(paper)].lstrip("."), address) if part)


def _initialled(name: PersonName) -> str:
    initials = " ".join(
        "-".join(f"{part[0]}." for part in word.split("-") if part) for word in name.given.split() if word.strip("-")
    )
    return ", ".join(part for part in (name.family, initials, name.suffix) if part)
