"""HTTP mode: requests of Slack arrive at a small server, and the pages where people install the app."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from aiohttp import ClientError, web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.adapters.slack.manifest import EVENTS_PATH, INSTALL_PATH, REDIRECT_PATH
from bot.adapters.slack.section import HttpSection
from bot.adapters.slack.signature import is_signed, text_of
from bot.errors import OperatorError
from bot.schedule.clock import Clock, system_clock

logger = logging.getLogger(__name__)

_LARGEST = 1 << 20
"""Bytes of a request; Slack's stay far below."""

Flow = Callable[[AsyncBoltRequest], Awaitable[BoltResponse]]


@dataclass(frozen=True, slots=True)
class Door:
    """Lets in what Slack signed."""

    app: AsyncApp
    signing_secret: str
    stopping: asyncio.Event
    clock: Clock = system_clock

    async def events(self, request: web.Request) -> web.Response:
        """Every kind of request of Slack. 401 for what Slack did not sign, or what is no request of its.

        503 once the bot stops: a kept connection may bring more, and Slack sends it again, to another replica.
        """
        if self.stopping.is_set():
            return web.Response(status=503, headers={"Connection": "close"})
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return web.Response(status=401)
        timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
        signature = request.headers.get("X-Slack-Signature", "")
        if not is_signed(self.signing_secret, timestamp, signature, body, self.clock().timestamp()):
            logger.warning("slack: a request was refused, its signature does not fit")
            return web.Response(status=401)
        text = text_of(body, request.content_type)
        if text is None:
            logger.warning("slack: a signed request was refused, it is none that Slack makes")
            return web.Response(status=401)
        try:
            bolt_request = AsyncBoltRequest(body=text, query=request.query_string, headers=_headers(request))
        except Exception as error:  # noqa: BLE001 - the library takes a payload apart without looking at its types
            logger.warning("slack: a signed request was refused, its payload is malformed (%s)", type(error).__name__)
            return web.Response(status=401)
        return await to_aiohttp_response(await self.app.async_dispatch(bolt_request))

    async def install(self, request: web.Request) -> web.Response:
        """The page with the button that installs the app."""
        return await _page(request, self._flow.handle_installation)

    async def installed(self, request: web.Request) -> web.Response:
        """Where Slack sends people back to."""
        return await _page(request, self._flow.handle_callback)

    @property
    def _flow(self) -> AsyncOAuthFlow:
        flow = self.app.oauth_flow
        assert flow is not None
        return flow


async def _page(request: web.Request, handle: Flow) -> web.Response:
    try:
        return await to_aiohttp_response(await handle(await to_bolt_request(request)))
    except (ClientError, TimeoutError) as error:
        logger.error("slack: an installation failed, Slack did not answer: %s", type(error).__name__)  # noqa: TRY400
        return web.Response(status=502, text="Slack did not answer. Go back and try again in a minute.")


def _headers(request: web.Request) -> dict[str, str | Sequence[str]]:
    return dict(request.headers.items())


@dataclass(frozen=True, slots=True)
class Server:
    """The running server."""

    runner: web.AppRunner
    site: web.TCPSite

    @classmethod
    async def open(cls, door: Door, section: HttpSection, *, pages: bool) -> "Server":
        """Listen. Raises OperatorError where the address cannot be had."""
        application = web.Application(client_max_size=_LARGEST)
        application.router.add_post(EVENTS_PATH, door.events)
        if pages:
            application.router.add_get(INSTALL_PATH, door.install)
            application.router.add_get(REDIRECT_PATH, door.installed)
        # no access log: the address of the redirect holds a code, and nobody needs the rest
        runner = web.AppRunner(application, access_log=None, handle_signals=False, shutdown_timeout=9.0)
        await runner.setup()
        site = web.TCPSite(runner, section.host, section.port)
        try:
            await site.start()
        except OSError as error:
            await runner.cleanup()
            raise OperatorError(
                f"cannot listen on {section.host}:{section.port} ({error.strerror}): set `slack.http.host` and "
                "`slack.http.port` to an address of this machine that is free"
            ) from error
        logger.info("slack: listening on %s:%d", section.host, section.port)
        return cls(runner, site)

    async def refuse_new(self) -> None:
        """Take no further connection; those there are finish."""
        await self.site.stop()

    async def close(self) -> None:
        """End."""
        await self.runner.cleanup()
