"""Discord: the command group `/papers`, autocomplete, buttons that outlive restarts, sharing."""

from bot.adapters.base import Adapter
from bot.adapters.discord.section import DiscordSection, configured, missing
from bot.config import Settings
from bot.services import Services


async def _serve(settings: Settings, services: Services) -> None:
    # imported late, so that looking for adapters does not import the library of each
    from bot.adapters.discord.serve import serve  # noqa: PLC0415

    await serve(settings, services)


ADAPTER = Adapter(name="discord", section=DiscordSection, configured=configured, missing=missing, serve=_serve)
