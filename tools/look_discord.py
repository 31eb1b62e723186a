"""Draws representative Discord replies as Discord's dark theme would, and takes pictures with Chromium.

The page is a look-alike by hand: colours, sizes and spacing as the client's. It reads the same payloads that are sent.

python tools/look_discord.py [folder for the pictures] [--html-only]
"""

import argparse
import asyncio
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import discord  # noqa: E402
from sweep_discord import Keeper  # noqa: E402

from bot.adapters.actions import Action, settled  # noqa: E402
from bot.adapters.conversation import Answer  # noqa: E402
from bot.adapters.discord.message import message  # noqa: E402
from bot.adapters.discord.posting import DiscordPoster  # noqa: E402
from bot.adapters.discord.surface import Buttons  # noqa: E402
from bot.commands import all_commands  # noqa: E402
from bot.commands.dispatch import Dispatcher  # noqa: E402
from bot.commands.grammar import interpret  # noqa: E402
from bot.config import default_corpus  # noqa: E402
from bot.corpus import load_corpus  # noqa: E402
from bot.digest.compose import Item, digest_reply, thread_reply  # noqa: E402
from bot.library import Library  # noqa: E402
from bot.message import Call, ChannelRef, User  # noqa: E402
from bot.schedule.values import MAIN, posting_key  # noqa: E402

Json = Mapping[str, Any]

SAID = (
    "kv cache", "tldr xkv", "show tau-knowledge", "similar puzzlemoe", "help", "help search", "about", "topics",
    "tldr reasoning", "sourdough bread recipe", "trifuze", "show 99",
)  # fmt: skip
WIDTHS = {"desktop": 760, "phone": 390}

STYLE = """
body{background:#313338;color:#dbdee1;font:16px/1.375 'gg sans','Noto Sans',Helvetica,Arial,sans-serif;margin:16px}
.m{margin:0 0 28px;max-width:640px}.who{color:#f2f3f5;font-weight:500}.app{background:#5865f2;color:#fff;font-size:10px;
padding:1px 4px;border-radius:3px;margin-left:4px}.e{background:#2b2d31;border-left:4px solid;border-radius:4px;
padding:8px 16px 16px 12px;max-width:516px;margin:4px 0;
font-size:14px;line-height:18px}.t{font-size:16px;line-height:22px;
font-weight:600;margin:8px 0;color:#f2f3f5}a{color:#00a8fc;text-decoration:none}.s{font-size:12px;color:#949ba4;
line-height:16px}.d{margin-top:8px;white-space:pre-wrap;overflow-wrap:anywhere}code{background:#1e1f22;border-radius:3px;
padding:0 3px;font:85% 'DejaVu Sans Mono',monospace}.q{border-left:4px solid #4e5058;padding-left:8px}.r{display:flex;
gap:8px;flex-wrap:wrap;margin:8px 0}.b{background:#4e5058;color:#fff;font-size:14px;font-weight:500;border-radius:3px;
padding:7px 16px}.p{background:#5865f2}.x{background:#1e1f22;border-radius:4px;padding:9px 12px;width:400px;
max-width:100%;box-sizing:border-box;color:#949ba4}.o{color:#949ba4;font-size:12px}li{margin-left:16px}ul{margin:0}
.you{color:#949ba4;font-size:12px}
"""

_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\[([^\]]+?)\]\(([^)\s]+)\)"), r"<a href='\2'>\1</a>"),
    (re.compile(r"&lt;(https?://[^&]+)&gt;"), r"<a href='\1'>\1</a>"),
    (re.compile(r"&lt;@(\d+)&gt;"), r"<span style='background:#3c4270;color:#c9cdfb'>@Ada</span>"),
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*(.+?)\*"), r"<i>\1</i>"),
)


def drawn(source: str) -> str:
    """Markdown as HTML: enough for a look, not the reader that the tests trust."""
    hidden: list[str] = []

    def hide(found: re.Match[str]) -> str:
        hidden.append(html.escape(found[1]))
        return f"\ue000{len(hidden) - 1}\ue001"

    lines = []
    for line in re.sub(r"\\([^0-9A-Za-z\s])", hide, source).split("\n"):
        shown = html.escape(line, quote=False)
        for pattern, target in _INLINE:
            shown = pattern.sub(target, shown)
        if shown.startswith("-# "):
            shown = f"<span class=s>{shown[3:]}</span>"
        elif shown.startswith("- "):
            shown = f"<span style='display:block;margin:0 0 -14px 18px;text-indent:-12px'>•&ensp;{shown[2:]}</span>"
        elif shown.startswith("&gt; "):
            shown = f"<span class=q>{shown[5:]}</span>"
        lines.append(shown)
    return re.sub("\ue000(\\d+)\ue001", lambda found: hidden[int(found[1])], "\n".join(lines))


