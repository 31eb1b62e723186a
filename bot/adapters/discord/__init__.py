"""Discord: the command group `/papers`, autocomplete, buttons that outlive restarts, sharing."""

from typing import TYPE_CHECKING

from bot.adapters.base import Adapter, Finding
from bot.adapters.discord.section import DiscordSection, configured, missing, offers
from bot.commands.base import CommandSet
from bot.config import Settings
from bot.digest.declared import ChannelIds

if TYPE_CHECKING:
    from bot.adapters.services import Services  # brings the database library, which the terminal does without


async def _serve(settings: Settings, services: "Services") -> None:
    # imported late, so that looking for adapters does not import the library of each
    from bot.adapters.discord.serve import serve  # noqa: PLC0415

    await serve(settings, services)


async def _ask(settings: Settings) -> tuple[Finding, ...]:
    from bot.adapters.discord.registration import ask  # noqa: PLC0415 - imported late as well

    return await ask(settings)


def _manifest(settings: Settings, commands: CommandSet) -> str:
    from bot.adapters.discord.manifest import manifest  # noqa: PLC0415 - imported late as well

    return manifest(settings, commands)


ADAPTER = Adapter(
    name="discord",
    section=DiscordSection,
    configured=configured,
    missing=missing,
    offers=offers,
    serve=_serve,
    ask=_ask,
    channel_ids=ChannelIds(r"[0-9]{1,20}", "Discord's ids are long numbers: Copy ID, in its developer mode"),
    manifest=_manifest,
)
