"""Memory of a running bot: both platforms connected, one index, the corpus of a conference.

python bench/memory.py [corpus file]

The bot is a process of its own (`run`, as an operator starts it), connected to the tests' doubles of Slack and Discord.
It starts twice: first with nothing kept, which parses and indexes everything, then from what was kept. Figures are
VmRSS and VmHWM (the most it ever was) of that process, in MB.
"""

import asyncio
import os
import random
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT), str(ROOT / "tests")]  # not this folder, in which "discord" is a file

from platforms.discord.server import Double, discord_double  # noqa: E402 - found beside the tests
from platforms.discord.world import TOKEN  # noqa: E402
from platforms.slack.people import OverSocket, Person  # noqa: E402
from platforms.slack.running import TOKENS  # noqa: E402
from platforms.slack.server import SlackServer, slack_server  # noqa: E402

SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))
GOAL = 250
"""MB with both platforms connected, at the size of ICML."""

ROUNDS = 100
WORDS = ("attention", "cache", "causal", "diffusion", "experts", "graph", "kernel", "memory", "policy", "vision")

RUN = """
import sys
import discord, yarl
discord.http.Route.BASE = f"http://127.0.0.1:{sys.argv[1]}/api/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"ws://127.0.0.1:{sys.argv[1]}/gw/")
from bot.__main__ import main
sys.exit(main(["run", "--config", sys.argv[2]]))
"""
"""discord.py has no setting for where Discord is."""


@asynccontextmanager
async def bot(slack: SlackServer, discord: Double, config: Path) -> AsyncIterator[int]:
    """The bot, connected to both; gives its process id."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "DISCORD_"))}
    before = slack.connections
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", RUN, str(discord.port), str(config)),
        cwd=ROOT,
        env={**environment, **TOKENS, "DISCORD_TOKEN": TOKEN},
    )
    ended = asyncio.create_task(child.wait())

    async def connected() -> None:
        while not (slack.connections > before and discord.gateway.open):  # noqa: ASYNC110 - however long it takes
            await asyncio.sleep(0.1)

    ready = asyncio.create_task(connected())
    try:
        await asyncio.wait({ready, ended}, return_when=asyncio.FIRST_COMPLETED)
        assert not ended.done(), "the bot ended"
        yield child.pid
    finally:
        ready.cancel()
        if not ended.done():
            child.terminate()
        await ended


def memory(pid: int) -> dict[str, int]:
    """VmRSS and VmHWM of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return {name: int(status.partition(f"{name}:")[2].split()[0]) // 1024 for name in ("VmRSS", "VmHWM")}


async def use(slack: SlackServer, discord: Double) -> None:
    """People search, read on and type, on both."""
    dice = random.Random(3)
    person = Person(slack, OverSocket(slack))
    channel = discord.world.channel(discord.world.guild())
    for _ in range(ROUNDS):
        words = " ".join(dice.sample(WORDS, 2))
        for said in (words, "tldr 1", "similar 1", "show 2", f"search {words} page:2"):
            await person.slash(said)
            await slack.world.until(lambda: person.addresses[-1] in slack.arrived)
        await discord.answered(await discord.say(7, channel, "search", query=words))
        await discord.type(7, channel, "tldr", "paper", words[:3])


async def run(corpus: Path) -> int:
    """The table; the highest VmRSS with both connected."""
    with tempfile.TemporaryDirectory() as folder:
        async with slack_server() as slack, discord_double() as discord:
            config = Path(folder) / "config.yaml"
            config.write_text(
                f"corpus: {{root: {corpus.parent}, files: [{corpus.name}]}}\nstate: {folder}/state\n"
                f"slack: {{api: '{slack.api_url}'}}\nhealth: {{port: 0}}\n"
            )
            highest = 0
            print(f"{'MB':40s} {'VmRSS':>6s} {'VmHWM':>6s}")
            for start in ("first start (parses, indexes)", "later start"):
                async with bot(slack, discord, config) as pid:
                    connected = memory(pid)
                    await use(slack, discord)
                    after = memory(pid)
                for name, found in ((f"{start}, connected", connected), (f"{start}, after use", after)):
                    print(f"{name:40s} {found['VmRSS']:6d} {found['VmHWM']:6d}", flush=True)
                highest = max(highest, connected["VmRSS"], after["VmRSS"])
    return highest


def main() -> int:
    """Print the table; 1 where more is held than the goal."""
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data" / "icml2026.jsonl.gz"
    if not corpus.exists():
        print(f"skipped: {corpus} is not there")
        return 0
    highest = asyncio.run(run(corpus.resolve()))
    print(f"both connected: {highest} MB of {GOAL}")
    return int(highest > GOAL)


if __name__ == "__main__":
    sys.exit(main())
