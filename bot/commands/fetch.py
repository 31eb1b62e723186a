"""How a command waits: what it waits for goes on on the event loop, and all that it reckons runs in a worker thread.

A handler that is `async` looks like any coroutine, but it is driven step by step: each stretch of it between two
fetches runs in a thread, and none is held while it waits. So no command can block the loop, however much it draws,
ranks or sorts.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context as Variables
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")

_MISUSE = "a command waits for fetches alone: write `await fetch(…)` around a coroutine that does the waiting"


@dataclass(frozen=True, slots=True)
class Fetch(Generic[Result]):
    """Something to be awaited on the event loop; awaiting this in a handler gives what that gives, or raises it."""

    work: Coroutine[Any, Any, Result]

    def __await__(self) -> Generator["Fetch[Any]", Any, Result]:
        """Hand itself to whoever drives the handler (`answered`), and take the result."""
        result: Result = yield self
        return result


def fetch(work: Coroutine[Any, Any, Result]) -> Fetch[Result]:
    """A coroutine that reads, writes or asks, as a handler awaits it."""
    return Fetch(work)


@dataclass(frozen=True, slots=True)
class _Ended(Generic[Result]):
    """A handler came to its end; a thread cannot hand on StopIteration itself."""

    result: Result


async def answered(handler: Coroutine[Any, Any, Result]) -> Result:
    """What an async handler gives: its stretches run in worker threads, its fetches here.

    Context variables are those of the caller, and what the handler sets holds for all of it. Raises what the handler
    raises, and TypeError where it awaits anything but a fetch.
    """
    variables, loop = copy_context(), asyncio.get_running_loop()
    resume: Callable[[], object] = partial(handler.send, None)
    while True:
        stretch = loop.run_in_executor(None, variables.run, _stretch, handler, resume)
        try:
            waits = await asyncio.shield(stretch)
        except asyncio.CancelledError:
            stretch.add_done_callback(partial(_abandon, handler, variables))
            raise
        if isinstance(waits, _Ended):
            return waits.result
        try:
            value = await loop.create_task(waits.work, context=variables)
        except Exception as error:  # noqa: BLE001 - it is the handler's to meet
            resume = partial(handler.throw, error)
        except BaseException:
            await loop.run_in_executor(None, variables.run, handler.close)
            raise
        else:
            resume = partial(handler.send, value)


def _stretch(handler: Coroutine[Any, Any, Result], resume: Callable[[], object]) -> Fetch[Any] | _Ended[Result]:
    """Run a handler up to its next fetch, or to its end."""
    try:
        waits = resume()
    except StopIteration as end:
        return _Ended(end.value)
    except RuntimeError as error:
        if "event loop" in str(error):  # what asyncio says of a wait in a thread that has none
            raise TypeError(_MISUSE) from error
        raise
    if isinstance(waits, Fetch):
        return waits
    handler.close()
    raise TypeError(_MISUSE)


def _abandon(
    handler: Coroutine[Any, Any, object], variables: Variables, stretch: "asyncio.Future[Fetch[Any] | _Ended[Any]]"
) -> None:
    """Nobody waits for this handler any more: what it asked for last is not fetched."""
    if stretch.cancelled() or stretch.exception() is not None:
        return
    if isinstance(waits := stretch.result(), Fetch):
        waits.work.close()
    variables.run(handler.close)
