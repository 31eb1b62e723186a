"""One way through, for every platform: acknowledged, claimed once, answered, shown or shared or taken back.

An adapter turns what its platform sends into a `Request` and says what is asked (`asked`, `opened`, `pressed`); a
`Surface` shows the answer there. What no platform may get wrong stands here once: that nothing is answered twice, that
one failing answer stops no other and is told in a line that finds the log entry, that what is personal is not shown to
all, and that the end waits for answers in flight.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from bot.adapters.actions import Action, personal, settled
from bot.commands.dispatch import Dispatcher, failed, with_note
from bot.errors import RefusedError, UnansweredError, UserError
from bot.message import Call, ChannelRef, Platform, Reply, ReplyError, User
from bot.richtext import Paragraph, said

logger = logging.getLogger(__name__)

CLAIM_SECONDS = 5.0
"""A store that answers nobody for so long is not waited for: an answer twice is better than none. One that is merely
busy is, however long the queue."""

FORGOTTEN = "This button is from long ago and I have forgotten what it did. Ask again, for example with `/papers help`."
DOUBT = "I was not told whether my answer arrived. If it is not here, ask again. Reference: {}"
NOT_YOURS = "Only the person who shared this or asked for it can delete it."
SHARED = "Shared with this channel."


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply, the press that leads to it again, and for whose eyes it is."""

    reply: Reply
    action: Action
    may_share: bool = False
    """Whether the one person who sees it may share it from here."""
    owner: str = ""
    """Where all see it: the platform's id of the person who brought it there, and may take it back."""
    shared: bool = False
    """Whether a post that all see says who shared it: an answer to a question that all saw need not."""
    note: str = ""
    """A quiet line at its end."""


class Surface(Protocol):
    """How one request of one person can be answered. Methods raise RefusedError where the platform says no."""

    @property
    def user(self) -> User:
        """Who asks."""
        ...

    @property
    def channel(self) -> ChannelRef:
        """Where."""
        ...

    @property
    def event(self) -> str:
        """The platform's name of this request, the same for every delivery of it; "" where it has none."""
        ...

    @property
    def shareable(self) -> bool:
        """Whether there are others with whom an answer could be shared."""
        ...

    @property
    def aside(self) -> "Surface | None":
        """Where all see an answer: how the one person can be answered alone instead. None where only they see it."""
        ...

    async def show(self, answer: Answer) -> None:
        """Show an answer where this request is answered."""
        ...

    async def tell(self, words: str) -> None:
        """A line for the person, which leaves the answer that stands there."""
        ...


class SharingSurface(Surface, Protocol):
    """One whose answers have buttons, and can be shown to all."""

    async def may_share(self) -> str | None:
        """Why this person or the bot may not post here, in words for the person; None where both may."""
        ...

    async def share(self, answer: Answer) -> None:
        """Post an answer for all. Raises UserError where the channel refuses, with the remedy."""
        ...

    async def shared(self, answer: Answer) -> None:
        """The answer was posted for all: show it as it now is, where the platform draws it anew."""
        ...

    async def take_back(self) -> None:
        """Delete the post in which was pressed. Raises UserError where the platform does not let the bot."""
        ...


S = TypeVar("S", bound=Surface)


@dataclass(frozen=True, slots=True)
class Request(Generic[S]):
    """What a platform sent: its kind for the log, how it is acknowledged, and where its answer goes.

    `acknowledge` gives False where nothing more can be done. `surface` reads what was sent: None where the bot has
    nothing to say to it; it raises where that is nothing that the platform should send.
    """

    kind: str
    acknowledge: Callable[[], Awaitable[bool]]
    surface: Callable[[], S | None]


async def at_once() -> bool:
    """The acknowledgement of what needs none, or had it already."""
    return True


class Claims(Protocol):
    """Who is the first to take an event (bot.store.inbound.InboundEvents)."""

    async def claim(self, platform: Platform, workspace: str, key: str) -> bool:
        """True for the first of all replicas that asks for this event."""
        ...


