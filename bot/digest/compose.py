"""How a digest looks: one message, a value like every reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from bot.digest.pick import Vote
from bot.digest.values import Style
from bot.message import Button, Call, Reply, Shown
from bot.papers import Paper
from bot.richtext import Block, Divider, Emphasis, Fields, Heading, Inlines, Link, Paragraph, Text, text
from bot.summary import summarise
from bot.summary.sentences import paragraphs
from bot.views import joined, meta_of, title_of


@dataclass(frozen=True, slots=True)
class Item:
    """One paper of a digest and why it is in it."""

    paper: Paper
    reason: str


def digest_reply(
    items: Sequence[Item],
    day: date,
    *,
    style: Style,
    late: bool = False,
    new_cycle: bool = False,
    votes: Mapping[str, Vote] | None = None,
) -> Reply:
    """The message of a delivery. `late` says that it is caught up on; `new_cycle` that the pool starts anew."""
    name = "Paper of the day" if len(items) == 1 else "Papers of the day"
    blocks: list[Block] = [Paragraph(text(f"{name} · {day:%A}, {day.day} {day:%B}"), quiet=True)]
    if new_cycle:
        blocks.append(Paragraph(text("Every paper of this channel has been shown: a new round begins."), quiet=True))
    for number, item in enumerate(items):
        if number:
            blocks.append(Divider())
        blocks.extend(_paper_blocks(item, style))
    if late:
        blocks.append(Paragraph(text("Later than planned: the bot was not running at its time."), quiet=True))
    buttons = tuple(button for item in items for button in vote_buttons(item.paper, (votes or {}).get(item.paper.id)))
    return Reply(
        "digest",
        tuple(blocks),
        papers=tuple(Shown(item.paper) for item in items),
        buttons=buttons,
        private=False,
    )


def _paper_blocks(item: Item, style: Style) -> list[Block]:
    paper = item.paper
    summary = summarise(paper)
    blocks: list[Block] = [
        Heading(title_of(paper)),
        Paragraph(meta_of(paper), quiet=True),
        Paragraph(text(summary.tldr)),
    ]
    lines = [line for line in summary.lines if line.role != "code"]
    if style == "full" and lines:
        blocks.append(Fields(tuple((line.role.capitalize(), text(line.text)) for line in lines)))
    links: list[Inlines] = [(Link(link, (Text(_short(link)),)),) for link in paper.code[:2]]
    why: Inlines = (Emphasis((Text(f"Why this one: {item.reason}."),)),)
    blocks.append(Paragraph(joined([why, *links], " · "), quiet=True))
    return blocks


def _short(link: str) -> str:
    return link.partition("://")[2].rstrip("/")[:60]


def vote_buttons(paper: Paper, vote: Vote | None) -> tuple[Button, ...]:
    """What one can do with a paper of a digest: read it, find more, keep it, say what one thinks."""
    about = {"paper": paper.id}
    counted = vote or Vote()
    return (
        Button("Abstract", Call("show", about)),
        Button("Similar", Call("similar", about)),
        Button("Save", Call("save", about)),
        Button(f"👍 Good pick {counted.up or ''}".rstrip(), Call("vote", {**about, "up": True})),
        Button(f"👎 Not for us {counted.down or ''}".rstrip(), Call("vote", {**about, "up": False})),
    )


def thread_reply(items: Sequence[Item]) -> Reply:
    """The first reply in a discussion thread: the abstract."""
    blocks: list[Block] = []
    for item in items:
        if len(items) > 1:
            blocks.append(Heading(item.paper.title))
        blocks.extend(Paragraph(part) for part in paragraphs(item.paper.abstract, 600))
    return Reply("digest", tuple(blocks), papers=tuple(Shown(item.paper) for item in items), private=False)
