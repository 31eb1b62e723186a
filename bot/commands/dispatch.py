"""From a call to a reply: arguments checked, papers found, the handler run, the one error boundary."""

import asyncio
import hashlib
import inspect
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.commands.base import Command, CommandSet, Context, Handler, Invocation, Kind, Parameter, Utterance, works_in
from bot.commands.fetch import answered
from bot.commands.grammar import THAT, Interpretation, interpret, names_in, numbers_in, place_in
from bot.connections import Connections, Offer
from bot.corpus.references import named_in
from bot.errors import AmbiguousError, NotFoundError, UsageError, UserError
from bot.library import Library
from bot.message import Button, Call, ChannelRef, Platform, Reply, ReplyError, Shown, User, Value, concerning
from bot.papers import Paper
from bot.richtext import Block, Code, Paragraph, said, text
from bot.schedule.clock import Clock, system_clock
from bot.search import matching
from bot.search.suggest import Suggester
from bot.store.last_list import LastList, LastLists, MemoryLists
from bot.text import straighten
from bot.views import cards, paper_call

if TYPE_CHECKING:
    from bot.store.storage import Storage  # brings the database library, which the terminal does without

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Missing:
    """A paper argument that names nothing; the words become a search where they are several."""

    words: str
    message: str


class Dispatcher:
    """Answers what people type or press, for every adapter alike.

    `library` gives the library of this moment, so that a reload needs no pause. Replies are values; nothing that a
    command does wrong leaves here but as a reply with a reference that finds the log entry.
    """

    def __init__(
        self,
        library: Callable[[], Library],
        commands: CommandSet,
        *,
        lists: LastLists | None = None,
        clock: Clock = system_clock,
        about: Sequence[Block] = (),
        storage: "Storage | None" = None,
        connections: Connections | None = None,
    ) -> None:
        self.commands = commands
        self.connections = connections or Connections()
        self._at: dict[Offer, CommandSet] = {}
        self._library = library
        self._lists = lists or (storage.lists if storage is not None else MemoryLists())
        self._clock = clock
        self._about = about
        self.storage = storage
        self.observe: Callable[[str, str, float], None] | None = None
        """Told command, outcome and seconds of every reply: for metrics."""

    @property
    def library(self) -> Library:
        """The library of this moment, for suggestions while somebody types."""
        return self._library()

    def commands_at(self, platform: Platform) -> CommandSet:
        """The commands, with those listed that this platform offers."""
        offers = self.connections.offers(platform)
        if offers not in self._at:
            self._at[offers] = self.commands.at(offers)
        return self._at[offers]

    async def say(self, words: str, user: User, channel: ChannelRef) -> Reply:
        """Answer a line of text. Never raises but for cancellation."""
        try:
            meant = await self.meaning(words, user, channel)
        except UserError as error:
            return failed("help", error)
        reply = await self.call(meant.call, user, channel)
        return with_note(reply, meant.note) if meant.note else reply

    async def meaning(self, words: str, user: User, channel: ChannelRef) -> Interpretation:
        """What a line means by what this person has seen here, and by what the papers are called.

        Raises UserError where they can mend it.
        """
        meant = interpret(words, self.commands)
        if meant.turn is not None:
            return await self._turned(meant, meant.turn, user, channel)
        for call, utterance in meant.perhaps:
            if await self._is_meant(call, utterance, user, channel):
                return Interpretation(call)
        return meant

    async def _turned(self, meant: Interpretation, turn: int, user: User, channel: ChannelRef) -> Interpretation:
        shown = await self._lists.get(user, channel)
        if shown is None or shown.call is None or shown.expired(self._clock()):
            raise NotFoundError(f"There is no list here yet for “{meant.call.arguments['query']}”. Search first.")
        last = shown.call
        command, page = self.commands.get(last.command), last.arguments.get("page", 1)
        if command is None or not any(parameter.name == "page" for parameter in command.parameters):
            raise NotFoundError(f"Your last list here, of `{last.command}`, has one page.")
        return Interpretation(Call(last.command, {**last.arguments, "page": turn or int(page) + 1}))

    async def _is_meant(self, call: Call, utterance: Utterance, user: User, channel: ChannelRef) -> bool:
        """Whether what stands in the place of an utterance is a paper, or a topic, as its command takes one."""
        command = self.commands.get(call.command)
        first = command.parameters[0] if command and command.parameters else None
        if first is None or first.name not in call.arguments:
            return True
        words, library = str(call.arguments[first.name]), self._library()
        if first.kind is Kind.TOPIC:
            known = tuple({topic for paper in library.corpus for topic in paper.topics})
            return bool(await asyncio.to_thread(matching, words, known))
        if first.kind is not Kind.PAPER:
            return True
        if place_in(words) or numbers_in(words) or words.lower() in THAT:
            return True
        if utterance.exact:
            names = names_in(words) if library.corpus.get(words.lower()) is None else [words]
            return all(library.corpus.get(name.lower()) or named_in(name, library.corpus)[0] for name in names)
        try:
            return isinstance(await self._papers(words, library, user, channel), tuple)
        except UserError:
            return False

    async def call(self, call: Call, user: User, channel: ChannelRef) -> Reply:
        """Answer a command with its arguments. Never raises but for cancellation."""
        started = time.perf_counter()
        with concerning(channel):
            reply = await self._answer_or_error(call, user, channel)
        if self.observe is not None:
            known = self.commands.get(call.command)
            outcome = reply.error.kind if reply.error else "ok"
            self.observe(known.path if known else "unknown", outcome, time.perf_counter() - started)
        return reply

    async def _answer_or_error(self, call: Call, user: User, channel: ChannelRef) -> Reply:
        try:
            return await self._run(call, user, channel)
        except AmbiguousError as error:
            return await self._candidates(call, error, user, channel)
        except UserError as error:
            return failed(call.command, error)
        except Exception:
            reference = secrets.token_hex(4)
            known = {"command": call.command, "reference": reference}
            logger.exception("command %s failed, reference %s", call.command, reference, extra=known)
            message = f"Something went wrong here, and it is not your fault. Reference: {reference}"
            return Reply(
                call.command,
                (Paragraph(said(message)),),
                error=ReplyError("internal", message),
            )

    async def _run(self, call: Call, user: User, channel: ChannelRef) -> Reply:
        command = self.commands.get(call.command)
        if command is None:
            raise UsageError(f"There is no command `{call.command}`. `help` lists them.")
        arguments = checked(command, call.arguments)
        library = self._library()
        commands = self.commands_at(channel.platform)
        await self._must_offer(command, arguments, commands.offers, channel)
        several: dict[str, tuple[Paper, ...]] = {}
        for parameter in command.parameters:
            value = arguments.get(parameter.name)
            if parameter.kind is Kind.PAPER and value is not None:
                found = await self._papers(str(value), library, user, channel)
                if isinstance(found, tuple):
                    _must_take(command, parameter, len(found))
                    several[parameter.name] = found
                elif len(found.words.split()) > 1:
                    note = f"No paper is called “{found.words}”, so this is a search for it."
                    return with_note(await self._run(Call("search", {"query": found.words}), user, channel), note)
                else:
                    raise NotFoundError(found.message)
        context = Context(library, commands, self._about, self.storage, self.connections)
        papers = {name: found[0] for name, found in several.items()}
        invocation = Invocation(user, channel, arguments, papers, several)
        reply = await _answer(command, context, invocation)
        await self._remember(call, reply, user, channel)
        return reply

    async def _must_offer(
        self, command: Command, arguments: Mapping[str, Value], offers: Offer, channel: ChannelRef
    ) -> None:
        """Raises UserError where the surface does not offer what a command needs, or not just now.

        Several words that name no paper are let through: they become a search, as everywhere.
        """
        if command.needs in offers:
            by_itself = command.needs & (Offer.DIGEST | Offer.NEWS)
            if by_itself and self.connections.of(channel.platform) is None:
                raise UserError("I am just connecting, and cannot post yet. Try again in a minute.")
            return
        named = [
            str(arguments[one.name]) for one in command.parameters if one.kind is Kind.PAPER and one.name in arguments
        ]
        if named and len(named[0].split()) > 1:
            with suppress(AmbiguousError):
                if isinstance(await asyncio.to_thread(_by_name, named[0], self.library.suggester), _Missing):
                    return
        words = works_in(command.path, command.needs, offers, self.connections.expected)
        looked_for = arguments.get("query")
        raise UserError(f"{words} `search {looked_for}` looks for these words." if looked_for else words)

    async def _paper(self, words: str, library: Library, user: User, channel: ChannelRef) -> Paper | _Missing:
        """The paper that a person means by an id, a handle, a number of their list, or (part of) a name."""
        words = words.strip()
        number = words.removeprefix("#")
        place = int(number) if number.isascii() and number.isdigit() and len(number) <= 4 else place_in(words)
        if place is not None:
            return await self._numbered(place, library, user, channel)
        if words.lower() in THAT:
            return await self._last(words, library, user, channel)
        exact = library.corpus.get(words.lower()) or library.corpus.get(words)
        if exact is not None:
            return exact
        named, unknown = named_in(words, library.corpus)
        if len(named) == 1:
            return named[0]
        if named:
            raise AmbiguousError(f"These are {len(named)} papers:", tuple(paper.id for paper in named))
        if unknown:
            raise NotFoundError(f"{unknown[0]} is not among these papers. Words of its title find what is near.")
        return await asyncio.to_thread(_by_name, words, library.suggester)

    async def _papers(
        self, words: str, library: Library, user: User, channel: ChannelRef
    ) -> tuple[Paper, ...] | _Missing:
        """The papers that a person names together: by numbers, else by one name, else by several."""

        async def found(names: Sequence[str]) -> tuple[Paper, ...] | None:
            each = [await self._paper(name, library, user, channel) for name in names]
            papers = tuple({paper.id: paper for paper in each if isinstance(paper, Paper)}.values())
            return papers if all(isinstance(one, Paper) for one in each) else None

        numbers = numbers_in(words)
        papers = await found([str(number) for number in numbers]) if numbers else None
        if papers is None:
            one = await self._paper(words, library, user, channel)
            names = names_in(words)
            if isinstance(one, Paper):
                papers = (one,)
            elif len(names) > 1:
                papers = await found(names)
            elif all(library.corpus.get(word.lower()) for word in words.split()):
                papers = await found(words.split())
            if papers is None:
                return one if isinstance(one, _Missing) else _Missing(words, "")
        return papers

    async def _last(self, words: str, library: Library, user: User, channel: ChannelRef) -> Paper:
        shown = await self._lists.get(user, channel)
        known = shown is not None and not shown.expired(self._clock())
        paper = library.corpus.get(shown.paper) if shown is not None and known and shown.paper else None
        if paper is None:
            raise NotFoundError(f"I do not know which paper “{words}” is: name it, or give its number in a list.")
        return paper

    async def _numbered(self, number: int, library: Library, user: User, channel: ChannelRef) -> Paper:
        shown = await self._lists.get(user, channel)
        if shown is None or not shown.numbers:
            raise NotFoundError(
                f"There is no list here yet for {number} to count in. Search first, then use its numbers."
            )
        if shown.expired(self._clock()):
            raise NotFoundError("That list has expired after a day. Search again, then use the new numbers.")
        paper = library.corpus.get(shown.numbers.get(number, ""))
        if paper is not None:
            return paper
        if number in shown.numbers:
            raise NotFoundError(f"Number {number} of your list has left the corpus since. Search again.")
        known = sorted(shown.numbers)
        raise NotFoundError(f"Your last list here has the numbers {known[0]} to {known[-1]}, so not {number}.")

    async def _candidates(self, call: Call, error: AmbiguousError, user: User, channel: ChannelRef) -> Reply:
        library = self._library()
        found = [paper for key in error.paper_ids if (paper := library.corpus.get(key))]
        buttons = tuple(Button(paper.name[:60], paper_call(call.command, paper)) for paper in found[:5])
        reply = Reply(
            call.command,
            (Paragraph(said(str(error))), *cards(found)),
            papers=tuple(Shown(paper) for paper in found),
            listed=True,
            total=len(found),
            buttons=buttons,
            hints=(text("Name it by its number: ", Code(f"{call.command} 1")),),
            error=ReplyError(error.kind, str(error)),
        )
        await self._remember(call, reply, user, channel)
        return reply

    async def _remember(self, call: Call, reply: Reply, user: User, channel: ChannelRef) -> None:
        about = reply.papers[0].paper.id if len(reply.papers) == 1 else None
        if about is None and not (reply.listed and reply.papers):
            return
        if not reply.listed:
            await self._lists.put(user, channel, LastList("", {}, self._now(), about))
            return
        numbers = {number: shown.paper.id for number, shown in enumerate(reply.papers, reply.first_number)}
        same = {name: value for name, value in call.arguments.items() if name != "page"}
        of = hashlib.sha256(repr((call.command, sorted(same.items()))).encode()).hexdigest()[:16]
        await self._lists.put(user, channel, LastList(of, numbers, self._now(), about, call))

    def _now(self) -> datetime:
        return self._clock()