class Conversation:
    """Answers the requests of one connection.

    `claims` tells which events are new, where the platform may deliver one twice; `sharing` is whether the config lets
    people share answers, `log_queries` whether what they type is logged.
    """

    def __init__(
        self,
        platform: Platform,
        dispatcher: Dispatcher,
        claims: Claims | None = None,
        *,
        sharing: bool = False,
        log_queries: bool = False,
    ) -> None:
        self.dispatcher = dispatcher
        self._platform = platform
        self._claims = claims
        self._sharing = sharing
        self._log_queries = log_queries
        self._in_flight: set[asyncio.Task[object]] = set()
        self._claiming: set[asyncio.Task[bool]] = set()
        self._claims_answered = 0
        self._closed = False

    async def take(self, request: Request[S], work: Callable[[S], Awaitable[None]]) -> None:
        """Acknowledge a request, and do its work where it is new. Never raises but for cancellation."""
        surface: S | None = None
        with self._flying() as may:
            try:
                if not may or not await request.acknowledge():
                    return
                surface = request.surface()
                if surface is not None and await self._is_new(surface):
                    await self._done(surface, work)
            except Exception as error:  # noqa: BLE001 - the boundary: a failing request must not stop another
                await self._apologise(request.kind, surface, error)

    async def _done(self, surface: S, work: Callable[[S], Awaitable[None]]) -> None:
        try:
            await work(surface)
        except UserError as error:
            await surface.tell(str(error))

    async def line(self, surface: Surface, words: str) -> None:
        """Answer a line that needs no acknowledgement, as `take` does."""
        await self.take(Request("line", at_once, lambda: surface), lambda place: self.asked(place, words))

    async def heard(self, kind: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do what follows from an event that nobody waits to see answered. Never raises but for cancellation."""
        with self._flying() as may:
            try:
                if may:
                    await work()
            except Exception as error:  # noqa: BLE001 - the same boundary
                await self._apologise(kind, None, error)

    @contextmanager
    def _flying(self) -> Iterator[bool]:
        """Counts what is in flight; gives whether anything new may begin."""
        task = asyncio.current_task()
        assert task is not None
        self._in_flight.add(task)
        try:
            yield not self._closed
        finally:
            self._in_flight.discard(task)

    async def finish(self, seconds: float) -> int:
        """Take nothing new, and wait so long for what is in flight; end the rest, and give how many that were."""
        self._closed = True
        if not self._in_flight:
            return 0
        _, late = await asyncio.wait(set(self._in_flight), timeout=seconds)
        for task in late:
            task.cancel()
        return len(late)

    async def asked(self, surface: Surface, words: str) -> None:
        """Answer what somebody typed; for all where all saw the question, unless the answer is personal."""
        try:
            meant = await self.dispatcher.meaning(words, surface.user, surface.channel)
        except UserError as error:
            answer = Answer(failed("help", error), Action("open", Call("help")))
        else:
            answer = await self._answer(surface, Action("open", meant.call))
            if meant.note:
                answer = replace(answer, reply=with_note(answer.reply, meant.note))
        self.note(words[:500])
        aside = surface.aside
        if aside is None:
            await surface.show(answer)
        elif personal(answer.action.call, self.dispatcher.commands):
            await aside.show(answer)
        else:
            await surface.show(replace(answer, may_share=False, owner=surface.user.id))

    def note(self, query: object) -> None:
        """Log what a person typed, where the operator asked for that."""
        if self._log_queries:
            logger.info("%s: it was asked as %r", self._platform, query)

    async def opened(self, surface: Surface, action: Action) -> None:
        """Answer a press, a form or an option, where the request is answered."""
        await surface.show(await self._answer(surface, action))

    async def pressed(self, surface: SharingSurface, action: Action | None) -> None:
        """Do what a button does; None is one that is forgotten."""
        if action is None:
            await surface.tell(FORGOTTEN)
            return
        match action.verb:
            case "open":
                await self.opened(surface, action)
            case "share":
                await self._share(surface, action)
            case "unshare":
                await self._take_back(surface, action)

    async def _answer(self, surface: Surface, action: Action) -> Answer:
        reply = await self.dispatcher.call(action.call, surface.user, surface.channel)
        logger.info("%s: %s answered %s", self._platform, action.call.command, surface.user.id)
        action = settled(action, reply, self.dispatcher.commands)
        own = personal(action.call, self.dispatcher.commands)
        return Answer(reply, action, may_share=self._sharing and surface.shareable and not own)

    async def _share(self, surface: SharingSurface, action: Action) -> None:
        try:
            if (problem := await surface.may_share()) is not None:
                await surface.tell(problem)
                return
            answer = await self._answer(surface, replace(action, verb="open"))
            if answer.reply.error is not None:
                await surface.show(answer)
                return
            await surface.share(replace(answer, may_share=False, owner=surface.user.id, shared=True))
        except UserError as error:
            await surface.tell(str(error))
            return
        await surface.shared(replace(answer, may_share=False, note=SHARED))

    async def _take_back(self, surface: SharingSurface, action: Action) -> None:
        if action.sharer != surface.user.id:
            await surface.tell(NOT_YOURS)
            return
        try:
            await surface.take_back()
        except UserError as error:
            await surface.tell(str(error))

    async def _is_new(self, surface: Surface) -> bool:
        """Whether this event is here for the first time, in any replica; yes where the store does not say in time.

        An event is claimed before it is answered. Should the process die in between, a second delivery goes
        unanswered: silence once in a crash is better than two answers.
        """
        if self._claims is None or not surface.event:
            return True
        claim = asyncio.create_task(self._claims.claim(self._platform, surface.channel.workspace[:64], surface.event))
        self._claiming.add(claim)  # not cancelled when it is late: a write is better finished
        claim.add_done_callback(self._claimed)
        before = -1
        while not claim.done() and before != self._claims_answered:
            before = self._claims_answered
            await asyncio.wait({claim}, timeout=CLAIM_SECONDS)
        failure = claim.exception() if claim.done() else TimeoutError()
        if failure is not None:
            word = type(failure).__name__
            logger.warning("%s: the store did not say whether %s is new (%s)", self._platform, surface.event, word)
            return True
        if not claim.result():
            logger.info("%s: %s came again", self._platform, surface.event)
        return claim.result()

    def _claimed(self, claim: asyncio.Task[bool]) -> None:
        self._claiming.discard(claim)
        self._claims_answered += 1
        if not claim.cancelled():
            claim.exception()  # looked at here too, since a late one has nobody left who does

    async def _apologise(self, kind: str, surface: Surface | None, error: Exception) -> None:
        """Log an error, and tell whoever waits, in one line that finds the log entry."""
        if isinstance(error, RefusedError) and error.gone:
            logger.warning("%s: %s: its message or token is gone (%s)", self._platform, kind, error.code)
            return
        reference = secrets.token_hex(4)
        known = {"reference": reference}
        if isinstance(error, UnansweredError):
            where = "%s: whether the answer to a %s arrived could not be told: %s, reference %s"
            logger.warning(where, self._platform, kind, error, reference, extra=known)
            await self._say_to(surface, lambda place: (place.aside or place).tell(DOUBT.format(reference)), reference)
            return
        if isinstance(error, RefusedError):
            where = "%s: %s could not be answered: %s, reference %s"
            logger.error(where, self._platform, kind, error.code, reference, extra=known)
        else:
            logger.error("%s: %s failed, reference %s", self._platform, kind, reference, exc_info=error, extra=known)

        async def apologise(surface: Surface) -> None:
            await surface.show(Answer(mishap(reference), Action("open", Call("help"))))

        await self._say_to(surface, apologise, reference)

    async def _say_to(self, surface: Surface | None, say: Callable[[Surface], Awaitable[None]], reference: str) -> None:
        if surface is None:
            return
        try:
            await say(surface)
        except Exception as again:  # noqa: BLE001 - nobody is left to tell
            word = again.code if isinstance(again, RefusedError) else type(again).__name__
            logger.error("%s: and could not be told so: %s, reference %s", self._platform, word, reference)  # noqa: TRY400


def mishap(reference: str) -> Reply:
    """What a person reads when something of ours failed."""
    words = f"Something went wrong here, and it is not your fault. Reference: {reference}"
    return Reply("", (Paragraph(said(words)),), error=ReplyError("internal", words))


def remark(words: str, kind: str = "user") -> Answer:
    """A line to somebody that answers no command."""
    return Answer(Reply("", (Paragraph(said(words)),), error=ReplyError(kind, words)), Action("open", Call("help")))
