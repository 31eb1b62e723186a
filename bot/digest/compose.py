"""How a digest looks: one message, a value like every reply."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.message import Button, Call, Reply, Shown
from bot.papers import Paper
from bot.richtext import Block, Divider, Emphasis, Fields, Heading, Inlines, Link, Paragraph, Text, plain, text
from bot.schedule.values import Style, Vote
from bot.summary import summarise
from bot.summary.sentences import paragraphs
from bot.views import joined, meta_of, title_of

UP, DOWN = "👍 Good pick", "👎 Not for us"
_VOTE_LABEL = re.compile(rf"(?:(?P<number>\d+) · )?(?P<name>{UP}|{DOWN})(?: · \d+)?")

MOST_BUTTONS = 20
"""Under one message: Slack takes 25 in a row, Discord 25 in all; some room is left for platforms' own."""


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
    several = len(items) > 1
    for number, item in enumerate(items, 1):
        if number > 1:
            blocks.append(Divider())
        blocks.extend(_paper_blocks(item, style, number if several else None))
    if late:
        blocks.append(Paragraph(text("Later than planned: the bot was not running at its time."), quiet=True))
    buttons = tuple(
        button
        for number, item in enumerate(items, 1)
        for button in _numbered(vote_buttons(item.paper, (votes or {}).get(item.paper.id)), number, len(items))
    )
    return Reply(
        "digest",
        tuple(blocks),
        papers=tuple(Shown(item.paper) for item in items),
        buttons=buttons,
        private=False,
    )


def _numbered(buttons: tuple[Button, ...], number: int, of: int) -> tuple[Button, ...]:
    """Buttons of one paper among several say which; of five papers there is no room for every button."""
    if of == 1:
        return buttons
    kept = [button for button in buttons if len(buttons) * of <= MOST_BUTTONS or button.call.command != "similar"]
    return tuple(replace(button, label=f"{number} · {button.label}") for button in kept)


def _paper_blocks(item: Item, style: Style, number: int | None) -> list[Block]:
    paper = item.paper
    summary = summarise(paper)
    numbered: Inlines = (Text(f"{number}. "),) if number is not None else ()
    lines = [line for line in summary.lines if line.role != "code"] if style == "full" else []
    # a name from the rest of the abstract would else stand nowhere: what people call the paper is in its post
    told = (plain(paper.title), summary.tldr, *(line.text for line in lines))
    named: list[Inlines] = [] if any(paper.name in part for part in told) else [(Text(paper.name),)]
    blocks: list[Block] = [
        Heading((*numbered, *title_of(paper))),
        Paragraph(joined([*named, meta_of(paper)], " · "), quiet=True),
        Paragraph(text(summary.tldr)),
    ]
    if lines:
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
        Button(_counted(UP, counted.up), Call("vote", {**about, "up": True})),
        Button(_counted(DOWN, counted.down), Call("vote", {**about, "up": False})),
    )


def _counted(label: str, votes: int) -> str:
    return f"{label} · {votes}" if votes else label


def relabelled(label: str, papers: Sequence[str], votes: Mapping[str, Vote]) -> str:
    """The label of a posted button with the totals of now; one that is no vote's stays. `papers` are the post's."""
    found = _VOTE_LABEL.fullmatch(label)
    place = int(found["number"] or 1) - 1 if found else len(papers)
    if found is None or place >= len(papers):
        return label
    vote = votes.get(papers[place], Vote())
    numbered = f"{found['number']} · " if found["number"] else ""
    return numbered + _counted(found["name"], vote.up if found["name"] == UP else vote.down)


def thread_reply(items: Sequence[Item]) -> Reply:
    """The first reply in a discussion thread: the abstract."""
    blocks: list[Block] = []
    buttons: list[Button] = []
    several = len(items) > 1
    for number, item in enumerate(items, 1):
        if several:
            blocks.append(Heading((Text(f"{number}. "), *item.paper.title)))
        blocks.extend(Paragraph(part) for part in paragraphs(item.paper.abstract, 600))
        label = f"{number} · Save" if several else "Save"
        buttons.append(Button(label, Call("save", {"paper": item.paper.id})))
    papers = tuple(Shown(item.paper) for item in items)
    return Reply("digest", tuple(blocks), papers=papers, buttons=tuple(buttons), private=False)
