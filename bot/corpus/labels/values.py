"""What naming a paper yields."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    """How people call a paper.

    `name` is its system, or with `phrase` a short noun phrase of its contribution. `aliases` are other forms and
    further artefacts that it introduces. `title` is a readable line: the real title where it was given.
    """

    name: str
    aliases: tuple[str, ...]
    phrase: bool
    title: str
