"""The config section of Discord, and what the adapter lacks to start. Imports nothing of discord.py."""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Literal

from bot.adapters.base import Missing, secret
from bot.config import STRICT, Settings
from bot.connections import Offer

TOKEN = "DISCORD_TOKEN"  # noqa: S105 - the name of a setting, not its value

_WHERE = "https://discord.com/developers/applications, your application > Bot > Reset Token"

_SNOWFLAKE = re.compile(r"[0-9]{15,20}", re.ASCII)


@dataclass(frozen=True, slots=True)
class DiscordSection:
    """How the bot lives in Discord."""

    __pydantic_config__ = STRICT
    guilds: tuple[int, ...] = ()
    """Ids of the servers that get the commands, at once and only they. Empty: every server, and direct messages."""
    shards: int | Literal["auto"] = 1
    """Connections to share the servers among; `auto` asks Discord, which demands it from 2,500 servers on."""
    share: bool = True
    """Whether people may share a private answer with their channel."""
    digests: bool = True
    """The paper of the day."""
    digest_role: int = 0
    """Id of a role that may change digests besides those with Manage Server; 0 for none."""
    lease_seconds: float = 9.0
    """With several replicas, how long after its last sign of life a connected one is replaced: 1 to 12."""

    @property
    def offers(self) -> Offer:
        """What it offers once it is connected: the paper of the day can be switched off."""
        return Offer.STORAGE | Offer.NEWS | (Offer.DIGEST if self.digests else Offer.NOTHING)

    def __post_init__(self) -> None:
        if self.shards != "auto" and not 1 <= self.shards <= 10_000:
            raise ValueError("shards is `auto` or a number from 1")
        if not 1 <= self.lease_seconds <= 12:
            raise ValueError("lease_seconds is 1 to 12, so that a replica takes over within 15 seconds")


def section_of(settings: Settings) -> DiscordSection:
    """The section as it was configured, else its defaults."""
    own = settings.sections.get("discord")
    return own if isinstance(own, DiscordSection) else DiscordSection()


def offers(settings: Settings) -> Offer:
    """What it offers once it is connected."""
    return section_of(settings).offers


def configured(settings: Settings) -> bool:
    """Whether the operator means to use Discord: its token is set, or any key of its section."""
    return section_of(settings) != DiscordSection() or secret(settings, TOKEN) is not None


def missing(settings: Settings) -> tuple[Missing, ...]:
    """The token, where it is not set."""
    return () if secret(settings, TOKEN) else (Missing(TOKEN, _WHERE),)


def application_id(settings: Settings) -> str | None:
    """The application's id, which is the first part of its token in base 64; None where that does not decode."""
    first = (secret(settings, TOKEN) or "").partition(".")[0]
    try:
        decoded = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return None
    return decoded if _SNOWFLAKE.fullmatch(decoded) else None