def _options(menu: Json) -> str:
    first = menu["options"][:3]
    shown = [(html.escape(one["label"]), html.escape(one.get("description", ""))) for one in first]
    return "<br>".join(f"{name}<br><span class=o>{below}</span>" for name, below in shown)


def page(payload: Json, title: str) -> str:
    """One message."""
    parts = [f"<div class=m><div class=you>/papers {html.escape(title)}</div><span class=who>Paperboy</span>"]
    parts.append("<span class=app>APP</span>")
    if payload["content"]:
        parts.append(f"<div class=d style='margin:0'>{drawn(str(payload['content']))}</div>")
    for embed in payload["embeds"]:
        name = drawn(embed.get("title", ""))
        name = f"<a href='{html.escape(embed['url'])}'>{name}</a>" if embed.get("url") else name
        head = f"<div class=t>{name}</div>" if name else ""
        parts.append(f"<div class=e style='border-color:#{embed['color']:06x}'>{head}")
        parts.append(f"<div class=d>{drawn(embed['description'])}</div></div>")
    for row in payload["components"]:
        parts.append("<div class=r>")
        for element in row["components"]:
            if element["type"] == 2:
                parts.append(f"<span class='b{' p' * (element['style'] == 1)}'>{html.escape(element['label'])}</span>")
            else:
                parts.append(f"<span class=x>{element['placeholder']} ▾</span><span class=x>{_options(element)}</span>")
        parts.append("</div>")
    return "".join([*parts, "</div>"])


async def pages() -> list[str]:
    """Every message of the look."""
    library = Library.of(load_corpus(default_corpus()))
    dispatcher = Dispatcher(lambda: library, all_commands())
    buttons, result = Buttons(Keeper()), []
    user, channel = User("501"), ChannelRef("discord", "1", "2")
    for words in SAID:
        call = interpret(words, dispatcher.commands).call
        reply = await dispatcher.call(call, user, channel)
        press = settled(
            Action("open", call, (Call("help"),) if words.startswith("similar") else ()), reply, dispatcher.commands
        )
        answer = Answer(reply, press, may_share=True)
        result.append(page(message(reply, await buttons.frame(answer)).payload, words))
        if words in {"kv cache", "tldr xkv"}:
            shared = message(reply, await buttons.frame(replace(answer, owner="501", shared=True)))
            result.append(page(shared.payload, f"{words} → shared"))
    return result + [page(payload, name) for name, payload in (await posts(library, buttons)).items()]


async def posts(library: Library, buttons: Buttons) -> dict[str, Json]:
    """What comes of itself: digests, and the thread under one."""
    papers, now = list(library.corpus)[3:6], datetime(2026, 7, 1, 9, tzinfo=UTC)
    items = [Item(paper, "a topic that this channel liked") for paper in papers]
    made = {
        "digest": digest_reply(items[:1], now.date(), style="full"),
        "digest, brief": digest_reply(items[:1], now.date(), style="brief"),
        "digest of three": digest_reply(items, now.date(), style="full"),
        "thread": thread_reply(items[:1]),
    }
    poster = DiscordPoster(discord.Client(intents=discord.Intents.none()), buttons)
    found: dict[str, Json] = {}
    for name, reply in made.items():
        key = posting_key(1, now.date(), MAIN)
        body = json.loads(await poster.render(reply, key, threaded=name == "thread"))
        found[name] = {"content": body["content"], "embeds": body["embeds"], "components": body["rows"]}
    return found


def main() -> int:
    """Write the page, and a picture of it for each width."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(tempfile.gettempdir()) / "paperboy-look-discord")
    parser.add_argument("--html-only", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    messages = asyncio.run(pages())
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    for number in range(0, len(messages), 4):
        file = options.folder / f"look-{number // 4}.html"
        body = "".join(messages[number : number + 4])
        file.write_text(f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{body}", encoding="utf-8")
        print(file)
        if options.html_only or chromium is None:
            continue
        for name, width in WIDTHS.items():
            picture = file.with_name(f"{file.stem}-{name}.png")
            subprocess.run(
                [
                    chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--screenshot={picture}", f"--window-size={width},2600", file.as_uri(),
                ],
                check=True,
                capture_output=True,
            )  # fmt: skip
            print(picture)
    if chromium is None and not options.html_only:
        print("no Chromium: only the pages were written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