def checked(command: Command, arguments: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments that the command declares, each of its type; text as a plain keyboard would have given it.

    Raises UsageError for what a person must mend.
    """
    known = {parameter.name: parameter for parameter in command.parameters}
    result: dict[str, Value] = {}
    for name, value in arguments.items():
        parameter = known.get(name)
        if parameter is None:
            raise UsageError(f"`{command.path}` has no `{name}`. `help {command.path}` shows what it takes.")
        if parameter.kind is Kind.INTEGER:
            low, high = parameter.minimum or 0, parameter.maximum
            if isinstance(value, bool) or not isinstance(value, int) or value < low or (high and value > high):
                raise UsageError(f"`{name}` is a number from {low}{f' to {high}' if high else ''}.")
        elif parameter.kind is Kind.FLAG:
            if not isinstance(value, bool):
                raise UsageError(f"`{name}` is yes or no.")
        elif not isinstance(value, str):
            raise UsageError(f"`{name}` is text.")
        plain = straighten(value) if isinstance(value, str) else value
        if plain != "":
            result[name] = plain
    for parameter in command.parameters:
        if parameter.required and parameter.name not in result:
            raise UsageError(f"`{command.path}` needs a {parameter.name}: for example `{command.examples[0].say}`.")
    return result


async def _answer(command: Command, context: Context, invocation: Invocation) -> Reply:
    if inspect.iscoroutinefunction(command.handler):
        return await answered(command.handler(context, invocation))
    handler: Handler = command.handler  # type: ignore[assignment]  # iscoroutinefunction is no type guard
    return await asyncio.to_thread(handler, context, invocation)


def _must_take(command: Command, parameter: Parameter, count: int) -> None:
    if count > parameter.many:
        most = "one paper" if parameter.many == 1 else f"at most {parameter.many} papers"
        raise UsageError(f"`{command.path}` takes {most} at once: for example `{command.examples[0].say}`.")


def _by_name(words: str, suggester: Suggester) -> Paper | _Missing:
    found = suggester.resolve(words)
    if found.paper is not None:
        return found.paper
    if found.candidates:
        message = f"“{words}” may be any of these {len(found.candidates)}:"
        raise AmbiguousError(message, tuple(paper.id for paper in found.candidates))
    if found.suggestions:
        names = [f"`{paper.handle}`" for paper in found.suggestions[:3]]
        return _Missing(words, f"No paper is called “{words}”. Did you mean {' or '.join(names)}?")
    return _Missing(words, f"No paper is called “{words}”. `search {words}` looks in the abstracts.")


def failed(command: str, error: UserError) -> Reply:
    """The reply that tells a person what they can mend."""
    return Reply(command, (Paragraph(said(str(error))),), error=ReplyError(error.kind, str(error)))


def with_note(reply: Reply, note: str) -> Reply:
    """The same reply under a line that says what was done instead of what was typed."""
    blocks = (Paragraph(said(note), quiet=True), *reply.blocks)
    return replace(reply, blocks=blocks, notes=(note, *reply.notes))
