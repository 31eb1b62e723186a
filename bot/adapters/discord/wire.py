"""Rendered messages as discord.py's objects, and requests tried again where that is safe."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

import aiohttp
import discord
from discord import ui

from bot.adapters.discord.render import Json, Message

logger = logging.getLogger(__name__)

NOBODY = discord.AllowedMentions.none()
PAUSES = (0.25, 1.0)
"""Seconds before the second and the third try."""

_LOST = (aiohttp.ClientError, OSError, TimeoutError)

Result = TypeVar("Result")


class Rows(ui.View):
    """Buttons as they were rendered. Presses are handled by their `custom_id`, so discord.py need not keep this."""

    def __init__(self, rows: tuple[Json, ...]) -> None:
        super().__init__(timeout=None)
        for number, row in enumerate(rows):
            for element in cast("list[Json]", row["components"]):
                self.add_item(_menu(element, number) if element["type"] == 3 else _button(element, number))

    def is_dispatchable(self) -> bool:
        """Never: a view that discord.py keeps would stay in memory for every answer ever given."""
        return False


def _button(element: Json, row: int) -> "ui.Button[Rows]":
    return ui.Button(
        style=discord.ButtonStyle(element["style"]),
        label=str(element["label"]),
        custom_id=str(element["custom_id"]),
        row=row,
    )


def _menu(element: Json, row: int) -> "ui.Select[Rows]":
    options = [
        discord.SelectOption(
            label=str(option["label"]),
            value=str(option["value"]),
            description=str(option["description"]) if "description" in option else None,
        )
        for option in cast("list[Json]", element["options"])
    ]
    return ui.Select(
        custom_id=str(element["custom_id"]), placeholder=str(element["placeholder"]), options=options, row=row
    )


def embeds(message: Message) -> list[discord.Embed]:
    """The embeds of a message as discord.py's."""
    return [discord.Embed.from_dict(embed) for embed in message.embeds]


async def again(request: Callable[[], Awaitable[Result]]) -> Result:
    """Send a request that may be sent twice, up to three times where the connection or the server fails.

    discord.py itself tries again after most server errors, but not after a 503 or a lost connection.
    """
    for pause in PAUSES:
        try:
            return await request()
        except (*_LOST, discord.DiscordServerError) as error:
            logger.info("a request to Discord failed (%s), tried again in %.2f s", type(error).__name__, pause)
            await asyncio.sleep(pause)
    return await request()
