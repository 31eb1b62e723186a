"""The whole modules of CONTRIBUTING.md: each is one file, put beside the product and used; nothing else is touched."""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from clocks import WorldClock
from connected import EVERYTHING
from digest_worker import Worker
from waiting import GUARD_SECONDS, until

import bot.adapters
from bot.adapters.base import Adapter, all_adapters
from bot.adapters.services import Services
from bot.app import read_settings, ready_adapters
from bot.commands import all_commands
from bot.config import default_corpus
from bot.connections import Connections, Offer
from bot.corpus import load_corpus
from bot.library import Library
from bot.message import ChannelRef
from bot.operate.health import Checks, Metrics
from bot.operate.serve import make_services
from bot.operate.supervise import Supervisor
from bot.store.database import Database

ROOT = Path(__file__).resolve().parent.parent
SAMPLES: dict[str, str] = dict(
    re.findall(
        r"`(bot/[^`]+\.py)`:\n\n```python\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL
    )
)
COMMAND, FORMAT, ADAPTER = "bot/commands/authors.py", "bot/corpus/formats/table.py", "bot/adapters/lines/__init__.py"
ROOM = ChannelRef("lines", "here", "room")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product, with the samples in it."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("bot", "seeds"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, code in SAMPLES.items():
        path = folder / name
        assert not path.exists()
        path.parent.mkdir(exist_ok=True)
        path.write_text(code)
    return folder


def environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout)}


