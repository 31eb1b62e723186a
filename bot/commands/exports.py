"""Lists of papers as files that other programs read."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.commands.citations import bibtex, csl_json, plain_reference, ris
from bot.papers import Paper
from bot.richtext import Block, Code, Paragraph, text


@dataclass(frozen=True, slots=True)
class Export:
    """One format: its name for people, the ending of its files, and how it is written."""

    title: str
    suffix: str
    media_type: str
    write: Callable[[Sequence[Paper]], str]


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


CITATIONS = {
    "bibtex": Export("BibTeX", ".bib", "application/x-bibtex", bibtex),
    "ris": Export("RIS", ".ris", "application/x-research-info-systems", ris),
    "csl": Export("CSL-JSON", ".json", "application/vnd.citationstyles.csl+json", csl_json),
    "apa": Export("APA", ".txt", "text/plain", plain_reference),
}
"""What `cite` gives."""

EXPORTS = {
    **CITATIONS,
    "csv": Export("CSV", ".csv", "text/csv", table),
    "markdown": Export("Markdown", ".md", "text/markdown", markdown),
}


def export_papers(papers: Sequence[Paper], form: str) -> str:
    """Papers in a format of EXPORTS. Raises KeyError for another."""
    return EXPORTS[form].write(papers)


_PREVIEW = 2_500
"""Characters of a file that stand in the reply itself."""


def preview(content: str) -> tuple[Block, ...]:
    """What stands in the reply itself: the whole of a short file; of a long one the beginning, and that it is that."""
    if len(content) <= _PREVIEW:
        return (Paragraph((Code(content),)),)
    cut = content.rfind("\n", 0, _PREVIEW) + 1 or _PREVIEW
    rest = content.count("\n", cut)
    return (Paragraph((Code(content[:cut]),)), Paragraph(text(f"… and {rest} more lines in the file."), quiet=True))
