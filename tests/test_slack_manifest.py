"""The app manifest: only what the chosen features need, and all of that."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.adapters.slack.manifest import events, manifest, scopes, usage_hint
from bot.adapters.slack.section import HttpSection, Mode, SlackSection
from bot.commands import all_commands
from bot.config import CoreSections, Settings
from bot.errors import OperatorError

NOTHING = SlackSection(
    mentions=False, direct_messages=False, shortcut=False, home=False, share=False, digests=False, files=False
)
PUBLIC = HttpSection(public_url="https://bot.example/")


def written(section: SlackSection) -> dict[str, Any]:
    text = manifest(Settings(CoreSections(), {"slack": section}, Path(), None, {}), all_commands())
    assert text.startswith("# Paste at https://api.slack.com/apps")
    document: dict[str, Any] = yaml.safe_load(text)
    assert set(document) == {"display_information", "features", "oauth_config", "settings"}
    return document


def test_by_socket_everything_is_on_and_no_address_is_needed() -> None:
    document = written(SlackSection())
    assert document["oauth_config"]["scopes"]["bot"] == [
        "app_mentions:read",
        "channels:read",
        "chat:write",
        "commands",
        "files:write",
        "groups:read",
        "im:history",
        "mpim:read",
        "users:read",
    ]
    assert document["settings"]["socket_mode_enabled"] is True
    assert document["settings"]["event_subscriptions"] == {
        "bot_events": ["app_home_opened", "app_mention", "channel_id_changed", "message.im"]
    }
    assert document["settings"]["interactivity"] == {"is_enabled": True}
    assert document["features"]["shortcuts"][0]["type"] == "message"
    assert "http" not in str(document)


@pytest.mark.parametrize(
    ("change", "more_scopes", "more_events"),
    [
        ({}, set(), set()),
        ({"mentions": True}, {"app_mentions:read", "chat:write"}, {"app_mention"}),
        ({"direct_messages": True}, {"im:history", "chat:write"}, {"message.im"}),
        ({"share": True}, {"channels:read", "groups:read", "mpim:read", "chat:write"}, set()),
        (
            {"digests": True},
            {"channels:read", "groups:read", "mpim:read", "chat:write", "users:read"},
            {"channel_id_changed"},
        ),
        ({"history": True}, set(), set()),
        (
            {"digests": True, "history": True},
            {
                "channels:read",
                "groups:read",
                "mpim:read",
                "chat:write",
                "users:read",
                "channels:history",
                "groups:history",
            },
            {"channel_id_changed"},
        ),
        ({"files": True}, {"chat:write", "files:write"}, set()),
        ({"home": True}, {"chat:write"}, {"app_home_opened"}),
        ({"shortcut": True}, set(), set()),
        ({"mode": "oauth"}, set(), {"app_uninstalled", "tokens_revoked"}),
    ],
)
def test_each_feature_brings_what_it_needs_and_nothing_else(
    change: dict[str, Any], more_scopes: set[str], more_events: set[str]
) -> None:
    section = replace(NOTHING, **change)
    assert set(scopes(section)) == {"commands"} | more_scopes
    assert set(events(section)) == more_events


def test_what_is_off_is_not_in_the_features() -> None:
    features = written(NOTHING)["features"]
    assert "shortcuts" not in features
    assert features["app_home"]["home_tab_enabled"] is False
    assert features["app_home"]["messages_tab_read_only_enabled"] is True
    assert "event_subscriptions" not in written(NOTHING)["settings"]


@pytest.mark.parametrize("mode", ["http", "oauth"])
def test_over_http_every_address_is_the_public_one(mode: Mode) -> None:
    document = written(SlackSection(mode=mode, http=PUBLIC))
    url = "https://bot.example/slack/events"
    assert document["features"]["slash_commands"][0]["url"] == url
    assert document["settings"]["interactivity"] == {
        "is_enabled": True,
        "request_url": url,
        "message_menu_options_url": url,
    }
    assert document["settings"]["event_subscriptions"]["request_url"] == url
    redirects = document["oauth_config"].get("redirect_urls")
    assert redirects == (["https://bot.example/slack/oauth_redirect"] if mode == "oauth" else None)


@pytest.mark.parametrize("address", [None, "http://bot.example", "bot.example"])
def test_an_address_that_is_missing_or_not_safe_is_said(address: str | None) -> None:
    with pytest.raises(OperatorError, match="public_url"):
        written(SlackSection(mode="http", http=HttpSection(public_url=address)))


def test_tokens_rotate_only_where_that_was_chosen() -> None:
    assert written(SlackSection(mode="oauth", http=PUBLIC))["settings"]["token_rotation_enabled"] is False
    chosen = SlackSection(mode="oauth", http=PUBLIC, rotate_tokens=True)
    assert written(chosen)["settings"]["token_rotation_enabled"] is True


def test_the_command_comes_from_the_declarations() -> None:
    (slash,) = written(SlackSection(command="/read", name="Reader"))["features"]["slash_commands"]
    assert slash["command"] == "/read"
    (bare,) = written(SlackSection(command="read"))["features"]["slash_commands"]
    assert bare["command"] == "/read"
    assert slash["should_escape"] is False
    assert slash["usage_hint"] == usage_hint(all_commands())
    assert slash["usage_hint"].startswith("search kv cache | ")
    assert len(slash["usage_hint"]) <= 80
    assert written(SlackSection(name="Reader"))["features"]["bot_user"]["display_name"] == "Reader"
