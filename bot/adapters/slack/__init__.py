"""Slack: slash command, mentions, direct messages, shortcut, buttons, modal and home, over a socket or HTTP."""

from typing import TYPE_CHECKING

from bot.adapters.base import Adapter, Finding
from bot.adapters.slack.section import SlackSection, configured, missing, offers
from bot.config import Settings

if TYPE_CHECKING:
    from bot.adapters.services import Services  # brings the database library, which the terminal does without


async def _serve(settings: Settings, services: "Services") -> None:
    # imported late, so that looking for adapters does not import the library of each
    from bot.adapters.slack.serve import serve  # noqa: PLC0415

    await serve(settings, services)


async def _ask(settings: Settings) -> tuple[Finding, ...]:
    from bot.adapters.slack.manifest import ask  # noqa: PLC0415 - imported late as well

    return await ask(settings)


ADAPTER = Adapter(
    name="slack", section=SlackSection, configured=configured, missing=missing, offers=offers, serve=_serve, ask=_ask
)
