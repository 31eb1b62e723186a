"""The app manifest: what Slack must be told to create the app, and nothing that the chosen features do not need."""

from collections.abc import Iterator

import yaml

from bot.adapters.slack.section import SlackSection, section_of
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
