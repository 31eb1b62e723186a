"""Slack: from a slash command on the socket to the answer leaving, beside a bare echo bot on the same library.

python bench/slack.py [corpus file]

The bots run in processes of their own against the tests' double of Slack; times are taken where the double sends the
command and where the answer reaches it, so that both bots carry the same cost of the loopback.
"""

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from platforms.slack.people import OverSocket, Person  # noqa: E402 - found beside the tests
from platforms.slack.running import TOKENS  # noqa: E402
from platforms.slack.server import SlackServer, slack_server  # noqa: E402

SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))
RUNS = 300
AT_ONCE = 50

WORDS = """
attention bayesian cache causal compression contrastive convergence data diffusion distillation efficient experts
federated fine-tuning generative graph inference kernel language long-context memory models multimodal neural
optimization policy pruning quantization reasoning regret reinforcement representation retrieval reward robust safety
sampling scaling sparse speculative state-space theory tokens training transformer uncertainty vision
""".split()  # noqa: SIM905 - fifty words in quotes of their own would be harder to read

ECHO = """
import asyncio, sys
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient
app = AsyncApp(client=AsyncWebClient(token="xoxb-1-good", base_url=sys.argv[1]))
@app.command("/papers")
async def echo(ack, respond, command):
    await ack()
    await respond(text=command["text"])
async def main():
    await AsyncSocketModeHandler(app, "xapp-1-good").start_async()
asyncio.run(main())
"""


@asynccontextmanager
async def process(server: SlackServer, *arguments: str) -> AsyncIterator[int]:
    """A bot in a process of its own, connected; gives its id."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "PAPERBOY_"))}
    tokens = TOKENS if "-m" in arguments else {}  # the echo bot has its own, and would warn of two
    before = server.connections
    child = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env={**environment, **tokens}, stdout=asyncio.subprocess.DEVNULL
    )
    ready = asyncio.create_task(server.world.until(lambda: server.connections > before and server.sockets))
    ended = asyncio.create_task(child.wait())
    try:
        await asyncio.wait({ready, ended}, return_when=asyncio.FIRST_COMPLETED)
        assert not ended.done(), f"{arguments[:2]} ended"
        yield child.pid
    finally:
        ready.cancel()
        if not ended.done():
            child.terminate()
        await ended
        await server.world.until(lambda: not server.sockets)


async def once(server: SlackServer, words: str) -> tuple[float, float]:
    """Seconds from sending a command to its acknowledgement, and to its answer."""
    person = Person(server, OverSocket(server))
    started = time.perf_counter()
    acknowledged = await person.slash(words)
    acked = time.perf_counter() - started
    assert acknowledged is not None, "a late acknowledgement"
    await server.world.until(lambda: person.addresses[-1] in server.arrived)
    return acked, server.arrived[person.addresses[-1]] - started


def quantile(values: Sequence[float], part: float) -> float:
    """In milliseconds."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] * 1_000


async def measure(name: str, server: SlackServer, says: Sequence[str]) -> None:
    """One row of the table."""
    for words in says[:20]:
        await once(server, words)
    one_by_one = [(await once(server, words))[1] for words in says]
    together = await asyncio.gather(*(once(server, words) for words in says[:AT_ONCE]))
    print(
        f"{name:22s} {statistics.median(one_by_one) * 1_000:7.1f} {quantile(one_by_one, 0.99):7.1f}"
        f" {max(ack for ack, _ in together) * 1_000:12.1f} {max(answer for _, answer in together) * 1_000:12.1f}"
        f" {len(server.world.late):6d}",
        flush=True,
    )
    assert server.world.refused == [], server.world.refused[:1]


def memory(pid: int) -> int:
    """Resident memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024


async def run(corpus: Path) -> None:
    """Both bots, one after the other."""
    dice = random.Random(7)
    searches = [" ".join(dice.sample(WORDS, dice.randint(1, 3))) for _ in range(RUNS)]
    state = Path(tempfile.gettempdir()) / "paperboy-bench-slack"
    state.mkdir(exist_ok=True)
    print(f"{RUNS} commands one by one, then {AT_ONCE} at once; milliseconds")
    print(f"{'':22s} {'p50':>7s} {'p99':>7s} {'slowest ack':>12s} {'and answer':>12s} {'late':>6s}")
    async with slack_server() as server:
        async with process(server, "-c", ECHO, server.api_url):
            await measure("echo bot (the floor)", server, searches)
        config = state / "config.yaml"
        config.write_text(
            f"corpus: {{root: {corpus.parent}, files: [{corpus.name}]}}\nstate: {state}\n"
            f"slack: {{api: '{server.api_url}', digests: false}}\n"
        )
        (state / "paperboy.sqlite3").unlink(missing_ok=True)
        async with process(server, "-m", "bot", "run", "--config", str(config)) as pid:
            connected = memory(pid)
            await measure("search", server, searches)
            # numbers of the list of the search before, as people go on
            await measure("tldr by number", server, [f"tldr {dice.randint(1, 3)}" for _ in range(RUNS)])
            await measure("search, second page", server, [f"search {words} page:2" for words in WORDS] * 6)
            print(f"memory of the bot: {connected} MB when connected, {memory(pid)} MB at the end")


def main() -> int:
    """Print the table."""
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data" / "icml2026.jsonl.gz"
    if not corpus.exists():
        print(f"skipped: {corpus} is not there")
        return 0
    asyncio.run(run(corpus.resolve()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
