"""Lists of papers as files that other programs read."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.papers import Paper


@dataclass(frozen=True, slots=True)
class Export:
    """One format: its name for people, the ending of its files, and how it is written."""

    title: str
    suffix: str
    media_type: str
    write: Callable[[Sequence[Paper]], str]


_SPECIAL = re.compile(r"[&%$#_{}]")
_LONE = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _tex(value: str) -> str:
    """Text that LaTeX shows as it is."""
    return "".join(_LONE.get(char, f"\\{char}" if _SPECIAL.match(char) else char) for char in value)


def bibtex(papers: Sequence[Paper]) -> str:
    """One entry a paper, by its handle; `@inproceedings` where the venue is known."""
    return "\n\n".join(_bibtex_entry(paper) for paper in papers) + "\n"


def _bibtex_entry(paper: Paper) -> str:
    fields = [("title", "{" + _tex(paper.title_text) + "}")]
    if paper.authors:
        fields.append(("author", _tex(" and ".join(paper.authors))))
    known = paper.authors and paper.venue
    if paper.venue:
        fields.append(("booktitle" if known else "howpublished", _tex(paper.venue)))
    if paper.year:
        fields.append(("year", str(paper.year)))
    if paper.url:
        fields.append(("url", re.sub(r"[{}\s]", "", paper.url)))
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields)
    return f"@{'inproceedings' if known else 'misc'}{{{paper.handle},\n{body}}}"


def table(papers: Sequence[Paper]) -> str:
    """Comma-separated values with a heading line. A cell that a spreadsheet would run as a formula gets a quote."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["handle", "title", "authors", "venue", "year", "url", "code"])
    for paper in papers:
        cells = [
            paper.handle,
            paper.title_text,
            "; ".join(paper.authors),
            paper.venue or "",
            str(paper.year or ""),
            paper.url or "",
            " ".join(paper.code),
        ]
        writer.writerow([f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell for cell in cells])
    return out.getvalue()


def markdown(papers: Sequence[Paper]) -> str:
    """A bullet list with links."""
    lines = []
    for paper in papers:
        title = re.sub(r"([\\\[\]*_`<>])", r"\\\1", paper.title_text)
        linked = f"[{title}]({paper.url})" if paper.url else title
        where = " ".join(str(part) for part in (paper.venue, paper.year) if part)
        lines.append(f"- {linked}{f', {where}' if where else ''} (`{paper.handle}`)")
    return "\n".join(lines) + "\n"


EXPORTS = {
    "bibtex": Export("BibTeX", ".bib", "application/x-bibtex", bibtex),
    "csv": Export("CSV", ".csv", "text/csv", table),
    "markdown": Export("Markdown", ".md", "text/markdown", markdown),
}


def export_papers(papers: Sequence[Paper], form: str) -> str:
    """Papers in a format of EXPORTS. Raises KeyError for another."""
    return EXPORTS[form].write(papers)
