"""Through which files of `bot/` a query goes in Slack, and a digest from the tick to its post.

python tools/trace_files.py [--functions]

A bot runs on Slack's double of the tests, with the real client libraries and a store of its own. Of a query it counts
from the moment at which a person types `/papers kv cache` until they see the answer; of a digest from the tick that
finds it due until the message stands in the channel. A file counts where a function of it is called, in whatever
thread. What only runs when a module is imported does not count, nor does a value whose class has no methods written
there.
"""

import asyncio
import inspect
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
os.environ.pop("PAPERBOY_TEST_DATE", None)  # always the same day, for the same paper: it decides what its summary needs

from digest_worker import Worker  # noqa: E402 - found beside the tests
from platforms.slack.running import running_bot, seeds  # noqa: E402
from platforms.slack.server import slack_server  # noqa: E402

import bot  # noqa: E402

PRODUCT = Path(bot.__file__).resolve().parent

_STANDS_IN = "bot/schedule/clock.py"
"""A world whose time a test passes measures durations by its clock, from here; a running bot by `time.monotonic`."""
QUERY = "kv cache"
_QUIET_SECONDS = 0.5
_GOES_ON = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


Called = dict[str, dict[str, None]]
"""Files, relative to the checkout, in the order in which each was reached; of each, its functions, likewise."""


@dataclass(frozen=True, slots=True)
class Paths:
    """What a query goes through, and what a digest does."""

    query: Called
    digest: Called


class Recorder:
    """Notes what is called of the product while a stretch is recorded. Threads that started before it are not heard."""

    def __init__(self) -> None:
        self._called: Called | None = None
        self._inside = f"{PRODUCT}/"

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Listens in this thread, and in all that start meanwhile."""
        threading.setprofile(self._heard)
        sys.setprofile(self._heard)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    @contextmanager
    def stretch(self) -> Iterator[Called]:
        """Notes what is called from here to its end."""
        called: Called = {}
        self._called = called
        try:
            yield called
        finally:
            self._called = None

    async def quiet(self) -> None:
        """Waits until nothing is called any more: what came before is over, and is no part of what comes next."""
        called: Called = {"": {}}
        while called:
            with self.stretch() as called:
                await asyncio.sleep(_QUIET_SECONDS)

    def _heard(self, frame: FrameType, event: str, _: object) -> None:
        called, code = self._called, frame.f_code
        # without this flag it is the body of a module or a class, which runs once, at import
        if called is None or event != "call" or not code.co_flags & inspect.CO_OPTIMIZED:
            return
        # a coroutine that goes on, and was called before: such as the one that looks after the connection
        if code.co_flags & _GOES_ON and frame.f_lineno != code.co_firstlineno:
            return
        if code.co_filename.startswith(self._inside) and not code.co_filename.endswith(_STANDS_IN):
            file = f"{PRODUCT.name}/{code.co_filename.removeprefix(self._inside)}"
            called.setdefault(file, {}).setdefault(code.co_qualname)


async def trace(folder: Path) -> Paths:
    """Both paths. The store is made in `folder`."""
    recorder = Recorder()
    library = seeds()
    with recorder.installed():
        async with slack_server() as server, running_bot(server, folder) as running:
            person, world = running.person(), server.world
            await recorder.quiet()
            with recorder.stretch() as query:
                answer = await person.say(QUERY)
            assert "xKV" in answer.text, answer.text
            set_up = await person.say("digest on 9:00 berlin daily")
            assert "9:00" in set_up.text, set_up.text
            world.pass_seconds(timedelta(days=1).total_seconds())
            worker = Worker(running.services, library, world.pass_seconds)
            await recorder.quiet()
            with recorder.stretch() as digest:
                ticking = asyncio.create_task(worker.tick())
                await world.until(lambda: world.public(person.channel))
            await ticking
            assert len(world.public(person.channel)) == 1
    return Paths(query, digest)


def traced() -> Paths:
    """The same, on a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(trace(Path(folder)))


def main() -> None:
    """Print both paths and their lengths."""
    paths = traced()
    for words, called in ((f"/papers {QUERY}, typed to seen", paths.query), ("a digest, tick to post", paths.digest)):
        print(f"{words}: {len(called)} files")
        for file, functions in called.items():
            print(f"  {file}" + (f": {', '.join(functions)}" if "--functions" in sys.argv[1:] else ""))


if __name__ == "__main__":
    main()
