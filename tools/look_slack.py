"""Pictures of representative replies in Slack, to be looked at: hierarchy, spacing, line length, nothing shouting.

python tools/look_slack.py FOLDER [--width 700] [--theme light]

Needs node, npm and chromium. What npm installs goes to a folder of its own under the temporary files; the pictures go
to FOLDER, which is best outside the project.
"""

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from sweep_slack import CHANNEL, USER, chrome_of

from bot.adapters.actions import Action, RenderedButton, settled
from bot.adapters.conversation import Answer
from bot.adapters.slack.blocks import SlackChrome, message
from bot.adapters.slack.home import kept, of_today
from bot.adapters.slack.posting import frame_of
from bot.adapters.slack.surface import ChromeMaker
from bot.adapters.slack.views import Origin, dialog, home, search_form
from bot.commands import all_commands
from bot.commands.dispatch import Dispatcher
from bot.commands.grammar import interpret
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.digest.compose import Item, digest_reply, thread_reply
from bot.library import Library
from bot.message import Call, Reply
from bot.schedule.values import Style

HERE = Path(__file__).resolve().parent
PACKAGES = ("slack-blocks-to-jsx@1", "react@19", "react-dom@19")

SAID = {
    "help": "help",
    "search": "kv cache",
    "page": "search language models",
    "long-list": "search language models limit:25",
    "show": "show xkv",
    "tldr": "tldr xkv",
    "similar": "similar puzzlemoe",
    "typo": "trifuze",
    "nothing": "sourdough bread recipe",
    "ambiguous": "tldr reasoning",
    "topics": "topics",
    "about": "about",
    "help-search": "help search",
    "missing": "show sourdough",
}
SHARED = {"shared-tldr": "tldr trifuse", "shared-search": "kv cache"}


async def replies(corpus: Path) -> list[dict[str, Any]]:
    """Names and blocks of what is worth looking at."""
    library = Library.of(load_corpus(corpus))
    dispatcher = Dispatcher(lambda: library, all_commands())
    chrome = chrome_of(dispatcher)
    made: list[dict[str, Any]] = []
    for name, words in SAID.items():
        answer = await answer_to(words, dispatcher)
        frame = await chrome.frame(answer)
        made.append({"name": name, "blocks": message(answer.reply, frame).blocks})
    for name, words in SHARED.items():
        answer = replace(await answer_to(words, dispatcher), may_share=False, owner="U1", shared=True)
        frame = await chrome.frame(answer)
        made.append({"name": name, "blocks": message(answer.reply, frame).blocks})
    return [*made, *await places(dispatcher, chrome)]


async def answer_to(words: str, dispatcher: Dispatcher) -> Answer:
    """What somebody who types this gets."""
    call = interpret(words, dispatcher.commands).call
    reply = await dispatcher.call(call, USER, CHANNEL)
    return Answer(reply, settled(Action("open", call), reply, dispatcher.commands), may_share=True)


async def places(dispatcher: Dispatcher, chrome: ChromeMaker) -> list[dict[str, Any]]:
    """The home, the modals, and what comes of itself."""
    papers, day = list(dispatcher.library.corpus)[3:10], date(2026, 7, 1)
    shown: list[tuple[Reply, SlackChrome]] = []
    for reply in (of_today(papers[:1], day), kept(papers), (await answer_to("help", dispatcher)).reply):
        answer = Answer(reply, Action("open", Call(reply.command)))
        shown.append((reply, await chrome.frame(answer)))
    search = all_commands().get("search")
    assert search is not None
    read = replace(await answer_to("show xkv", dispatcher), may_share=False)
    made = {
        "home": home(shown),
        "modal": dialog(read.reply, await chrome.frame(read)),
        "form": search_form(search, Origin()),
    }
    result = [{"name": name, "blocks": view["blocks"]} for name, view in made.items()]
    digests: tuple[tuple[str, int, Style], ...] = (
        ("digest", 1, "full"),
        ("digest-brief", 1, "brief"),
        ("digest-three", 3, "full"),
    )
    for name, count, style in digests:
        items = [Item(paper, "a topic that this channel liked") for paper in papers[:count]]
        result.append({"name": name, "blocks": await posted(digest_reply(items, day, style=style), chrome)})
    thread = thread_reply([Item(papers[0], "")])
    return [*result, {"name": "thread", "blocks": await posted(thread, chrome)}]


async def posted(reply: Reply, chrome: ChromeMaker) -> Any:
    """The blocks of a post that the bot makes by itself."""
    keys = [
        RenderedButton(one.label, await chrome.buttons.encode(Action("open", one.call)), one.primary)
        for one in reply.buttons
    ]
    return message(reply, frame_of(reply, keys)).blocks


def main() -> int:
    """Write the pictures."""
    options = argparse.ArgumentParser(description="Pictures of replies in Slack.")
    options.add_argument("folder", type=Path, help="where the pictures go")
    options.add_argument("--corpus", type=Path, default=default_corpus(), help="a corpus file or folder")
    options.add_argument("--width", type=int, default=700, help="of the window in pixels; 390 is a phone")
    options.add_argument("--theme", choices=("light", "dark"), default="light")
    chosen = options.parse_args()
    for program in ("node", "npm", "chromium"):
        if shutil.which(program) is None:
            print(f"needs {program}")
            return 2
    packages = Path(tempfile.gettempdir()) / "paperboy-look"
    packages.mkdir(exist_ok=True)
    if not (packages / "node_modules" / "slack-blocks-to-jsx").is_dir():
        install = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(packages), *PACKAGES]
        subprocess.run(install, check=True)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "messages.json"
        file.write_text(json.dumps(asyncio.run(replies(chosen.corpus))), encoding="utf-8")
        draw = ["node", str(HERE / "look_slack.mjs"), str(packages), str(file), scratch, chosen.theme]
        subprocess.run(draw, check=True)
        for page in sorted(Path(scratch).glob("*.html")):
            picture = chosen.folder / f"{page.stem}-{chosen.theme}-{chosen.width}.png"
            _photograph(page, picture, chosen.width)
            print(picture)
    return 0


def _photograph(page: Path, picture: Path, width: int) -> None:
    """A picture of a page as high as what is on it, which a first look finds out."""
    switches = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    count = page.with_suffix(".measure.html")
    count.write_text(
        page.read_text(encoding="utf-8")
        + "<script>document.title = document.documentElement.scrollHeight;"
        + "document.documentElement.innerHTML = '<i>' + document.title + '</i>'</script>",
        encoding="utf-8",
    )
    dump = [*switches, f"--window-size={width},100", "--dump-dom", count.as_uri()]
    text = subprocess.run(dump, capture_output=True, text=True, check=True).stdout
    height = int(text.partition("<i>")[2].partition("</i>")[0]) + 10
    if width < 500:  # chromium measures no window that is narrower
        height = height * 500 // width
    shot = [*switches, f"--window-size={width},{height}", f"--screenshot={picture}", page.as_uri()]
    subprocess.run(shot, capture_output=True, check=True)


if __name__ == "__main__":
    sys.exit(main())
