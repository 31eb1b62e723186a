"""Runs the adapter until the bot stops."""

from bot.config import Settings
from bot.errors import OperatorError
from bot.services import Services


async def serve(_settings: Settings, _services: Services) -> None:
    """Serve Discord. Raises OperatorError."""
    raise OperatorError("not yet")
