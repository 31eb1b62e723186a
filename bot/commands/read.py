"""Reading papers: the abstract, and its summary."""

from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter
from bot.message import Reply, Shown
from bot.papers import Paper
from bot.richtext import Block, Code, Fields, Heading, Inlines, Link, Paragraph, Text, text
from bot.summary import summarise
from bot.summary.sentences import paragraphs
from bot.views import joined, meta_of, paper_buttons, title_of

_PHONE_LINES = 420
"""Characters a paragraph of an abstract has at most, if its sentences allow: some ten lines on a phone."""


def show(_context: Context, invocation: Invocation) -> Reply:
    """The whole abstract, in short paragraphs, with all that is known of the paper."""
    paper = invocation.papers["paper"]
    blocks: list[Block] = [Heading(title_of(paper)), Paragraph(meta_of(paper), quiet=True)]
    if paper.authors:
        blocks.append(Paragraph(text(", ".join(paper.authors)), quiet=True))
    blocks.extend(Paragraph(part) for part in paragraphs(paper.abstract, _PHONE_LINES))
    facts: list[tuple[str, Inlines]] = []
    if paper.topics:
        facts.append(("Topics", text(", ".join(paper.topics))))
    if links := [link for link in paper.links if link != paper.url]:
        facts.append(("Links", joined([(Link(link, (Text(link),)),) for link in links], ", ")))
    if facts:
        blocks.append(Fields(tuple(facts)))
    return Reply(
        "show",
        tuple(blocks),
        papers=(Shown(paper),),
        buttons=paper_buttons(paper, without="show"),
        hints=(text(Code(f"tldr {paper.handle}"), " · ", Code(f"similar {paper.handle}")),),
    )


def tldr(_context: Context, invocation: Invocation) -> Reply:
    """One line, then Problem, Approach, Result, Code: each from the abstract, with its place there."""
    return tldr_reply(invocation.papers["paper"])


def tldr_reply(paper: Paper) -> Reply:
    """The summary of a paper as a reply."""
    summary = summarise(paper)
    fields = tuple(
        (line.role.capitalize(), text(f"{line.text} ", Text(f"[{line.sentence}]"))) for line in summary.lines
    )
    blocks: list[Block] = [
        Heading(title_of(paper)),
        Paragraph(meta_of(paper), quiet=True),
        Paragraph(text(summary.tldr)),
    ]
    if fields:
        blocks.append(Fields(fields))
        blocks.append(Paragraph(text("In the abstract's own words; [n] is the sentence."), quiet=True))
    return Reply(
        "tldr",
        tuple(blocks),
        papers=(Shown(paper),),
        buttons=paper_buttons(paper, without="tldr"),
        hints=(text(Code(f"show {paper.handle}"), " · ", Code(f"similar {paper.handle}")),),
    )


_PAPER = Parameter("paper", Kind.PAPER, "A handle, part of a title, or a number of your last list", required=True)

COMMANDS = (
    Command(
        name="show",
        summary="A paper's abstract, authors and links.",
        handler=show,
        order=20,
        parameters=(_PAPER,),
        examples=(
            Example(
                "show xkv", "by its handle", ("xKV: Cross-Layer KV-Cache Compression", "Centered Kernel Alignment")
            ),
            Example("show sinkhorn-normalized quantization", "by part of its title", ("SINQ",)),
            Example("show 1", "by the number in your last list", ("WarmServe",), after="search warmserve"),
        ),
    ),
    Command(
        name="tldr",
        summary="A paper in one line, then its problem, approach and result.",
        handler=tldr,
        order=30,
        parameters=(_PAPER,),
        examples=(
            Example("tldr trifuse", "by its handle", ("Trifuse", "Approach")),
            Example("tldr 1", "by the number in your last list", ("Approach",), after="search gui grounding"),
        ),
    ),
)
