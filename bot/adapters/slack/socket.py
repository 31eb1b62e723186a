"""Socket Mode: a connection that Slack's requests arrive on, made again whenever it is lost."""

import asyncio
import contextlib
import logging
import random
from dataclasses import dataclass, field
from time import time
from typing import NoReturn

from aiohttp import ClientError
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app, send_async_response
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.api import code_of
from bot.adapters.slack.manifest import FATAL_FOR_SOCKET, app_token_refused
from bot.errors import OperatorError

logger = logging.getLogger(__name__)

_LOOK = 0.5
"""Seconds between looks at the connection."""

_PING = 10.0
"""Seconds between pings; a connection that answers none for four of them is stale."""

_PATIENCE = 5.0
"""Seconds that the library may take to connect, or to change to another connection when Slack asks for it. It tries
one address for ever; after this a new one is asked for."""

LONGEST_PAUSE = 30.0


@dataclass(slots=True)
class Backoff:
    """Pauses that double from a second to half a minute, each a bit random so that replicas spread."""

    shortest: float = 1.0
    _next: float = field(default=0.0, init=False)

    def pause(self) -> float:
        """The pause before the next attempt: none before the first."""
        now, self._next = self._next, min(LONGEST_PAUSE, max(self.shortest, self._next * 2))
        return now * random.uniform(0.75, 1.25)  # noqa: S311 - spreads load, guards nothing

    def reset(self) -> None:
        """Start over."""
        self._next = 0.0


class SocketLink:
    """Keeps one connection open until it is told to stop. The library's own reconnecting is switched off.

    It would try the same address for ever where one connection could not be opened, and ask for ever with a token that
    was revoked.
    """

    def __init__(self, app: AsyncApp, web: AsyncWebClient, app_token: str, library: logging.Logger) -> None:
        self._app = app
        self._web = web
        self._token = app_token
        self._library = library
        self._taking = True
        self._acknowledging: set[asyncio.Task[object]] = set()
        self._client: SocketModeClient | None = None

    @property
    def stands(self) -> bool:
        """Whether there is a connection now."""
        session = self._client.current_session if self._client is not None else None
        return session is not None and not session.closed

    async def run(self, backoff: Backoff | None = None) -> NoReturn:
        """Stay connected for ever: to be cancelled. Raises OperatorError where the app token opens nothing."""
        backoff = backoff or Backoff()
        while True:
            await asyncio.sleep(backoff.pause())
            if not await self._connect():
                continue
            if await self._until_lost():
                backoff.reset()
            await self._disconnect()

    async def refuse_new(self) -> None:
        """Take nothing more; what was taken is acknowledged first. Slack sends the rest elsewhere, or again."""
        self._taking = False
        if self._acknowledging:
            await asyncio.wait(set(self._acknowledging), timeout=1.0)
        await self._disconnect()

    async def _disconnect(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(ClientError, OSError, RuntimeError):  # it is gone, or going
                await client.close()  # type: ignore[no-untyped-call]  # the library's

    async def _connect(self) -> bool:
        """Whether a connection came about this time."""
        try:
            answer = await self._web.apps_connections_open(app_token=self._token)
            address = str(answer["url"])
        except SlackApiError as error:
            code = code_of(error)
            if code in FATAL_FOR_SOCKET:
                raise OperatorError(app_token_refused(code)) from error
            logger.warning("slack: no connection yet: %s", code)
            return False
        except (ClientError, TimeoutError, OSError) as error:
            logger.warning("slack: no connection yet: %s", type(error).__name__)
            return False
        client = SocketModeClient(
            app_token=self._token,
            logger=self._library,
            web_client=self._web,
            auto_reconnect_enabled=False,
            ping_interval=_PING,
        )
        client.socket_mode_request_listeners.append(self._handle)
        client.wss_uri = address
        self._client = client
        try:
            await asyncio.wait_for(client.connect(), _PATIENCE)  # type: ignore[no-untyped-call]  # the library's
        except TimeoutError:
            logger.warning("slack: no connection yet: the socket did not open")
            await self._disconnect()
            return False
        logger.info("slack: connected")
        return True

    async def _until_lost(self) -> bool:
        """Wait until the connection is gone; True where it was there for a while."""
        client = self._client
        assert client is not None
        looks, missing = 0, 0.0
        while True:
            await asyncio.sleep(_LOOK)
            looks += 1
            if await client.is_connected():
                missing = 0.0
                continue
            missing += _LOOK
            # while the lock is taken, the library changes connections because Slack asked for it
            if not client.connect_operation_lock.locked() or missing > _PATIENCE:
                logger.warning("slack: the connection was lost, a new one follows")
                return looks > 4

    async def _handle(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        if not self._taking:
            return
        task = asyncio.current_task()
        if task is not None:
            self._acknowledging.add(task)
        started = time()
        try:
            response = await run_async_bolt_app(self._app, request)
            if response is None or response.status != 200:
                logger.warning("slack: a request of type %s was not acknowledged", request.type)
                return
            await send_async_response(client, request, response, started)
        except Exception as error:  # noqa: BLE001 - the boundary: Slack delivers again what was not acknowledged
            logger.error("slack: a request could not be acknowledged: %s", type(error).__name__)  # noqa: TRY400
        finally:
            if task is not None:
                self._acknowledging.discard(task)
