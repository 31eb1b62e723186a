"""Slack: slash command, mentions, direct messages, shortcut, buttons, modal and home, over a socket or HTTP."""

from bot.adapters.base import Adapter
from bot.adapters.slack.section import SlackSection, configured, missing
from bot.config import Settings
from bot.services import Services


async def _serve(settings: Settings, services: Services) -> None:
    # imported late, so that looking for adapters does not import the library of each
    from bot.adapters.slack.serve import serve  # noqa: PLC0415

    await serve(settings, services)


ADAPTER = Adapter(name="slack", section=SlackSection, configured=configured, missing=missing, serve=_serve)
