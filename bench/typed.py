"""Lines that people typed, and what the answer must show: the shared cases, through the terminal's dispatcher.

python bench/typed.py [file of rows: line, after, expect]

A row says in words what must be shown; here stands what that means, row by row or pattern by pattern. A row that is not
understood counts as wrong. The wrong ones are printed with what was shown.
"""

import asyncio
import contextlib
import json
import logging
import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.adapters.terminal import CHANNEL, USER  # noqa: E402
from bot.commands import all_commands  # noqa: E402
from bot.commands.dispatch import Dispatcher  # noqa: E402
from bot.corpus import load_corpus  # noqa: E402
from bot.library import Library  # noqa: E402
from bot.message import Reply  # noqa: E402

SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))
CASES = SHARED / "cases" / "typed.jsonl"
ICML = SHARED / "data" / "icml2026.jsonl.gz"

Say = Callable[[str], Reply]
"""What is answered to a line, by a person who typed nothing before."""

MOST = 5
"""So many papers of two answers are compared."""


def papers(reply: Reply) -> list[str]:
    """Ids of the papers of an answer, in order."""
    return [shown.paper.id for shown in reply.papers]


def same_papers(one: Reply, other: Reply) -> bool:
    """Whether two answers begin with the same papers, of which there are some."""
    return bool(papers(one)) and papers(one)[:MOST] == papers(other)[:MOST]


def as_line(line: str) -> Callable[[Reply, Say, list[Reply]], bool]:
    """The papers of another line."""
    return lambda reply, say, _: reply.error is None and same_papers(reply, say(line))


def says(*words: str) -> Callable[[Reply, Say, list[Reply]], bool]:
    """All these words, in small letters, somewhere in the answer."""
    return lambda reply, _, __: all(word in reply.typed.lower() for word in words)


def one_of_list(number: int) -> Callable[[Reply, Say, list[Reply]], bool]:
    """The paper of this number in the list before, alone."""
    return lambda reply, _, before: papers(reply) == papers(before[-1])[number - 1 : number]


def no_papers(*words: str) -> Callable[[Reply, Say, list[Reply]], bool]:
    """No papers, and these words."""
    return lambda reply, say, before: not reply.papers and says(*words)(reply, say, before)


def _random(count: int) -> Callable[[Reply, Say, list[Reply]], bool]:
    return lambda reply, _, __: reply.error is None and len(set(papers(reply))) == count


def _second_page(reply: Reply, say: Say, before: list[Reply]) -> bool:
    return same_papers(reply, say("search kv cache page:2")) and not set(papers(reply)) & set(papers(before[-1]))


def _as_command(line: str) -> Callable[[Reply, Say, list[Reply]], bool]:
    def judged(reply: Reply, say: Say, before: list[Reply]) -> bool:
        if line.endswith(" 1"):
            return papers(reply) == papers(before[-1])[:1] and reply.command == line.partition(" ")[0]
        return reply.typed == say(line).typed if line == "topics" else as_line(line)(reply, say, before)

    return judged


RULES: tuple[tuple[str, Callable[..., Callable[[Reply, Say, list[Reply]], bool]]], ...] = (
    (r"the papers of `(.+?)` .*", as_line),
    (
        r"as `([^`]* -\w+)`, said so",
        lambda line: lambda r, say, b: as_line(line)(r, say, b) and says("read as")(r, say, b),
    ),
    (r"three random papers.*", lambda: _random(3)),
    (r"a random paper", lambda: _random(1)),
    (r"as `random .*`", lambda: _random(1)),
    (r"the second page", lambda: _second_page),
    (r"paper (\d) of the list", lambda number: one_of_list(int(number))),
    (r"three summaries", lambda: lambda r, _, b: papers(r) == papers(b[-1])[:3] and r.typed.count("Approach") >= 2),
    (r"the authors of paper (\d)", lambda number: one_of_list(int(number))),
    (r"the code link of xKV", lambda: says("https://", "xkv")),
    (r"the summary of xKV|in Slack: the summary of xKV", lambda: as_line("tldr xkv")),
    (r"a citation of paper 1|BibTeX of xKV", lambda: says("@")),
    (r"the PDF's address of paper 1", lambda: says("pdf", "https://")),
    (r"paper 1 with its links", lambda: one_of_list(1)),
    (r"the two compared", lambda: says("xkv", "warmserve", "approach")),
    (r"the topics that have vision in their name", lambda: no_papers("vision")),
    (r"the true number, and the list", lambda: lambda r, _, __: bool(r.papers and r.total and r.total > MOST)),
    (r"the number of papers", lambda: no_papers("papers")),
    (r"says that days are not known.*", lambda: says("day")),
    (r"says that (\w+) are not known", lambda what: no_papers("not known", what)),
    (r"(?:sorted|papers with diffusion in the title), or says which fields there are", lambda: says("topic:")),
    (r"no match, and one line that the abstracts are in English", lambda: no_papers("in english")),
    (r"a kind word, no papers", lambda: lambda r, _, __: not r.papers and r.error is None),
    (r"PuzzleMoE .*", lambda: as_line("show puzzlemoe")),
    (r"no match .*", lambda: lambda r, _, __: r.error is not None and not r.papers),
    (r"xKV", lambda: as_line("show xkv")),
    (r"in the terminal without a store.*|the same", lambda: no_papers("kept here")),
    (r"as `(similar xkv|search kv cache|show 1|tldr 1|topics)`", _as_command),
)


def right(expected: str, reply: Reply, say: Say, before: list[Reply]) -> bool:
    """Whether an answer shows what a row expects."""
    for pattern, rule in RULES:
        if found := re.fullmatch(pattern, expected):
            return rule(*found.groups())(reply, say, before)
    return False


def main() -> int:
    """Print how many are right, and the others."""
    return asyncio.run(_judged())


async def _judged() -> int:
    logging.disable(logging.WARNING)
    cases = Path(sys.argv[1]) if len(sys.argv) > 1 else CASES
    if not cases.exists() or not ICML.exists():
        print(f"skipped: no {cases if not cases.exists() else ICML}; set PAPERBOY_SHARED")
        return 0
    rows = [json.loads(line) for line in cases.read_text("utf-8").splitlines() if line.strip()]
    with contextlib.redirect_stderr(None):
        conference = Library.of(load_corpus(ICML, workers=os.cpu_count() or 1))
        seeds = Library.of(load_corpus(ROOT / "seeds"))
    libraries = {"ICML": conference, "seeds": seeds}
    dispatchers = {name: Dispatcher(partial(libraries.__getitem__, name), all_commands()) for name in libraries}
    wrong = 0
    for number, row in enumerate(rows):
        person = replace(USER, id=f"{number}")
        dispatcher = dispatchers["seeds" if "(seeds)" in row["expect"] else "ICML"]

        def say(line: str, dispatcher: Dispatcher = dispatcher) -> Reply:
            return asyncio.run(dispatcher.say(line, replace(USER, id="other"), CHANNEL))

        before = [await dispatcher.say(line, person, CHANNEL) for line in row["after"]]
        reply = await dispatcher.say(row["line"], person, CHANNEL)
        if not await asyncio.to_thread(right, row["expect"], reply, say, before):
            wrong += 1
            shown = " ".join(reply.typed.split())[:110]
            print(f"{number + 1:3} {' | '.join((*row['after'], row['line']))!r}: {row['expect']}\n      shown: {shown}")
    print(f"{len(rows) - wrong} of {len(rows)} lines that were typed get what was wanted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
