"""A paper is found by whatever the world calls it: ids and addresses, alone or anywhere in a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.slack.payloads import typed
from bot.commands import all_commands
from bot.commands.dispatch import Dispatcher
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.corpus.formats.base import Record, public_keys
from bot.corpus.references import named_in, pages_of, references_in
from bot.library import Library
from bot.message import ChannelRef, User
from bot.papers import Corpus, Paper
from bot.richtext import text

SEEDS = Library.of(load_corpus(default_corpus()))


def paper(name: str, url: str, **extra: str) -> Paper:
    """A paper as its record gives it."""
    keys = public_keys(Record("a.jsonl", 1, 1, "We study.", url=url, extra=extra))
    words = text(f"We study {name}.")
    return Paper(name, name, name, (), text(name), "file", words, (), url=url, links=(url,), keys=keys)


ATTENTION = paper("attention", "https://arxiv.org/abs/1706.03762v5")
OLD = paper("old", "https://arxiv.org/abs/hep-th/9901001")
FIRST = paper("first", "https://arxiv.org/abs/0704.0001")
LANCET = paper("lancet", "https://x.org/l", doi="10.1016/S0140-6736(20)30183-5")
ROBERTA = paper("roberta", "https://aclanthology.org/P19-1001/")
PMLR = paper("pmlr", "https://proceedings.mlr.press/v97/allen-zhu19a.html")
NOTE = paper("note", "https://openreview.net/forum?id=XDb69lykA8")
OWN = paper("own", "https://www.icml.cc/virtual/2026/poster/63412/")
CORPUS = Corpus((ATTENTION, OLD, FIRST, LANCET, ROBERTA, PMLR, NOTE, OWN))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("arXiv:0704.0001", FIRST),
        ("arxiv.org/abs/0704.0001", FIRST),
        ("http://arxiv.org/abs/0704.0001", FIRST),
        ("https://www.arxiv.org/abs/0704.0001v2", FIRST),
        ("https://arxiv.org/pdf/0704.0001", FIRST),
        ("https://arxiv.org/pdf/0704.0001v1.pdf", FIRST),
        ("https://arxiv.org/html/0704.0001v1", FIRST),
        ("0704.0001", FIRST),
        ("is 1706.03762v7 any good?", ATTENTION),
        ("(see arXiv 1706.03762.)", ATTENTION),
        ("10.48550/arXiv.1706.03762", ATTENTION),
        ("https://huggingface.co/papers/1706.03762", ATTENTION),
        ("hep-th/9901001", OLD),
        ("https://arxiv.org/pdf/hep-th/9901001v2", OLD),
        ("10.1016/S0140-6736(20)30183-5", LANCET),
        ("doi:10.1016/s0140-6736(20)30183-5.", LANCET),
        ("(https://doi.org/10.1016/S0140-6736(20)30183-5)", LANCET),
        ("https://dx.doi.org/10.1016/S0140-6736(20)30183-5", LANCET),
        ("https://aclanthology.org/P19-1001.pdf", ROBERTA),
        ("https://www.aclweb.org/anthology/P19-1001", ROBERTA),
        ("10.18653/v1/P19-1001", ROBERTA),
        ("https://proceedings.mlr.press/v97/allen-zhu19a/allen-zhu19a.pdf", PMLR),
        ("https://openreview.net/pdf?id=XDb69lykA8", NOTE),
        ("look at https://openreview.net/forum?id=XDb69lykA8&noteId=abcdefgh please", NOTE),
        ("openreview.net/forum?noteId=abcdefgh&id=XDb69lykA8", NOTE),
        ("<https://openreview.net/forum?id=XDb69lykA8|openreview.net/for…>", NOTE),
        ("https://icml.cc/virtual/2026/poster/63412", OWN),
        ("icml.cc/virtual/2026/poster/63412#abstract", OWN),
    ],
)
def test_a_paper_by_what_people_paste(line: str, found: Paper) -> None:
    papers, unknown = named_in(line, CORPUS)
    assert [one.name for one in papers] == [found.name]
    assert unknown == []


@pytest.mark.parametrize(
    "line",
    ["version 2401.12 of 1234.5678", "physics/chemistry", "99.9 % at 0.001", "cs/ml", "10.5/20.3", "gpt-4.0001",
     "1.2345", "2013.12345", "a.b/c is like x.y", "see section 3.1/3.2", "0704.0001-b"],
)  # fmt: skip
def test_what_is_no_id(line: str) -> None:
    assert named_in(line, CORPUS) == ([], [])


def test_several_in_one_line_each_once() -> None:
    line = "arxiv.org/abs/1706.03762 and https://arxiv.org/pdf/1706.03762v2, then openreview.net/forum?id=XDb69lykA8"
    papers, _ = named_in(line, CORPUS)
    assert {one.name for one in papers} == {"attention", "note"}


def test_one_that_no_paper_has_is_named_as_people_write_it() -> None:
    assert named_in("https://arxiv.org/pdf/2401.00001v3.pdf", CORPUS) == ([], ["arXiv 2401.00001"])
    assert named_in("doi:10.1145/3292500.3330701", CORPUS) == ([], ["DOI 10.1145/3292500.3330701"])


def test_what_ids_lead_to() -> None:
    assert pages_of(ATTENTION.keys) == (
        ("arXiv", "https://arxiv.org/abs/1706.03762"),
        ("PDF", "https://arxiv.org/pdf/1706.03762"),
    )
    assert pages_of(NOTE.keys)[-1] == ("PDF", "https://openreview.net/pdf?id=XDb69lykA8")
    assert pages_of(ROBERTA.keys)[0] == ("ACL", "https://aclanthology.org/P19-1001/")
    assert pages_of(frozenset()) == ()


@given(st.text(alphabet="abc0179./:-()<>|?=& ", max_size=300))
def test_any_text_can_be_looked_through(words: str) -> None:
    for reference in references_in(words):
        assert reference.id


@pytest.mark.parametrize("command", ["", "show ", "tldr ", "similar "])
async def test_commands_take_an_address(command: str) -> None:
    reply = await Dispatcher(lambda: SEEDS, all_commands()).say(
        f"{command}https://openreview.net/forum?id=XDb69lykA8&noteId=abcdefgh",
        User("U1"),
        ChannelRef("slack", "T", "C"),
    )
    assert reply.error is None
    assert "xKV" in reply.text


async def test_an_id_that_is_not_here_is_said_and_not_searched() -> None:
    dispatcher = Dispatcher(lambda: SEEDS, all_commands())
    for line in ("https://arxiv.org/abs/2401.00001", "show arXiv:2401.00001", "have you read 2401.00001?"):
        reply = await dispatcher.say(line, User("U1"), ChannelRef("slack", "T", "C"))
        assert reply.error is not None
        assert reply.text.startswith("arXiv 2401.00001 is not among these papers.")


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("<http://arxiv.org/abs/0704.0001|arxiv.org/abs/0704.0001>", "arxiv.org/abs/0704.0001"),
        ("<https://arxiv.org/abs/0704.0001|arxiv.org/abs/07…>", "https://arxiv.org/abs/0704.0001"),
        ("show <https://arxiv.org/abs/0704.0001|this one>", "show https://arxiv.org/abs/0704.0001"),
        ("<http://node.js|node.js>", "node.js"),
        ("<https://x.org/a|our results>", "our results"),
        ("<mailto:a@b.org|a@b.org>", "a@b.org"),
    ],
)
def test_links_as_slack_sends_them(sent: str, meant: str) -> None:
    assert typed(sent) == meant
