"""The config section of Slack, and what the adapter lacks to start. Imports no library of Slack's."""

from dataclasses import dataclass, field
from typing import Literal

from bot.adapters.base import Missing, secret
from bot.config import STRICT, Settings
from bot.connections import Offer

Mode = Literal["socket", "http", "oauth"]
Managers = Literal["members", "admins"]

BOT_TOKEN = "SLACK_BOT_TOKEN"  # noqa: S105 - the names of settings, not their values
APP_TOKEN = "SLACK_APP_TOKEN"  # noqa: S105
SIGNING_SECRET = "SLACK_SIGNING_SECRET"  # noqa: S105
CLIENT_ID = "SLACK_CLIENT_ID"
CLIENT_SECRET = "SLACK_CLIENT_SECRET"  # noqa: S105
TOKEN_KEY = "PAPERBOY_TOKEN_KEY"  # noqa: S105

_APPS = "https://api.slack.com/apps, your app"

_WHERE = {
    BOT_TOKEN: f"begins with xoxb-: {_APPS} > OAuth & Permissions > Bot User OAuth Token",
    APP_TOKEN: f"begins with xapp-: {_APPS} > Basic Information > App-Level Tokens, scope connections:write",
    SIGNING_SECRET: f"{_APPS} > Basic Information > App Credentials > Signing Secret",
    CLIENT_ID: f"{_APPS} > Basic Information > App Credentials > Client ID",
    CLIENT_SECRET: f"{_APPS} > Basic Information > App Credentials > Client Secret",
    TOKEN_KEY: (
        "encrypts the tokens of workspaces in the store: python -c "
        "'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())'"
    ),
}

_NEEDED: dict[Mode, tuple[str, ...]] = {
    "socket": (BOT_TOKEN, APP_TOKEN),
    "http": (BOT_TOKEN, SIGNING_SECRET),
    "oauth": (CLIENT_ID, CLIENT_SECRET, SIGNING_SECRET, TOKEN_KEY),
}

_BEGINS = {BOT_TOKEN: ("xoxb-", "xoxe.xoxb-"), APP_TOKEN: ("xapp-",)}


@dataclass(frozen=True, slots=True)
class HttpSection:
    """Where requests of Slack arrive in the modes `http` and `oauth`."""

    __pydantic_config__ = STRICT
    host: str = "127.0.0.1"
    """A proxy that speaks TLS stands before it; in a container 0.0.0.0."""
    port: int = 3000
    public_url: str | None = None
    """How Slack reaches it, such as https://paperboy.example.org: for the manifest and the installation page."""


@dataclass(frozen=True, slots=True)
class SlackSection:
    """How the bot lives in Slack."""

    __pydantic_config__ = STRICT
    mode: Mode = "socket"
    """`socket` needs no public address; `http` serves one workspace, `oauth` any number of them."""
    http: HttpSection = field(default_factory=HttpSection)
    name: str = "Paperboy"
    """What people call it: the name in the manifest, and in `/invite @Paperboy`."""
    command: str = "/papers"
    mentions: bool = True
    direct_messages: bool = True
    shortcut: bool = True
    home: bool = True
    share: bool = True
    files: bool = True
    """Whether lists that people export come as files, in their direct messages."""
    digests: bool = True
    """The paper of the day."""
    digest_managers: Managers = "members"
    """Who may change a channel's digest: its members (guests never), or only admins of the workspace."""
    history: bool = False
    """Whether the bot may read channels' history, which means all messages of channels it is in: only so can it find
    out whether a post arrived whose answer was lost. Without, it says so and does not post again."""
    rotate_tokens: bool = False
    """In the mode `oauth`: whether tokens expire and are renewed. Slack never lets one go back on this."""
    api: str = "https://slack.com/api/"
    """GovSlack has an address of its own."""

    @property
    def offers(self) -> Offer:
        """What it offers once it is connected: the paper of the day can be switched off."""
        return Offer.STORAGE | Offer.NEWS | (Offer.DIGEST if self.digests else Offer.NOTHING)

    @property
    def slash(self) -> str:
        """The slash command, with its slash."""
        return "/" + self.command.strip().lstrip("/")


def section_of(settings: Settings) -> SlackSection:
    """The section as it was configured, else its defaults."""
    own = settings.sections.get("slack")
    return own if isinstance(own, SlackSection) else SlackSection()


def offers(settings: Settings) -> Offer:
    """What it offers once it is connected."""
    return section_of(settings).offers


def configured(settings: Settings) -> bool:
    """Whether the operator means to use Slack: any secret of it is set, or any key of its section."""
    names = (BOT_TOKEN, APP_TOKEN, SIGNING_SECRET, CLIENT_ID, CLIENT_SECRET)
    return section_of(settings) != SlackSection() or any(secret(settings, name) for name in names)


def missing(settings: Settings) -> tuple[Missing, ...]:
    """The secrets that the mode needs and that are not set, or are obviously another one's."""
    found: list[Missing] = []
    for name in _NEEDED[section_of(settings).mode]:
        value = secret(settings, name)
        if value is None or not value.startswith(_BEGINS.get(name, ("",))):
            found.append(Missing(name, _WHERE[name]))
    return tuple(found)
