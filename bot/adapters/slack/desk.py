"""From what a person means to an answer with its buttons: what every way of asking has in common."""

from dataclasses import dataclass, replace

from bot.adapters.presses import (
    Control,
    Press,
    PressCodec,
    controls,
    paper_controls,
    personal,
    settled,
    shared_controls,
)
from bot.adapters.slack.layout import Key
from bot.adapters.slack.render import FILTERS, FULL_CARDS, Frame
from bot.dispatch import Dispatcher, failed, with_note
from bot.errors import UsageError
from bot.grammar import interpret
from bot.message import Call, ChannelRef, Reply, User
from bot.services import Services

_BUTTON = 500
"""Characters of a press that a button carries itself. Slack allows 2,000, but twenty such buttons would make a message
too long; what is longer is kept in the store."""

_BLOCK_ID = 255

_STARTS = frozenset({"help", "about", "topics"})
"""Answers from which people go on to look for something."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply, and the press that leads to it again."""

    reply: Reply
    press: Press


class Desk:
    """Answers calls and presses, and draws what stands under an answer."""

    def __init__(self, services: Services, *, sharing: bool) -> None:
        self.dispatcher: Dispatcher = services.dispatcher
        self.buttons = PressCodec(services.presses, _BUTTON)
        self.block_ids = PressCodec(services.presses, _BLOCK_ID)
        self._sharing = sharing

    async def say(self, words: str, user: User, channel: ChannelRef) -> Answer:
        """Answer what somebody typed."""
        try:
            meant = interpret(words, self.dispatcher.commands)
        except UsageError as error:
            return Answer(failed("help", error), Press("open", Call("help")))
        answer = await self.open(Press("open", meant.call), user, channel)
        return replace(answer, reply=with_note(answer.reply, meant.note)) if meant.note else answer

    async def open(self, press: Press, user: User, channel: ChannelRef) -> Answer:
        """Answer a press."""
        reply = await self.dispatcher.call(press.call, user, channel)
        return Answer(reply, settled(press, reply, self.dispatcher.commands))

    def is_personal(self, answer: Answer) -> bool:
        """Whether an answer is about what its person keeps, or what they changed: nobody else's to read."""
        return personal(answer.press.call, self.dispatcher.commands)

    async def private(self, answer: Answer, *, shareable: bool) -> Frame:
        """What stands under an answer that one person sees."""
        reply, press = answer.reply, answer.press
        may_share = shareable and self._sharing and not self.is_personal(answer)
        return await self._frame(reply, press, list(controls(reply, press, may_share=may_share)))

    async def public(self, answer: Answer, owner: str, *, sharer: str = "") -> Frame:
        """What stands under a post that all see: everything opens privately; `owner` may delete it.

        `sharer` is named above the post.
        """
        reply, press = answer.reply, Press("open", answer.press.call)
        own = list(shared_controls(reply, press.call, owner))
        if len(reply.papers) != 1:
            own[:0] = [Control(button.label, Press("open", button.call), button.primary) for button in reply.buttons]
        frame = await self._frame(reply, press, own)
        return replace(frame, sharer=sharer)

    async def _frame(self, reply: Reply, press: Press, own: list[Control]) -> Frame:
        listed = reply.listed and reply.error is None and len(reply.papers) <= FULL_CARDS
        rows = [paper_controls(reply, press, place) for place in range(len(reply.papers))] if listed else []
        start = reply.command in _STARTS
        searched = reply.command == "search"
        return Frame(
            cards=tuple([tuple([await self._key(one) for one in row]) for row in rows]),
            row=tuple([await self._key(self._of_whom(one) if listed else one) for one in own]),
            here=await self.block_ids.encode(press),
            filters=start,
            finder=start,
            menu=(("Search with filters", FILTERS), ("What you can type", "help")) if searched else (),
        )

    def _of_whom(self, control: Control) -> Control:
        """Under a list whose papers have such buttons of their own, a button about another paper says which."""
        paper = self.dispatcher.library.corpus.get(str(control.press.call.arguments.get("paper", "")))
        if paper is None or control.press.verb != "open" or control.label == "Back":
            return control
        return replace(control, label=f"{control.label} of {paper.handle}")

    async def _key(self, control: Control) -> Key:
        return Key(control.label, await self.buttons.encode(control.press), control.primary)
