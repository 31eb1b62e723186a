"""Keeping the cycle collector away from a corpus: millions of values, none of them in cycles.

While it is built the collector would look through all of them again and again; once it is there, each full collection
would stop every answer for a tenth of a second.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """No cycle collection inside, if there was any before: it would look through all values again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def leave_out_of_collections() -> None:
    """Everything that exists now is looked at by no collection any more; what is dropped is freed as ever.

    For a process that lives long, right after its corpus was loaded.
    """
    gc.freeze()
