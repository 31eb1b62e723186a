"""What goes into a command and what comes out: the values between adapters and commands.

An adapter turns what a platform sends into a `Call` by a `User` in a `ChannelRef`; a command answers with a
`Reply`; the adapter translates that. Neither knows the other.
"""

import contextlib
import contextvars
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.papers import Paper
from bot.richtext import Blocks, Inlines, Paragraph, plain_blocks

Value = str | int | bool
"""What a typed parameter holds. A paper is passed by its id, so that a button outlives a restart."""

Platform = str
"""The name of a surface: that of an adapter, as it is registered, or `console` for the terminal."""


@dataclass(frozen=True, slots=True)
class ChannelRef:
    """Where a conversation happens; `workspace` is the Slack team or Discord guild ("" in direct messages)."""

    platform: Platform
    workspace: str
    channel: str

    def same_workspace(self, other: "ChannelRef") -> bool:
        """Whether another place is in the same workspace."""
        return (self.platform, self.workspace) == (other.platform, other.workspace)


_PLACE: contextvars.ContextVar[ChannelRef | None] = contextvars.ContextVar("place", default=None)


@contextlib.contextmanager
def concerning(channel: ChannelRef) -> Iterator[None]:
    """Lines logged inside are about this channel: JSON lines say so, without each line naming it."""
    token = _PLACE.set(channel)
    try:
        yield
    finally:
        _PLACE.reset(token)


def concerned() -> ChannelRef | None:
    """The channel that is being worked for just now, where one is named."""
    return _PLACE.get()


@dataclass(frozen=True, slots=True)
class User:
    """Who speaks. `zone` is the person's own IANA zone where the platform tells it (Slack does)."""

    id: str
    name: str = ""
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A command with its arguments: what a button carries, what a slash command becomes."""

    command: str
    """Name of the command; a grouped one as `group name`."""
    arguments: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Button:
    """A typed call that one press makes. `label` is always words; an emoji alone is never enough."""

    label: str
    call: Call
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to hand over where the platform can; elsewhere the reply's own text stands in."""

    name: str
    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class ReplyError:
    """Why a reply is not an answer: `kind` is stable (`usage`, `not_found`, `user`, `ambiguous`, `internal`)."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A paper that a reply is about, with its search score where it has one."""

    paper: Paper
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, complete: an adapter needs nothing else.

    `papers` are those it is about, in the order shown. `listed` says that they form a numbered list which
    the person may refer to by number, from `first_number` on. `page` and `total` belong to lists that go on.
    """

    command: str
    blocks: Blocks
    papers: tuple[Shown, ...] = ()
    listed: bool = False
    first_number: int = 1
    page: int = 1
    total: int | None = None
    searched_for: str | None = None
    notes: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    hints: tuple[Inlines, ...] = ()
    """What to type next: for surfaces without buttons."""
    attachments: tuple[Attachment, ...] = ()
    private: bool = True
    error: ReplyError | None = None

    @property
    def text(self) -> str:
        """The whole reply as plain text, without hints: the fallback where a platform shows buttons."""
        return plain_blocks(self.blocks)

    @property
    def typed(self) -> str:
        """The whole reply as plain text for somebody who types: with the hints."""
        return plain_blocks((*self.blocks, *(Paragraph(hint, quiet=True) for hint in self.hints)))
