"""Whole bots that are asked to stop in the middle of a delivery, and started again: for tools/chaos.py.

`paperboy run` in processes of its own, on both doubles, by the machine's own time. What was begun is finished before a
process ends, so nothing is left to be looked for: no post is unconfirmed, and nothing is said in the log.
"""

import asyncio
import os
import random
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from chaos_doubles import messages  # noqa: E402 - found beside
from chaos_herd import Count, judge, rows_of  # noqa: E402
from platforms.discord import world as discord_world  # noqa: E402
from platforms.discord.server import Double, discord_double  # noqa: E402
from platforms.slack import world as slack_world  # noqa: E402
from platforms.slack.running import TOKENS  # noqa: E402
from platforms.slack.server import SlackServer, slack_server  # noqa: E402

from bench.memory import RUN  # noqa: E402
from bot.message import ChannelRef  # noqa: E402
from bot.schedule.values import DAILY, MAIN, Schedule, Subscription, posting_key  # noqa: E402
from bot.store.database import Database  # noqa: E402
from bot.store.subscriptions import Subscriptions  # noqa: E402

CHANNELS = 80
"""On each platform."""
LIVES = 4
"""So many are stopped while they deliver; another one does the rest."""
SLOWEST_ANSWER = 3.0
"""Seconds that an answer takes at most, so that posts are under way whenever a bot is asked to stop."""
LONGEST_END = 30.0
"""Seconds in which a process has to end."""
LONGEST_REST = 90.0


class SlowSlack(slack_world.World):
    """Slack, which takes its time to answer."""

    def fault(self, method: str) -> slack_world.Fault | None:
        """Each post is made at once and answered later."""
        if method != "chat.postMessage":
            return None
        return slack_world.Fault(method, "late_answer", seconds=self.random.uniform(0.05, SLOWEST_ANSWER))


class SlowDiscord(discord_world.World):
    """Discord, likewise."""

    def take_fault(self, call: str) -> discord_world.Fault | None:
        """Each post is made at once and answered later."""
        if not (call.startswith("POST /channels/") and call.endswith("/messages")):
            return None
        return discord_world.Fault("late answer", seconds=self.dice.uniform(0.05, SLOWEST_ANSWER))


class Bots:
    """One bot after another on one store; `faults` has what their logs say and how they ended, where that is wrong."""

    def __init__(self, discord: int, config: Path) -> None:
        self._discord, self._config = discord, config
        self.faults: list[str] = []

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """A bot that runs, and is asked to stop at the end."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "DISCORD_"))}
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", RUN, str(self._discord), str(self._config)),
            cwd=ROOT,
            env={**environment, **TOKENS, "DISCORD_TOKEN": discord_world.TOKEN},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        assert child.stderr is not None
        reading = asyncio.create_task(child.stderr.read())
        try:
            yield
            child.terminate()
            async with asyncio.timeout(LONGEST_END):
                await child.wait()
        except TimeoutError:
            self.faults.append(f"a bot did not end within {LONGEST_END:.0f} s")
        finally:
            if child.returncode is None:
                child.kill()
            said = (await reading).decode()
        if child.returncode:
            self.faults.append(f"a bot ended with {child.returncode}")
        self.faults += [line for line in said.splitlines() if "ERROR" in line or "WARNING" in line or "Trace" in line]


async def asked_to_stop(url: str, seed: int) -> Count:
    """One database: asked to stop in mid-delivery a few times, then left to finish."""
    dice, count = random.Random(seed), Count()  # noqa: S311 - chance in a test
    with tempfile.TemporaryDirectory() as folder:
        async with slack_server(SlowSlack(seed)) as slack, discord_double() as double:
            double.world = SlowDiscord(seed)
            double.rest.world = double.gateway.world = double.world
            expected = await _owed(url, slack, double)
            bots = Bots(double.port, _configured(Path(folder), url, slack.api_url))

            def posted() -> int:
                return len(messages(slack.world, double.world))

            for _ in range(LIVES):
                more = min(posted() + 1, len(expected))
                async with bots.one():
                    await _until(posted, more)
                    await asyncio.sleep(dice.uniform(0.0, 0.4))
                count.events["asked to stop"] += 1
                count.events["posts under way then, or before"] = posted()
            async with bots.one():
                await _until(posted, len(expected))
                await asyncio.sleep(SLOWEST_ANSWER)
            judge(count, expected, await rows_of(url), messages(slack.world, double.world))
            count.faults += bots.faults
    return count


async def _owed(url: str, slack: SlackServer, double: Double) -> dict[str, Subscription]:
    """Channels with a digest each, all due a minute ago; whose each expected key is."""
    now = datetime.now(UTC)
    guild = double.world.guild()
    names = [f"C{number:05d}X" for number in range(CHANNELS)]
    for name in names:
        slack.world.channels[name] = slack_world.Channel(name, "T1", {"U1", "UBOT"})
    places = [ChannelRef("slack", "T1", name) for name in names]
    places += [ChannelRef("discord", str(guild), str(double.world.channel(guild).id)) for _ in range(CHANNELS)]
    database = await Database.open(url)
    keep = Subscriptions(database, lambda: now)
    expected: dict[str, Subscription] = {}
    due = now - timedelta(minutes=1)
    for place in places:
        schedule = Schedule(time(due.hour, due.minute), "Etc/UTC", now - timedelta(hours=1), DAILY)
        entry = await keep.put(Subscription(0, place, schedule, ""))
        expected[posting_key(entry.id, due.date(), MAIN)] = entry
    await database.close()
    return expected


async def _until(count: Callable[[], int], enough: int) -> None:
    """Wait, as long as it takes at most, until there is enough; what is not there then is counted as missed."""
    end = asyncio.get_running_loop().time() + LONGEST_REST
    while count() < enough and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110 - nobody tells of it
        await asyncio.sleep(0.01)


def _configured(folder: Path, url: str, slack: str) -> Path:
    """A config file of a bot."""
    config = folder / "config.yaml"
    config.write_text(
        f"state: {folder}/state\nslack: {{api: '{slack}'}}\nhealth: {{port: 0}}\nstore: {{url: '{url}'}}\n"
    )
    return config
