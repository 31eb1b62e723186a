"""App Home: the paper of the day in a channel of this person's, their own list, and what the bot can do."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date

from aiohttp import ClientError
from pydantic import TypeAdapter
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.actions import Action
from bot.adapters.conversation import Answer
from bot.adapters.slack.api import SlackClient, code_of, is_direct
from bot.adapters.slack.blocks import SlackChrome
from bot.adapters.slack.surface import ChromeMaker, SlackSurface
from bot.adapters.slack.views import home, plain_home
from bot.commands.dispatch import Dispatcher
from bot.message import Button, Call, ChannelRef, Reply, Shown, User
from bot.papers import Paper, first_of
from bot.richtext import Block, Divider, Heading, Paragraph, text
from bot.store.picks import posted_today
from bot.summary import summarise
from bot.views import cards, meta_of, paper_buttons, paper_call, title_of

logger = logging.getLogger(__name__)

HOME = "home"
"""The channel that lists belong to which somebody got from their home."""

CHANGES = frozenset({"save", "unsave", "data delete"})
"""Commands after which a home that is open looks otherwise."""

LISTED = 5
"""Saved papers that the home shows; the rest is a press away."""

_PAGE = 200
_MOST_PAGES = 10
"""Pages of a person's channels that are looked through."""


@dataclass(frozen=True, slots=True)
class _Place:
    id: str


@dataclass(frozen=True, slots=True)
class _Places:
    channels: tuple[_Place, ...] = ()


_PLACES = TypeAdapter(_Places)

Part = Callable[[User, ChannelRef, SlackClient], Awaitable[Reply | None]]
"""A reply that a home shows for this person, or None for nothing."""


@dataclass(frozen=True, slots=True)
class Homes:
    """Draws homes."""

    dispatcher: Dispatcher
    chrome: ChromeMaker

    async def show(self, place: SlackSurface) -> None:
        """Publish the home of who did something as it is now. Raises RefusedError where Slack does not take it."""
        user, channel = place.user, replace(place.channel, channel=HOME)
        parts: list[tuple[Reply, SlackChrome]] = []
        for part in (self._today, self._saved, self._what_it_can_do):
            reply = await part(user, channel, place.api)
            if reply is not None:
                answer = Answer(reply, Action("open", Call(reply.command)))
                parts.append((reply, await self.chrome.frame(answer)))
        await place.api.publish_home(user.id, home(parts), plain_home(parts))

    async def _today(self, user: User, channel: ChannelRef, api: SlackClient) -> Reply | None:
        """The latest paper of the day among the channels that this person is in, asked of Slack now.

        Others' channels are not looked at: a private one is none of this person's business, and a guest may not see
        public ones either.
        """
        storage = self.dispatcher.storage
        if storage is None:
            return None
        posted = await posted_today(storage.database, "slack", channel.workspace, storage.clock)
        if not posted:
            return None
        inside = await _channels_of(api.client, user.id, channel.workspace)
        corpus = self.dispatcher.library.corpus
        for one in posted:
            own = one.set_up_by == user.id if is_direct(one.channel.channel) else one.channel.channel in inside
            papers = [paper for key in one.papers if (paper := corpus.get(key)) is not None]
            if own and papers:
                return of_today(papers, one.day)
        return None

    async def _saved(self, user: User, channel: ChannelRef, api: SlackClient) -> Reply | None:  # noqa: ARG002 - a Part
        """The first of this person's own list; nobody else sees it."""
        storage = self.dispatcher.storage
        if storage is None:
            return None
        papers = first_of(await storage.saves.of(user, channel), self.dispatcher.library.corpus)
        return kept(papers) if papers else None

    async def _what_it_can_do(self, user: User, channel: ChannelRef, api: SlackClient) -> Reply | None:  # noqa: ARG002
        return await self.dispatcher.call(Call("help"), user, channel)


def _shown(papers: list[Paper]) -> tuple[Shown, ...]:
    return tuple(Shown(paper) for paper in papers)


def kept(papers: list[Paper]) -> Reply:
    """The first of a person's own list, and the way to the rest."""
    first = papers[:LISTED]
    blocks: list[Block] = [Heading(text("Papers you saved"))]
    if len(papers) > LISTED:
        blocks.append(Paragraph(text(f"The latest {LISTED} of {len(papers)}"), quiet=True))
    buttons = (Button("Whole list", Call("saved")), Button("Export", Call("export")))
    return Reply("saved", (*blocks, *cards(first)), _shown(first), listed=True, buttons=buttons)


def of_today(papers: list[Paper], day: date) -> Reply:
    """What a channel was given on a day, in short."""
    blocks: list[Block] = [Paragraph(text(f"Today · {day:%A}, {day.day} {day:%B}"), quiet=True)]
    for number, paper in enumerate(papers):
        if number:
            blocks.append(Divider())
        blocks += [Heading(title_of(paper)), Paragraph(meta_of(paper), quiet=True)]
        blocks.append(Paragraph(text(summarise(paper).tldr)))
    return Reply("digest", tuple(blocks), _shown(papers), buttons=_day_buttons(papers))


def _day_buttons(papers: list[Paper]) -> tuple[Button, ...]:
    if len(papers) == 1:
        return (*paper_buttons(papers[0]), Button("Save", paper_call("save", papers[0])))
    return tuple(
        Button(f"{label} {paper.handle}", paper_call(command, paper))
        for paper in papers
        for label, command in (("Read", "tldr"), ("Save", "save"))
    )


async def _channels_of(client: AsyncWebClient, user: str, workspace: str) -> frozenset[str]:
    """The channels that the person is in, of those that the bot may know of; none where Slack does not say."""
    found: set[str] = set()
    pages = 0
    with suppress(ClientError, TimeoutError, OSError):
        try:
            async for page in await client.users_conversations(
                user=user,
                types="public_channel,private_channel,mpim",
                exclude_archived=True,
                limit=_PAGE,
                team_id=workspace,
            ):
                found |= {place.id for place in _PLACES.validate_python(page.data).channels}
                pages += 1
                if pages == _MOST_PAGES:
                    break
        except SlackApiError as error:
            logger.info("slack: the home does without the paper of the day: %s", code_of(error))
    return frozenset(found)
