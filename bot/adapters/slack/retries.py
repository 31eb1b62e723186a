"""What is tried again, and what never is because it might then be said twice."""

from aiohttp import ClientConnectionError, ClientConnectorError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.http_retry.builtin_interval_calculators import BackoffRetryIntervalCalculator
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

_SAME_TWICE = frozenset(
    {
        "apps.connections.open",
        "auth.test",
        "chat.delete",
        "chat.update",
        "conversations.info",
        "conversations.members",
        "users.conversations",
        "users.info",
        "views.publish",
        "views.update",
    }
)
"""Methods that do the same when called twice. Posting is not one: a connection that broke after Slack took the message
looks just like one that broke before."""

LONGEST_WAIT = 30
"""Seconds of Retry-After that somebody may still be waiting for an answer."""


class CarefulRetries(AsyncRetryHandler):
    """Tries again what never reached Slack, and what does no harm twice."""

    def __init__(self, attempts: int = 2, pause: float = 0.3) -> None:
        super().__init__(attempts, BackoffRetryIntervalCalculator(backoff_factor=pause))

    async def _can_retry_async(
        self,
        *,
        state: RetryState,  # noqa: ARG002 - the signature is the library's
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if isinstance(error, ClientConnectorError):
            return True  # no connection came about, so nothing was sent
        if request.url.rpartition("/")[2] not in _SAME_TWICE:
            return False
        if error is not None:
            return isinstance(error, (ClientConnectionError, TimeoutError))
        return response is not None and response.status_code >= 500


class PatientRetries(AsyncRateLimitErrorRetryHandler):
    """Waits as long as Slack says where it says to wait, unless nobody would."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if not await super()._can_retry_async(state=state, request=request, response=response, error=error):
            return False
        wait = next((value for name, value in (response.headers if response else {}).items() if _is_wait(name)), ["1"])
        return str(wait[0]).isdigit() and int(wait[0]) <= LONGEST_WAIT


def _is_wait(name: str) -> bool:
    return name.lower() == "retry-after"


def retries() -> list[AsyncRetryHandler]:
    """The handlers of every client: the library's own default would post a message twice after a broken connection."""
    return [CarefulRetries(), PatientRetries(max_retry_count=2)]
