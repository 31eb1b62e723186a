"""Clients for what no request asked for: by workspace, with its token."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.retries import retries

TokenOf = Callable[[str], Awaitable[str | None]]
"""The token of a workspace, good for a while; None where the app is not installed there."""


@dataclass(frozen=True, slots=True)
class Clients:
    """Clients by workspace. `make` builds one with a token and the handlers of what it tries again."""

    token_of: TokenOf
    make: Callable[[str, list[AsyncRetryHandler]], AsyncWebClient]

    async def sending(self, workspace: str) -> AsyncWebClient | None:
        """One that tries nothing again by itself: the ledger decides."""
        token = await self.token_of(workspace)
        return None if token is None else self.make(token, [])

    async def asking(self, workspace: str) -> AsyncWebClient | None:
        """One that tries again what does no harm twice."""
        token = await self.token_of(workspace)
        return None if token is None else self.make(token, retries())
