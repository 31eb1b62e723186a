"""What Slack says of the tokens: whether it takes them, and which scopes they lack."""

from collections.abc import Awaitable, Callable

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.adapters.base import ASK_SECONDS, Finding, secret
from bot.adapters.slack.manifest import needed_by, scopes
from bot.adapters.slack.outbox import code_of
from bot.adapters.slack.redact import Redaction, library_logger
from bot.adapters.slack.section import APP_TOKEN, BOT_TOKEN, SlackSection, section_of
from bot.config import Settings

FATAL = frozenset({"account_inactive", "invalid_auth", "not_authed", "token_expired", "token_revoked"})
"""Slack's words for a token that it will not take however often it is asked."""

FATAL_FOR_SOCKET = FATAL | {"missing_scope", "no_permission", "not_allowed_token_type"}


def bot_token_refused(code: str) -> str:
    """What to do where Slack does not take the bot token."""
    return (
        f"Slack does not take {BOT_TOKEN} ({code}): copy the Bot User OAuth Token, which begins with "
        "xoxb-, from https://api.slack.com/apps, your app > OAuth & Permissions; if the app was removed, "
        "reinstall it there first"
    )


def app_token_refused(code: str) -> str:
    """What to do where Slack opens no socket for the app token."""
    return (
        f"Slack does not take {APP_TOKEN} ({code}): it must be an app-level token that begins with xapp- and has the "
        "scope connections:write, from https://api.slack.com/apps, your app > Basic Information > App-Level Tokens; "
        "Socket Mode must be on there"
    )


def granted(answer: AsyncSlackResponse) -> str:
    """The scopes of the token that an answer was given to, with commas; "" where Slack does not say."""
    return str(answer.headers.get("x-oauth-scopes") or "")


def lacking(section: SlackSection, have: str) -> list[str]:
    """A line for each scope that the features need and the token lacks; none where Slack does not say what it has."""
    known = {scope.strip() for scope in have.split(",")}
    return [_lacks(section, scope) for scope in scopes(section) if have and scope not in known]


def _lacks(section: SlackSection, scope: str) -> str:
    features = " and ".join(f"`{name}`" for name in needed_by(section, scope))
    where = "add it at https://api.slack.com/apps, your app > OAuth & Permissions > Bot Token Scopes"
    off = f", or switch off what needs it: {features}" if features else ""
    return f"the token lacks the scope {scope}: {where} and reinstall the app{off}"


async def ask(settings: Settings) -> tuple[Finding, ...]:
    """Ask Slack about the tokens of the configured mode."""
    section = section_of(settings)
    if section.mode == "oauth":
        return (Finding(f"each workspace is asked for its scopes when it installs: {', '.join(scopes(section))}"),)
    names = [BOT_TOKEN, APP_TOKEN] if section.mode == "socket" else [BOT_TOKEN]
    tokens = {name: secret(settings, name) or "" for name in names}
    library = library_logger("check", Redaction(tokens.values()))
    client = AsyncWebClient(
        token=tokens[BOT_TOKEN], base_url=section.api, timeout=int(ASK_SECONDS), logger=library, retry_handlers=[]
    )
    found = await _asked(client.auth_test, FATAL, bot_token_refused, lambda answer: _who(section, answer))
    if not any(one.stops for one in found) and section.mode == "socket":
        found += await _asked(
            lambda: client.apps_connections_open(app_token=tokens[APP_TOKEN]),
            FATAL_FOR_SOCKET,
            app_token_refused,
            lambda _: (Finding(f"{APP_TOKEN} is good"),),
        )
    return found


def _who(section: SlackSection, answer: AsyncSlackResponse) -> tuple[Finding, ...]:
    have = granted(answer)
    team = answer.get("team") or answer.get("team_id")
    whom = Finding(f"{BOT_TOKEN} is good: {answer.get('user')} in the workspace {team}")
    if not have:
        return (whom, Finding("Slack did not say which scopes the token has"))
    return (whom, *(Finding(line) for line in lacking(section, have)))


async def _asked(
    call: Callable[[], Awaitable[AsyncSlackResponse]],
    fatal: frozenset[str],
    refused: Callable[[str], str],
    good: Callable[[AsyncSlackResponse], tuple[Finding, ...]],
) -> tuple[Finding, ...]:
    try:
        return good(await call())
    except SlackApiError as error:
        code = code_of(error)
        return (Finding(refused(code), stops=True),) if code in fatal else (_unasked(code),)
    except (ClientError, TimeoutError, OSError) as error:
        return (_unasked(type(error).__name__),)


def _unasked(reason: str) -> Finding:
    return Finding(f"Slack could not be asked ({reason}): whether the tokens are good and their scopes is not known")
