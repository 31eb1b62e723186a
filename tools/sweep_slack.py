"""Renders every paper of a corpus as Slack messages and checks each: show, tldr, similar, a search; shared; modals.

python tools/sweep_slack.py [corpus file] [--limit N]

Judges: the models of slack_sdk, JSON schemas where the shared material is there, our own rules, and what would act.
Ends with `payloads N invalid 0 live 0` and exits 1 where it is not so.
"""

import argparse
import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from platforms.slack.live import live  # noqa: E402 - found beside the tests
from platforms.slack.rules import message_problems, option_problems, view_problems  # noqa: E402

from bot.adapters.actions import Action, settled  # noqa: E402
from bot.adapters.conversation import Answer  # noqa: E402
from bot.adapters.slack.api import QUIETLY  # noqa: E402
from bot.adapters.slack.blocks import message, paper_option  # noqa: E402
from bot.adapters.slack.section import SlackSection  # noqa: E402
from bot.adapters.slack.surface import ChromeMaker  # noqa: E402
from bot.adapters.slack.views import dialog, plain_dialog  # noqa: E402
from bot.commands import all_commands  # noqa: E402
from bot.commands.dispatch import Dispatcher  # noqa: E402
from bot.config import default_corpus  # noqa: E402
from bot.corpus import load_corpus  # noqa: E402
from bot.library import Library  # noqa: E402
from bot.message import Call, ChannelRef, User  # noqa: E402
from bot.papers import Paper  # noqa: E402
from bot.store.inbound import LaterWrites  # noqa: E402

USER, CHANNEL = User("U1"), ChannelRef("slack", "T1", "C1")
SHOWN = 20
"""How many problems are printed in full."""


class Kept:
    """Long presses, in memory."""

    def __init__(self) -> None:
        """Nothing is kept yet."""
        self.bodies: dict[str, str] = {}

    async def put(self, body: str) -> str:
        """Keep a body."""
        key = f"{len(self.bodies):024x}"
        self.bodies[key] = body
        return key

    async def get(self, key: str) -> str | None:
        """The body of a key."""
        return self.bodies.get(key)


def calls(paper: Paper) -> Iterator[Call]:
    """What the sweep asks about a paper."""
    about = {"paper": paper.id}
    yield Call("show", about)
    yield Call("tldr", about)
    yield Call("similar", about)
    yield Call("search", {"query": paper.title_text[:200]})


def payloads(answer: Answer, private: Any, public: Any) -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Every form in which an answer leaves, each with what is wrong with it."""
    reply = answer.reply
    for name, frame in (("private", private), ("shared", public)):
        made = message(reply, frame)
        sent = {**QUIETLY, "text": made.text, "blocks": list(made.blocks)}
        problems = message_problems(sent["blocks"])
        if not 1 <= len(made.text) <= 4_000:
            problems.append(f"text of {len(made.text)} characters")
        yield name, sent, problems
    for name, view in (("modal", dialog(reply, private)), ("plain modal", plain_dialog(reply))):
        yield name, view, view_problems(view)


def chrome_of(dispatcher: Dispatcher) -> ChromeMaker:
    """What draws around answers, where nobody is connected and no button is kept."""
    asked = SimpleNamespace(dispatcher=dispatcher, actions=Kept(), writes=LaterWrites())
    return ChromeMaker(asked, SlackSection())  # type: ignore[arg-type]  # it asks for no more of the services


async def sweep(library: Library, limit: int | None) -> tuple[int, int, int]:
    """How many payloads there were, how many were invalid, how many alive."""
    dispatcher = Dispatcher(lambda: library, all_commands())
    chrome = chrome_of(dispatcher)
    total, invalid, alive = 0, 0, 0
    kinds: Counter[str] = Counter()

    def judge(what: str, sent: dict[str, Any], problems: list[str]) -> None:
        nonlocal total, invalid, alive
        total += 1
        acts = live(sent)
        for name, found in (("invalid", problems), ("live", acts)):
            if found:
                kinds[f"{name}: {found[0][:60]}"] += 1
                if sum(kinds.values()) <= SHOWN:
                    print(f"{name} {what}: {found[:3]}")
        invalid += bool(problems)
        alive += bool(acts)

    started = time.monotonic()
    for number, paper in enumerate(library.corpus.papers[:limit]):
        for call in calls(paper):
            reply = await dispatcher.call(call, USER, CHANNEL)
            before = Action("open", call, (Call("search", {"query": "models"}),))
            answer = Answer(reply, settled(before, reply, dispatcher.commands), may_share=True)
            if answer.reply.error is not None and answer.reply.error.kind == "internal":
                judge(f"{call.command} {paper.handle}", {}, [str(answer.reply.error.message)])
                continue
            private = await chrome.frame(answer)
            public = await chrome.frame(replace(answer, may_share=False, owner="U1", shared=True))
            for name, sent, problems in payloads(answer, private, public):
                judge(f"{call.command} {paper.handle} ({name})", sent, problems)
        option = paper_option(paper)
        judge(f"option {paper.handle}", {"blocks": [option["text"]]}, list(option_problems([option])))
        if number % 1_000 == 999:
            print(f"{number + 1} papers, {total} payloads, {time.monotonic() - started:.0f} s", flush=True)
    for kind, count in kinds.most_common(SHOWN):
        print(f"{count:6d}  {kind}")
    return total, invalid, alive


def main() -> int:
    """Sweep, print, and say by the exit status whether all is well."""
    options = argparse.ArgumentParser(description="Checks every paper of a corpus as Slack messages.")
    options.add_argument("corpus", nargs="?", type=Path, default=default_corpus(), help="a corpus file or folder")
    options.add_argument("--limit", type=int, default=None, help="only so many papers")
    options.add_argument("--state", type=Path, default=None, help="a folder that keeps what was parsed")
    chosen = options.parse_args()
    corpus = load_corpus(chosen.corpus, state=chosen.state, workers=os.cpu_count() or 1)
    library = Library.of(corpus, chosen.state / "index" if chosen.state else None)
    total, invalid, alive = asyncio.run(sweep(library, chosen.limit))
    print(f"payloads {total} invalid {invalid} live {alive}")
    return 1 if invalid or alive else 0


if __name__ == "__main__":
    sys.exit(main())