def run(checkout: Path, *arguments: str) -> str:
    """What Python prints, run in the copy."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env=environment(checkout),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_is_one_of_each_kind() -> None:
    assert set(SAMPLES) == {COMMAND, FORMAT, ADAPTER}


@pytest.mark.parametrize(
    "judge", [("ruff", "check"), ("ruff", "format", "--check"), ("mypy", "--strict")], ids=lambda judge: judge[0]
)
def test_the_samples_are_held_to_what_our_own_code_is(checkout: Path, judge: tuple[str, ...]) -> None:
    run(checkout, "-m", *judge, *SAMPLES)


def test_the_samples_stand_within_the_fences(checkout: Path) -> None:
    run(checkout, "-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))")


def test_the_command_works(checkout: Path) -> None:
    assert "No paper here names" in run(checkout, "-m", "bot", "say", "by Lovelace")
    assert "by <person>" in run(checkout, "-m", "bot", "say", "help")


USE_FORMAT = """
import json, sys
from pathlib import Path
from bot.corpus import load_corpus
from bot.corpus.formats.table import FORMAT
path = Path(sys.argv[1])
content = FORMAT.read(path.read_text(), "a.csv")
print(json.dumps({
    "records": [(one.title, one.abstract, one.year, one.position, one.line) for one in content.records],
    "faults": [one.line for one in content.faults],
    "papers": [one.title_text for one in load_corpus([path])],
}))
"""


def test_the_format_works(checkout: Path, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text('title,abstract,year\nOne,"Words, and more.",2026\nTwo,,x\n"')
    assert json.loads(run(checkout, "-c", USE_FORMAT, str(table))) == {
        "records": [["One", "Words, and more.", 2026, 1, 2]],
        "faults": [3, 4],
        "papers": ["One"],
    }


# the adapter


class Guest:
    """Somebody in the room."""

    def __init__(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.name = name
        self.heard = ""
        self._writer = writer
        self._marks = 0
        self._listening = asyncio.create_task(self._listen(reader))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        while got := await reader.read(65_536):
            self.heard += got.decode()

    async def say(self, words: str) -> str:
        """Type a line; all of its answer. What is typed next is answered after it, so that one finds its end."""
        before = len(self.heard)
        self._marks += 1
        mark = f"nowhere-{self._marks}"
        self._writer.write(f"{self.name}: {words}\n{self.name}: show {mark}\n".encode())
        await self.hears(f"No paper is called “{mark}”")
        return self.heard[before:].partition("No paper is called “nowhere-")[0]

    async def hears(self, words: str) -> None:
        async def there() -> bool:
            return words in self.heard

        await until(there)

    async def leave(self) -> None:
        self._writer.close()
        await self._listening


@asynccontextmanager
async def guest(port: int, name: str) -> AsyncIterator[Guest]:
    """Somebody who comes into the room, once it is there."""
    found: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def connects() -> bool:
        try:
            found.append(await asyncio.open_connection("127.0.0.1", port))
        except OSError:
            return False
        return True

    await until(connects)
    person = Guest(name, *found[0])
    try:
        yield person
    finally:
        await person.leave()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_the_adapter_runs_beside_everything_else(checkout: Path, tmp_path: Path) -> None:
    port, health = free_port(), free_port()
    config = tmp_path / "config.yaml"
    config.write_text(f"lines: {{port: {port}}}\nhealth: {{port: {health}}}\nstate: {tmp_path / 'state'}\n")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--config", str(config)),
        cwd=checkout,
        env=environment(checkout),
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with guest(port, "ada") as ada:
            assert "1. xKV" in await ada.say("kv cache")

        async def ready() -> bool:
            async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{health}/readyz") as page:
                value = await page.json()
            return page.status == 200 and value["checks"]["lines connected"] is True

        await until(ready)
    finally:
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(GUARD_SECONDS):
            _, said = await process.communicate()
    assert process.returncode == 0, said.decode()
    assert b"Traceback" not in said


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Adapter]]:
    """Puts the source of a platform `lines` among the adapters of this process."""

    def put(source: str) -> Adapter:
        folder = tmp_path / "adapters" / "lines"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(source)
        monkeypatch.setattr(bot.adapters, "__path__", [*bot.adapters.__path__, str(folder.parent)])
        all_adapters.cache_clear()
        return all_adapters()["lines"]

    yield put
    all_adapters.cache_clear()
    sys.modules.pop("bot.adapters.lines", None)
    vars(bot.adapters).pop("lines", None)


@dataclass
class Serving:
    """The adapter under way in a process whose time the test has in hand."""

    adapter: Adapter
    services: Services
    library: Library
    clock: WorldClock
    port: int
    task: asyncio.Task[None]

    async def stop(self) -> None:
        self.services.stopping.set()
        await asyncio.wait_for(self.task, GUARD_SECONDS)


@asynccontextmanager
async def serving(adapter: Adapter, folder: Path, elsewhere: dict[str, Offer] | None = None) -> AsyncIterator[Serving]:
    """Serve by a config file, as the operator writes it; `elsewhere` is what other platforms offer."""
    port = free_port()
    config = folder / "config.yaml"
    config.write_text(f"lines: {{port: {port}}}\n")
    settings = read_settings(config)
    assert ready_adapters(settings) == [adapter]
    database = await Database.open("sqlite:///:memory:")
    library = Library.of(load_corpus(default_corpus()))
    clock = WorldClock()
    expected = Connections({"lines": adapter.offers(settings), **(elsewhere or {})})
    services = make_services(database, lambda: library, expected, clock=clock)

    async def serve() -> None:
        await adapter.serve(settings, services)

    running = Serving(adapter, services, library, clock, port, asyncio.create_task(serve()))
    try:
        yield running
    finally:
        await running.stop()
        await database.close()


async def test_the_adapter_answers_and_posts_digests(found: Callable[[str], Adapter], tmp_path: Path) -> None:
    async with (
        serving(found(SAMPLES[ADAPTER]), tmp_path) as running,
        guest(running.port, "ada") as ada,
        guest(running.port, "bob") as bob,
    ):
        assert "1. xKV" in await ada.say("kv cache")
        assert "no list here yet" in await bob.say("tldr 1"), "the list is Ada's, and so is its answer"
        assert "Europe/Berlin" in await ada.say("digest on 9:00 berlin")
        assert "On its way" in await ada.say("digest now")
        worker = Worker(running.services, running.library, running.clock.advance)
        await worker.tick()
        await worker.tick()
        for person in (ada, bob):
            await person.hears("Paper of the day")
            await person.say("about")
            assert person.heard.count("Why this one") == 1
        (row,) = await worker.rows(ROOM)
        assert (row.state, row.message) == ("posted", row.key)
        await running.stop()
        assert running.services.connections.of("lines") is None


async def test_a_digest_waits_for_somebody_in_the_room(found: Callable[[str], Adapter], tmp_path: Path) -> None:
    async with serving(found(SAMPLES[ADAPTER]), tmp_path) as running:
        async with guest(running.port, "ada") as ada:
            await ada.say("digest on 9:00 berlin")
            await ada.say("digest now")
        connection = running.services.connections.of("lines")
        assert connection is not None

        async def empty() -> bool:
            return not vars(connection.poster)["here"]

        await until(empty)
        worker = Worker(running.services, running.library, running.clock.advance)
        await worker.tick()
        assert [row.state for row in await worker.rows(ROOM)] == ["rendered"]
        async with guest(running.port, "bob") as bob:
            await bob.say("about")
            await worker.after(seconds=70)
            await bob.hears("Paper of the day")


def without_digests(source: str) -> str:
    """The same platform, which keeps what people save and posts nothing."""
    for whole, part in (
        ("Offer.STORAGE | Offer.DIGEST", "Offer.STORAGE"),
        ("server.is_serving, room, room)", "server.is_serving)"),
    ):
        assert source.count(whole) == 1
        source = source.replace(whole, part)
    return source


async def test_where_no_digest_is_offered_none_is_promised(found: Callable[[str], Adapter], tmp_path: Path) -> None:
    adapter = found(without_digests(SAMPLES[ADAPTER]))
    async with serving(adapter, tmp_path, {"slack": EVERYTHING}) as running, guest(running.port, "ada") as ada:
        services = running.services
        shown = await ada.say("help")
        for command in all_commands().all:
            assert (command.usage in shown) == (command.needs in Offer.STORAGE), command.path
        for typed, why in (
            ("digest on 9:00 berlin", "digest on works in Slack: no paper of the day is posted here."),
            ("digest status", "works in Slack"),
            ("seen", "works in Slack"),
            ("watch kv cache", "watch works in Slack: nobody is told of news here."),
        ):
            assert why in await ada.say(typed), typed
        assert await services.storage.subscriptions.active() == []
        await ada.say("kv cache")
        assert "Saved" in await ada.say("save 1")
        assert "xKV" in await ada.say("saved")
        checks = Checks(
            services, services.storage.database, Metrics(), lambda: None, lambda: None, Supervisor(services.stopping)
        )
        assert (await checks.ready())["lines connected"] is True
        heard = ada.heard
        worker = Worker(services, running.library, running.clock.advance)
        await worker.after(days=1)
        assert ada.heard == heard
        await running.stop()
        assert (await checks.ready())["lines connected"] is False


async def test_where_nobody_offers_digests_it_says_so(found: Callable[[str], Adapter], tmp_path: Path) -> None:
    adapter = found(without_digests(SAMPLES[ADAPTER]))
    async with serving(adapter, tmp_path) as running, guest(running.port, "ada") as ada:
        assert "does not work here: no paper of the day is posted here" in await ada.say("digest on 9:00 berlin")
