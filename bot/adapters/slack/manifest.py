"""The app manifest: what Slack must be told to create the app, and nothing that the chosen features do not need."""

from collections.abc import Awaitable, Callable, Iterator

import yaml
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.adapters.base import ASK_SECONDS, Finding, secret
from bot.adapters.slack.api import code_of
from bot.adapters.slack.redact import Redaction, library_logger
from bot.adapters.slack.section import APP_TOKEN, BOT_TOKEN, SlackSection, section_of
from bot.commands.base import CommandSet
from bot.config import Settings
from bot.errors import OperatorError

RELATED = "find_related"
"""The callback of the message shortcut."""

EVENTS_PATH = "/slack/events"
INSTALL_PATH = "/slack/install"
REDIRECT_PATH = "/slack/oauth_redirect"

Yaml = dict[str, object]


def scopes(section: SlackSection) -> tuple[str, ...]:
    """The bot scopes that the chosen features need, in alphabetical order."""
    return tuple(sorted({"commands"}.union(*(needed for _, needed in _features(section)))))


def needed_by(section: SlackSection, scope: str) -> tuple[str, ...]:
    """The settings whose features need a scope; none for what the bot cannot do without."""
    return tuple(name for name, needed in _features(section) if scope in needed)


def _features(section: SlackSection) -> Iterator[tuple[str, frozenset[str]]]:
    """Each feature that is on, by its setting, and its scopes. `commands`, for the slash command, is always needed."""
    inside = {"channels:read", "groups:read", "mpim:read"}  # who is in a channel: the person, and the bot
    if section.mentions:
        yield "slack.mentions", frozenset({"chat:write", "app_mentions:read"})
    if section.direct_messages:
        yield "slack.direct_messages", frozenset({"chat:write", "im:history"})
    if section.share:
        yield "slack.share", frozenset({"chat:write", *inside})
    if section.files:
        yield "slack.files", frozenset({"chat:write", "files:write"})
    if section.home:
        yield "slack.home", frozenset({"chat:write"})
    if section.digests:
        yield "slack.digests", frozenset({"chat:write", *inside, "users:read"})  # guests, and people's time zones
    if section.digests and section.history:
        yield "slack.history", frozenset({"channels:history", "groups:history"})


def events(section: SlackSection) -> tuple[str, ...]:
    """The events that Slack must send for the chosen features."""
    wanted = []
    if section.home:
        wanted.append("app_home_opened")
    if section.mentions:
        wanted.append("app_mention")
    if section.digests:
        wanted.append("channel_id_changed")
    if section.mode == "oauth":
        wanted += ["app_uninstalled", "tokens_revoked"]
    if section.direct_messages:
        wanted.append("message.im")
    return tuple(wanted)


def manifest(settings: Settings, commands: CommandSet) -> str:
    """The manifest as YAML, to paste at https://api.slack.com/apps?new_app=1 (From a manifest).

    Raises OperatorError where the mode needs a public address that is not configured.
    """
    section = section_of(settings)
    address = _address(section)
    request = {"url": address + EVENTS_PATH} if address else {}
    slash: Yaml = {
        "command": section.slash,
        **request,
        "description": "Find, summarise and read papers",
        "usage_hint": usage_hint(commands.at(section.offers)),
        # names of people and channels in a query are words, not mentions
        "should_escape": False,
    }
    features: Yaml = {
        "app_home": {
            "home_tab_enabled": section.home,
            "messages_tab_enabled": True,
            "messages_tab_read_only_enabled": not section.direct_messages,
        },
        "bot_user": {"display_name": section.name, "always_online": True},
        "slash_commands": [slash],
    }
    if section.shortcut:
        features["shortcuts"] = [
            {
                "name": "Find related papers",
                "type": "message",
                "callback_id": RELATED,
                "description": "Search for papers by the words of a message",
            }
        ]
    oauth: Yaml = {"scopes": {"bot": list(scopes(section))}}
    if section.mode == "oauth":
        oauth = {"redirect_urls": [address + REDIRECT_PATH], **oauth}
    own: Yaml = {"org_deploy_enabled": False, "socket_mode_enabled": section.mode == "socket"}
    own["token_rotation_enabled"] = section.mode == "oauth" and section.rotate_tokens
    own["interactivity"] = {"is_enabled": True}
    if address:
        url = address + EVENTS_PATH
        own["interactivity"] = {"is_enabled": True, "request_url": url, "message_menu_options_url": url}
    if subscribed := list(events(section)):
        where = {"request_url": address + EVENTS_PATH} if address else {}
        own["event_subscriptions"] = {**where, "bot_events": subscribed}
    document: Yaml = {
        "display_information": {
            "name": section.name,
            "description": "Finds, summarises and shares the papers of a conference.",
            "background_color": "#2c3e50",
        },
        "features": features,
        "oauth_config": oauth,
        "settings": own,
    }
    note = "# Paste at https://api.slack.com/apps?new_app=1 under From a manifest. Mode: " + section.mode + ".\n"
    return note + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def _address(section: SlackSection) -> str:
    """Where Slack reaches the bot, without a slash at the end; empty where it need not."""
    if section.mode == "socket":
        return ""
    address = (section.http.public_url or "").rstrip("/")
    if not address.startswith("https://"):
        raise OperatorError(
            f"`slack.mode: {section.mode}` needs `slack.http.public_url`, the https:// address at which Slack reaches "
            "the bot, for the manifest. `slack.mode: socket` needs none."
        )
    return address


def usage_hint(commands: CommandSet) -> str:
    """What Slack shows behind the command while somebody types it: the first example of what people need first."""
    hints: list[str] = []
    for command in commands.here:
        say = command.examples[0].say if command.examples else command.path
        if len(" | ".join([*hints, say])) > 80:
            break
        hints.append(say)
    return " | ".join(hints)


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
