"""What a corpus format is."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.corpus.records import FileContent


@dataclass(frozen=True, slots=True)
class Format:
    """How one kind of corpus file is read.

    `suffixes` are the endings of its file names (without `.gz`, which every format may have behind).
    `read(text, file)` takes decoded text and the name to report, and never raises for a bad record: that
    becomes a fault with its line. `version` is raised whenever `read` gives something else for the same text.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[str, str], FileContent]
    version: int = 1
