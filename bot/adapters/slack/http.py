"""HTTP mode: requests of Slack arrive at a small server, and the pages where people install the app."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from aiohttp import ClientError, web
from pydantic import TypeAdapter
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import Clock as VerifierClock
from slack_sdk.signature import SignatureVerifier

from bot.adapters.slack.manifest import EVENTS_PATH, INSTALL_PATH, REDIRECT_PATH
from bot.adapters.slack.section import HttpSection
from bot.errors import OperatorError
from bot.schedule.clock import Clock, system_clock

logger = logging.getLogger(__name__)


class _At(VerifierClock):
    """Tells the library's verifier the time: five minutes after it, a signature is too old."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def now(self) -> float:
        """The time that was given."""
        return self._seconds


def is_signed(secret: str, timestamp: str, signature: str, body: bytes, now: float) -> bool:
    """Whether Slack signed these bytes within the last minutes. False for anything that is no signature."""
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12 and signature.isascii()):
        return False  # the verifier would raise
    try:
        return SignatureVerifier(secret, _At(now)).is_valid(body, timestamp, signature)
    except UnicodeDecodeError:
        return False  # Slack signs text


@dataclass(frozen=True, slots=True)
class _Typed:
    type: str
    action_id: str = ""
    block_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Shape:
    """The types of what the library reads before any handler does: without them it would end in a 500."""

    type: str = ""
    team_id: str | None = None
    enterprise_id: str | None = None
    callback_id: str | None = None
    action_id: str | None = None
    event: _Typed | None = None
    actions: tuple[_Typed, ...] | None = None
    authorizations: tuple[dict[str, object], ...] | None = None
    team: dict[str, object] | None = None
    enterprise: dict[str, object] | None = None
    user: dict[str, object] | None = None
    channel: dict[str, object] | None = None
    container: dict[str, object] | None = None
    message: dict[str, object] | None = None
    view: dict[str, object] | None = None
    response_urls: tuple[dict[str, object], ...] | None = None


_SHAPE = TypeAdapter(_Shape)


def text_of(body: bytes, content_type: str) -> str | None:
    """The body as text where it is a request that Slack makes: a JSON object, or a form with a command or payload.

    None for everything else.
    """
    try:
        text = body.decode("utf-8")
        known = _is_json(text) if content_type == "application/json" or text.startswith("{") else _is_form(text)
    except (ValueError, RecursionError):
        return None
    return text if known else None


def _is_json(text: str) -> bool:
    value = json.loads(text)
    _SHAPE.validate_python(value, strict=False)  # its error is a ValueError
    return isinstance(value, dict)


def _is_form(text: str) -> bool:
    form = parse_qs(text, keep_blank_values=True, max_num_fields=200)
    return _is_json(form["payload"][0]) if "payload" in form else "command" in form


SHUTDOWN_SECONDS = 9.0
"""Requests in flight may take so long after the bot was asked to stop."""

_LARGEST = 1 << 20
"""Bytes of a request; Slack's stay far below."""

Flow = Callable[[AsyncBoltRequest], Awaitable[BoltResponse]]


@dataclass(frozen=True, slots=True)
class EventsEndpoint:
    """Lets in what Slack signed."""

    app: AsyncApp
    signing_secret: str
    stopping: asyncio.Event
    clock: Clock = system_clock
    _installing: set["asyncio.Task[web.Response]"] = field(default_factory=set)

    async def events(self, request: web.Request) -> web.Response:
        """Every kind of request of Slack. 401 for what it did not sign, 400 for what is signed and no request of its.

        503 once the bot stops: a kept connection may bring more, and Slack sends it again, to another replica.
        """
        if self.stopping.is_set():
            return web.Response(status=503, headers={"Connection": "close"})
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return web.Response(status=413)
        if body.startswith(b"ssl_check=1"):  # Slack asks now and then whether the certificate is good, and no more
            return web.Response()
        timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
        signature = request.headers.get("X-Slack-Signature", "")
        if not is_signed(self.signing_secret, timestamp, signature, body, self.clock().timestamp()):
            logger.warning("slack: a request was refused, its signature does not fit")
            return web.Response(status=401)
        text = text_of(body, request.content_type)
        if text is None:
            logger.warning("slack: a signed request was refused, it is none that Slack makes")
            return web.Response(status=400)
        try:
            bolt_request = AsyncBoltRequest(body=text, query=request.query_string, headers=_headers(request))
        except Exception as error:  # noqa: BLE001 - the library takes a payload apart without looking at its types
            logger.warning("slack: a signed request was refused, its payload is malformed (%s)", type(error).__name__)
            return web.Response(status=400)
        return await to_aiohttp_response(await self.app.async_dispatch(bolt_request))

    async def install(self, request: web.Request) -> web.Response:
        """The page with the button that installs the app."""
        return await _page(request, self._flow.handle_installation)

    async def installed(self, request: web.Request) -> web.Response:
        """Where Slack sends people back to. What it gave for their code is kept, whatever becomes of the request."""
        task = asyncio.create_task(_page(request, self._flow.handle_callback))
        self._installing.add(task)
        task.add_done_callback(self._installing.discard)
        return await asyncio.shield(task)

    async def finish(self) -> None:
        """Wait for installations that were begun: a token that Slack gave and nobody kept is lost."""
        await asyncio.gather(*self._installing, return_exceptions=True)

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
class HttpServer:
    """The running server."""

    runner: web.AppRunner
    site: web.TCPSite

    @classmethod
    async def open(cls, door: EventsEndpoint, section: HttpSection, *, pages: bool) -> "HttpServer":
        """Listen. Raises OperatorError where the address cannot be had."""
        application = web.Application(client_max_size=_LARGEST)
        application.router.add_post(EVENTS_PATH, door.events)
        if pages:
            application.router.add_get(INSTALL_PATH, door.install)
            application.router.add_get(REDIRECT_PATH, door.installed)
        # no access log: the address of the redirect holds a code, and nobody needs the rest
        runner = web.AppRunner(application, access_log=None, handle_signals=False, shutdown_timeout=SHUTDOWN_SECONDS)
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
