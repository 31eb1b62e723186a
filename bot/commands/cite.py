"""Papers as citations, to be copied or kept as a file."""

from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter, utterances
from bot.commands.exports import CITATIONS, export_papers, preview
from bot.errors import UsageError
from bot.message import Attachment, Button, Call, Reply, Shown
from bot.richtext import Block, Paragraph, said, text

_MOST = 25


def cite(_context: Context, invocation: Invocation) -> Reply:
    """The papers in one format, as code; several also as a file."""
    papers = invocation.several["paper"]
    name = (invocation.text("format") or "bibtex").lower()
    form = CITATIONS.get(name)
    if form is None:
        raise UsageError(f"`cite` gives {', '.join(f'`format:{known}`' for known in CITATIONS)}.")
    content = export_papers(papers, name)
    blocks: list[Block] = [
        Paragraph(text(f"{len(papers)} papers as {form.title}:" if len(papers) > 1 else f"{form.title}:")),
        *preview(content),
    ]
    if unnamed := [paper.handle for paper in papers if paper.title_source == "derived"]:
        whose = ", ".join(f"`{handle}`" for handle in unnamed[:5])
        blocks.append(
            Paragraph(said(f"The title of {whose} is derived from the abstract: put the real one."), quiet=True)
        )
    elif unknown := [paper.handle for paper in papers if not paper.authors]:
        whose = ", ".join(f"`{handle}`" for handle in unknown[:5])
        blocks.append(Paragraph(said(f"The corpus does not say who wrote {whose}."), quiet=True))
    these = ", ".join(paper.id for paper in papers)  # a number would be another paper's in the next list
    others = [known for known in CITATIONS if known != name]
    return Reply(
        "cite",
        tuple(blocks),
        papers=tuple(Shown(paper) for paper in papers),
        buttons=tuple(
            Button(CITATIONS[other].title, Call("cite", {"paper": these, "format": other})) for other in others
        ),
        attachments=(Attachment(f"papers{form.suffix}", content.encode(), form.media_type),) if len(papers) > 1 else (),
    )


COMMANDS = (
    Command(
        name="cite",
        order=45,
        summary="A paper as a citation: BibTeX, RIS, CSL-JSON or a plain line.",
        handler=cite,
        utterances=(
            *utterances("bibtex of …", "bibtex for …", "citation of …", "citation for …", "how do i cite …"),
            *utterances("ris of …", format="ris"),
            *utterances("apa of …", format="apa"),
            *utterances("bibtex …", "reference for …", exact=True),
            *utterances("ris …", exact=True, format="ris"),
            *utterances("apa …", exact=True, format="apa"),
        ),
        parameters=(
            Parameter(
                "paper",
                Kind.PAPER,
                f"A handle, part of a title, or a number of your last list; up to {_MOST} at once",
                required=True,
                many=_MOST,
            ),
            Parameter("format", Kind.TEXT, f"{', '.join(CITATIONS)}; BibTeX if it is left out", keyword=True),
        ),
        examples=(
            Example("cite xkv", "as BibTeX", ("@misc{xkv,", "title = {{xKV")),
            Example("cite 1-2 format:ris", "several, for reference managers", ("TY  - CPAPER",), after="kv cache"),
            Example("cite xkv format:apa", "as a line in a list of references", ("(2026).",)),
        ),
    ),
)
