"""What an adapter lends once it is connected, and the registry of what is lent: the one place that knows who is there.

A platform that is not in the registry offers nothing: whatever needs it is refused, and nothing is taken for allowed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, Flag, auto
from typing import Protocol

from bot.errors import AmbiguousPostError, DeliveryError, RetryLaterError
from bot.logs import announce
from bot.message import ChannelRef, Platform, Reply, User


class Offer(Flag):
    """What a surface offers besides answering, and what a command needs of it."""

    NOTHING = 0
    STORAGE = auto()
    """What people keep is kept: saved papers, votes, schedules."""
    NEWS = auto()
    """Word comes without being asked for: new papers that somebody watches."""
    DIGEST = auto()
    """Papers of the day are posted."""


SEND_SECONDS = 20.0
"""A poster gives up on a send after this, its own tries again included: the ledger's quiet time counts on it."""


class Look(Enum):
    """What a channel's history says of a message."""

    ABSENT = "absent"
    CANNOT = "cannot look"


def never() -> bool:
    """No time is too late."""
    return False


class Poster(Protocol):
    """What posts on a platform. Methods raise the DeliveryErrors, and nothing else on purpose.

    `key` is what a message is known by: the same for every attempt at it. `parent` is the id of the message that it
    is posted under.
    """

    async def render(self, reply: Reply, key: str, *, threaded: bool = False, about: ChannelRef | None = None) -> str:
        """The payload, as text to be kept: with the key in it where the platform shows it again.

        `threaded` says that it will be posted under another message, which has notified people already; `about` is the
        channel that a direct message is about, named at its end.
        """
        ...

    async def send(
        self, channel: ChannelRef, key: str, payload: str, parent: str | None, too_late: Callable[[], bool] = never
    ) -> str:
        """Post it within SEND_SECONDS and give the message's id.

        Once it is `too_late`, no request may leave any more: where there is a wire, that is asked as its bytes are
        written, since whatever comes before may take long, and the process may stand still anywhere.
        """
        ...

    async def find(self, channel: ChannelRef, key: str, ago: timedelta, parent: str | None) -> str | Look:
        """The id of the message with this key, or why there is none; it was posted at most so long `ago`, if at all.

        How long ago, and not when: by what clock the platform dates its messages only the platform knows.
        """
        ...

    async def relabel(self, channel: ChannelRef, payload: str, message: str, label_of: Callable[[str], str]) -> None:
        """Give the buttons of a posted message new labels, from the payload that it was sent with; all else stays."""
        ...

    async def direct(self, person: str, channel: ChannelRef) -> ChannelRef:
        """Where to send what is for one person of a channel's workspace alone."""
        ...


@dataclass(slots=True)
class Departure:
    """One send: until when its requests may leave, whether one did, and whether one was kept back.

    That is asked where their bytes are written, and nowhere earlier. Between the beginning of a send and its bytes on
    the wire there may be a token to renew, a connection to open, a library that waits for its rate limit; and anywhere
    the process may stand still.
    """

    too_late: Callable[[], bool]
    left: bool = False
    kept_back: bool = False

    def check(self) -> None:
        """Raises ConnectionError where no request may leave any more: client libraries know what to do with that."""
        if self.too_late():
            self.kept_back = True
            raise ConnectionError("too late to be sent")

    def unanswered(self, platform: str, error: Exception) -> DeliveryError:
        """What a send without an answer came to: surely nothing where all there was to leave was kept back."""
        if self.kept_back and not self.left:
            return RetryLaterError(f"it came too late to be sent to {platform}", 0)
        return AmbiguousPostError(f"no answer came from {platform} ({type(error).__name__})")


_CURRENT: ContextVar[Departure | None] = ContextVar("departure", default=None)


@contextmanager
def departing(too_late: Callable[[], bool]) -> Iterator[Departure]:
    """What is requested within, and by tasks that are begun within, leaves before it is `too_late`."""
    departure = Departure(too_late)
    token = _CURRENT.set(departure)
    try:
        yield departure
    finally:
        _CURRENT.reset(token)


