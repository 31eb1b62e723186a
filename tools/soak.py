"""Ten minutes of a running bot whose corpus changes every 20 seconds, while people ask on both platforms.

python tools/soak.py [corpus file] [seconds]

The bot is a process of its own (`run`, as an operator starts it), connected to the tests' doubles of Slack and Discord.
Every answer is looked at. Ends with a line

    soak: 0 errors in 5000 answers, 0 late acknowledgements, slowest 0.2 s, 29 reloads, memory 210 to 214 MB

and exit status 1 where there was an error, an acknowledgement after more than 3 seconds, a reload that nobody saw, or
where memory at the end is over that after the first reloads by more than a tenth.
"""

import asyncio
import json
import random
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT), str(ROOT / "tests")]  # not this folder

from platforms.discord.server import Double, discord_double  # noqa: E402 - found beside the tests
from platforms.discord.world import ACKNOWLEDGE_SECONDS  # noqa: E402
from platforms.slack.people import OverSocket, Person  # noqa: E402
from platforms.slack.server import SlackServer, slack_server  # noqa: E402

from bench.memory import SHARED, WORDS, bot, memory  # noqa: E402

RELOAD_SECONDS = 20.0
PAUSE_SECONDS = 0.1
"""Between two questions of one person."""
STARTED = 3
"""Memory counts from after so many reloads: until then the process fills what it keeps for good."""
GROWTH = 1.1
LATEST_SIGHT = 60.0
"""Seconds in which a new paper is to be found: looking at the files, parsing, indexing."""
LONGEST_WAIT = 30.0


@dataclass(slots=True)
class Seen:
    """What was measured so far."""

    acknowledged: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    reloads: int = 0
    memory: list[int] = field(default_factory=list)

    @property
    def late(self) -> int:
        """How many acknowledgements came too late for the platform."""
        return sum(seconds > ACKNOWLEDGE_SECONDS for seconds in self.acknowledged)


async def asks_in_slack(slack: SlackServer, seen: Seen, until: float, seed: int) -> None:
    """One person in Slack, who searches, reads and reads on."""
    dice, person = random.Random(seed), Person(slack, OverSocket(slack))  # noqa: S311 - chance in a test
    while time.monotonic() < until:
        for said in (" ".join(dice.sample(WORDS, 2)), "tldr 1", "similar 1", "random"):
            began = time.monotonic()
            if await person.slash(said) is None:
                seen.errors.append(f"slack: {said!r} was not acknowledged")
            seen.acknowledged.append(time.monotonic() - began)
            try:
                async with asyncio.timeout(LONGEST_WAIT):
                    await slack.world.until(lambda: person.addresses[-1] in slack.arrived)
            except (TimeoutError, AssertionError):
                seen.errors.append(f"slack: {said!r} was not answered")
            await asyncio.sleep(PAUSE_SECONDS)
        del slack.world.messages[:-100], slack.world.calls[:-100]
        _judge([one.text for one in slack.world.messages], "slack", seen)


async def asks_in_discord(double: Double, seen: Seen, until: float, seed: int) -> None:
    """One person in Discord, who searches."""
    dice, channel = random.Random(seed), double.world.channel(double.world.guild())  # noqa: S311 - chance in a test
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                asked = await double.say(7, channel, "search", query=" ".join(dice.sample(WORDS, 2)))
                await double.answered(asked)
            seen.acknowledged.append(time.monotonic() - began)  # of the answer: what came before is less
            _judge([json.dumps(asked.shown)], "discord", seen)
        except (TimeoutError, AssertionError) as error:
            seen.errors.append(f"discord: no answer ({error})")
        double.world.interactions.clear()
        double.world.by_token.clear()
        del double.world.requests[:-100]
        await asyncio.sleep(PAUSE_SECONDS)


def _judge(texts: list[str], platform: str, seen: Seen) -> None:
    """What no answer may say."""
    seen.errors += [f"{platform}: {said[:100]}" for said in texts if "Something went wrong" in said]


async def changes(folder: Path, slack: SlackServer, seen: Seen, pid: int, until: float) -> None:
    """One more paper every 20 seconds; each is to be found soon."""
    person = Person(slack, OverSocket(slack), "U2")
    number = 0
    while time.monotonic() + RELOAD_SECONDS < until:
        number += 1
        began = time.monotonic()
        name = f"Zorblax{number:04d}"
        record = {"title": f"{name} counts reloads", "abstract": f"We present {name}, which counts the reloads so far."}
        with (folder / "more.jsonl").open("a") as file:
            file.write(json.dumps(record) + "\n")
        while f"{name} counts reloads" not in (await person.say(name)).text:  # what is not there is named, too
            if time.monotonic() - began > LATEST_SIGHT:
                seen.errors.append(f"the paper of reload {number} was not found")
                break
            await asyncio.sleep(1.0)
        else:
            seen.reloads += 1
        seen.memory.append(memory(pid)["VmRSS"])
        print(f"{number:3d} found after {time.monotonic() - began:4.1f} s  {seen.memory[-1]:5d} MB", flush=True)
        await asyncio.sleep(max(0.0, began + RELOAD_SECONDS - time.monotonic()))


async def run(corpus: Path, seconds: float) -> bool:
    """Print a line for each reload, and the last one; False where something was wrong."""
    seen = Seen()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(corpus, folder / corpus.name)
        (folder / "more.jsonl").write_text("")
        config = folder / "config.yaml"
        async with slack_server() as slack, discord_double() as double:
            config.write_text(
                f"corpus: {{root: {folder}, files: [{corpus.name}, more.jsonl]}}\nstate: {folder}/state\n"
                f"slack: {{api: '{slack.api_url}'}}\nhealth: {{port: 0}}\n"
            )
            async with bot(slack, double, config) as pid:
                until = time.monotonic() + seconds
                await asyncio.gather(
                    changes(folder, slack, seen, pid, until),
                    asks_in_slack(slack, seen, until, 1),
                    asks_in_slack(slack, seen, until, 2),
                    asks_in_discord(double, seen, until, 3),
                )
    for words in seen.errors[:20]:
        print(f"  {words}", file=sys.stderr)
    start, end = seen.memory[min(STARTED, len(seen.memory) - 1)], statistics.median(seen.memory[-3:])
    print(
        f"soak: {len(seen.errors)} errors in {len(seen.acknowledged)} answers, {seen.late} late acknowledgements, "
        f"slowest {max(seen.acknowledged):.1f} s, {seen.reloads} reloads, memory {start} to {end:.0f} MB"
    )
    return not seen.errors and not seen.late and end <= GROWTH * start


def main() -> int:
    """Soak; 1 where something was wrong."""
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data" / "icml2026.jsonl.gz"
    if not corpus.exists():
        print(f"skipped: {corpus} is not there")
        return 0
    return int(not asyncio.run(run(corpus.resolve(), float(sys.argv[2]) if len(sys.argv) > 2 else 600.0)))


if __name__ == "__main__":
    sys.exit(main())
