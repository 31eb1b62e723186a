"""A post names its papers: by the handle that people type and by the name that they say."""

import re

import pytest
from clocks import DATE

from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.digest.compose import Item, digest_reply
from bot.message import Reply
from bot.papers import Paper
from bot.richtext import Code, Paragraph, plain, plain_blocks
from bot.schedule.values import Style

SEEDS = tuple(load_corpus(default_corpus()))


def meta(reply: Reply) -> list[str]:
    """The parts of the quiet lines that hold a handle."""
    lines = [block for block in reply.blocks if isinstance(block, Paragraph) and block.quiet]
    return [plain(line.children) for line in lines if any(isinstance(node, Code) for node in line.children)]


def test_all_seeds_are_here() -> None:
    assert len(SEEDS) == 38


@pytest.mark.parametrize("style", ["full", "brief"])
@pytest.mark.parametrize("paper", SEEDS, ids=[paper.handle for paper in SEEDS])
def test_a_post_has_the_handle_and_the_name(paper: Paper, style: Style) -> None:
    reply = digest_reply([Item(paper, "it is new")], DATE, style=style)
    shown = plain_blocks(reply.blocks)
    assert paper.name in shown
    (line,) = meta(reply)
    assert paper.handle in line.split(" · ")


@pytest.mark.parametrize("style", ["full", "brief"])
def test_each_of_several_has_its_own(style: Style) -> None:
    for start in range(0, len(SEEDS), 5):
        papers = SEEDS[start : start + 5]
        reply = digest_reply([Item(paper, "it is new") for paper in papers], DATE, style=style)
        shown = plain_blocks(reply.blocks).split("---")
        assert len(shown) == len(papers)
        for paper, part in zip(papers, shown, strict=True):
            assert paper.name in part
            assert re.search(rf"(?<![\w-]){re.escape(paper.handle)}(?![\w-])", part)


@pytest.mark.parametrize(
    ("handle", "style", "line"),
    [
        ("xkv", "brief", "xkv · ICML 2026"),  # the title begins with the name
        ("failed-step-fraction", "brief", "Failed-Step Fraction · failed-step-fraction · ICML 2026"),
        (
            "factored-causal-reward-model",
            "full",
            "factored causal reward model · factored-causal-reward-model · ICML 2026",
        ),
    ],
)
def test_the_name_stands_beside_the_handle_only_where_nothing_else_says_it(
    handle: str, style: Style, line: str
) -> None:
    (paper,) = [one for one in SEEDS if one.handle == handle]
    assert meta(digest_reply([Item(paper, "it is new")], DATE, style=style)) == [line]