async def headers_leave(_session: object, _context: object, _params: object) -> None:
    """A request is about to be written; called as aiohttp calls who traces it."""
    if (departure := _CURRENT.get()) is not None:
        departure.check()


async def body_leaves(_session: object, _context: object, _params: object) -> None:
    """Bytes of a body are about to be written, by a task of its own: headers have waited for the first of them."""
    if (departure := _CURRENT.get()) is not None:
        departure.check()
        departure.left = True


class ChannelAccess(Protocol):
    """A platform's answers about a channel, asked at that moment. A reason says how to mend it; None is yes."""

    async def may_manage(self, user: User, channel: ChannelRef) -> str | None:
        """Why this person may not change the channel's digest."""
        ...

    async def may_post(self, channel: ChannelRef) -> str | None:
        """Why the bot cannot post in the channel."""
        ...

    async def zone_of(self, user: User, channel: ChannelRef) -> str | None:
        """The person's own IANA zone, where the platform knows it."""
        ...

    async def link_to(self, channel: ChannelRef, message: str) -> str | None:
        """The address of a message that was posted there, or None where the platform gives none."""
        ...


@dataclass(frozen=True, slots=True)
class Connection:
    """One platform, connected. Raises ValueError where it offers what it lends nothing for."""

    platform: Platform
    offers: Offer
    alive: Callable[[], bool]
    """Whether it stands just now."""
    poster: Poster | None = None
    access: ChannelAccess | None = None
    account: str = ""
    """As whom it is connected, in words for the operator."""

    def __post_init__(self) -> None:
        if self.offers & (Offer.DIGEST | Offer.NEWS) and self.poster is None:
            raise ValueError(f"{self.platform} offers to post, and lends nothing that posts")
        if self.offers & Offer.DIGEST and self.access is None:
            raise ValueError(f"{self.platform} offers digests, and lends nothing that says who may set them up")


class Connections:
    """Connections by platform: each adapter enters its own when it has connected, and takes it out when it ends.

    `expected` has what each configured platform will offer, also before it is connected and between tries.
    """

    def __init__(self, expected: Mapping[Platform, Offer] | None = None) -> None:
        self.expected: Mapping[Platform, Offer] = dict(expected or {})
        self._standing: dict[Platform, Connection] = {}

    def enter(self, connection: Connection) -> None:
        """Lend a connection, and say as whom."""
        announce("%s: ready%s", connection.platform, f" as {connection.account}" if connection.account else "")
        self._standing[connection.platform] = connection

    def leave(self, platform: Platform) -> None:
        """Take it back; none is fine."""
        self._standing.pop(platform, None)

    def of(self, platform: Platform) -> Connection | None:
        """The platform's connection, or None while there is none."""
        return self._standing.get(platform)

    def offers(self, platform: Platform) -> Offer:
        """What the platform offers, or will once it is connected."""
        connection = self._standing.get(platform)
        return connection.offers if connection else self.expected.get(platform, Offer.NOTHING)

    def poster(self, platform: Platform, offer: Offer) -> Poster | None:
        """What posts there, where the platform is connected and offers this, or one of these."""
        connection = self._standing.get(platform)
        return connection.poster if connection and offer & connection.offers else None

    def access(self, platform: Platform) -> ChannelAccess | None:
        """What says who may do what there, where the platform is connected."""
        connection = self._standing.get(platform)
        return connection.access if connection else None

    def offering(self, offer: Offer) -> tuple[Platform, ...]:
        """The connected platforms that offer this, or one of these."""
        return tuple(name for name, connection in self._standing.items() if offer & connection.offers)

    def alive(self) -> Mapping[Platform, bool]:
        """Of each platform that is expected or connected, whether its connection stands."""
        names = dict.fromkeys([*self.expected, *self._standing])
        return {name: (one := self._standing.get(name)) is not None and one.alive() for name in names}
