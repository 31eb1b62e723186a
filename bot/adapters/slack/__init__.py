"""Slack: slash command, mentions, direct messages, shortcut, buttons, modal and home, over a socket or HTTP."""

from typing import TYPE_CHECKING

from bot.adapters.base import Adapter, Finding
from bot.adapters.slack.section import SlackSection, configured, missing, offers
from bot.commands.base import CommandSet
from bot.config import Settings
from bot.digest.declared import ChannelIds

if TYPE_CHECKING:
    from bot.adapters.services import Services  # brings the database library, which the terminal does without


async def _serve(settings: Settings, services: "Services") -> None:
    # imported late, so that looking for adapters does not import the library of each
    from bot.adapters.slack.serve import serve  # noqa: PLC0415

    await serve(settings, services)


async def _ask(settings: Settings) -> tuple[Finding, ...]:
    from bot.adapters.slack.manifest import ask  # noqa: PLC0415 - imported late as well

    return await ask(settings)


def _manifest(settings: Settings, commands: CommandSet) -> str:
    from bot.adapters.slack.manifest import manifest  # noqa: PLC0415 - imported late as well

    return manifest(settings, commands)


ADAPTER = Adapter(
    name="slack",
    section=SlackSection,
    configured=configured,
    missing=missing,
    offers=offers,
    serve=_serve,
    ask=_ask,
    channel_ids=ChannelIds(r"[A-Z][A-Z0-9]{1,30}", "Slack's ids look like T0123ABCD and C0123ABCD"),
    manifest=_manifest,
)
