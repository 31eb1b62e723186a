"""Several workspaces: who installed the app, kept in the store, and whose token answers a request."""

import asyncio
import json
import logging
import secrets
from urllib.parse import urljoin

from aiohttp import ClientError
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.errors import SlackTokenRotationError
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.installation_store.models.bot import Bot
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.oauth.token_rotation.async_rotator import AsyncTokenRotator

from bot.adapters.conversation import Conversation
from bot.adapters.services import Services
from bot.adapters.slack.blocks import Json
from bot.adapters.slack.manifest import INSTALL_PATH, REDIRECT_PATH, scopes
from bot.adapters.slack.payloads import ENVELOPE, Envelope
from bot.adapters.slack.section import TOKEN_KEY, SlackSection
from bot.errors import OperatorError
from bot.schedule.clock import Clock, system_clock
from bot.store.installations import Installations, OAuthStates
from bot.store.leases import Leases
from bot.store.subscriptions import Subscriptions

logger = logging.getLogger(__name__)


class TokenCipher:
    """Encrypts with the first of its keys, decrypts with any: so that a new key can be put before the old one."""

    def __init__(self, keys: str) -> None:
        """`keys` are Fernet keys with commas between them. Raises OperatorError where one is none."""
        try:
            fernets = [Fernet(key.strip()) for key in keys.split(",") if key.strip()]
        except ValueError as error:
            raise OperatorError(
                f"{TOKEN_KEY} is not a key: make one with python -c "
                "'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())'"
            ) from error
        if not fernets:
            raise OperatorError(f"{TOKEN_KEY} holds no key")
        self._newest = fernets[0]
        self._all = MultiFernet(fernets)

    def lock(self, body: str) -> str:
        """The body, encrypted."""
        return self._all.encrypt(body.encode()).decode()

    def unlock(self, kept: str) -> str | None:
        """The body again; None where no key fits, which the log says."""
        try:
            return self._all.decrypt(kept.encode()).decode()
        except InvalidToken:
            logger.error(  # noqa: TRY400 - one clear line
                "slack: an installation was encrypted with a key that %s no longer has: put that key back behind the "
                "new one, or install the app there again",
                TOKEN_KEY,
            )
            return None

    def is_newest(self, kept: str) -> bool:
        """Whether the first key encrypted this."""
        try:
            self._newest.decrypt(kept.encode())
        except InvalidToken:
            return False
        return True

    async def renew(self, installations: Installations) -> int:
        """Encrypt everything anew that an older key encrypted, so that the older key can go; gives how many."""
        changed = 0
        for workspace, user, kept in await installations.all("slack"):
            if not self.is_newest(kept) and (body := self.unlock(kept)) is not None:
                await installations.put("slack", workspace, user, self.lock(body))
                changed += 1
        return changed


STATE_SECONDS = 600
"""How long somebody may take to agree to the installation."""

ROTATE_MINUTES = 120
"""A token is renewed when it is good for less than this."""

_ASK_SECONDS = 8.0
"""What may pass before a token is exchanged: from then on nothing cuts it short."""

_ROTATION_SECONDS = 90.0
"""The exchange, which its client ends after 15 s, and what it takes to keep what came of it."""

_KEEP_PAUSES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each try to keep a token, while the store may be away: Slack takes the old one no more."""

_STILL_GOOD = 60.0
"""Seconds of a token's life that suffice for one answer."""


class StoredInstallations(AsyncInstallationStore):
    """Bolt's installation store on ours: the bot of a workspace, or of a whole organisation. No person's token."""

    def __init__(self, installations: Installations, vault: TokenCipher, digests: Subscriptions | None = None) -> None:
        """`digests` are kept for a while when a workspace removes the app, and go on when it comes back."""
        self._installations = installations
        self._vault = vault
        self._digests = digests

    @property
    def logger(self) -> logging.Logger:
        """Where it says what it does."""
        return logger

    async def async_save(self, installation: Installation) -> None:
        """Keep the bot of an installation."""
        await self.async_save_bot(installation.to_bot())

    async def async_save_bot(self, bot: Bot) -> None:
        """Keep a bot, in place of an earlier one of that workspace."""
        body = bot.to_dict_for_copying()
        for name in ("bot_token_expires_at", "installed_at"):
            moment = body[name]
            body[name] = moment.timestamp() if moment is not None else None
        place = _place(bot.enterprise_id, bot.team_id, bot.is_enterprise_install)
        await self._installations.put("slack", place, "", self._vault.lock(json.dumps(body)))
        if self._digests is not None:
            await self._digests.came_back("slack", place)
        logger.info("slack: installed in %s", place)

    async def async_find_bot(
        self, *, enterprise_id: str | None, team_id: str | None, is_enterprise_install: bool | None = False
    ) -> Bot | None:
        """The bot of a workspace, else of its organisation."""
        places = [_place(enterprise_id, team_id, is_enterprise_install), enterprise_id or ""]
        for place in dict.fromkeys(place for place in places if place):
            kept = await self._installations.get("slack", place, "")
            body = self._vault.unlock(kept) if kept is not None else None
            if body is not None:
                fields = json.loads(body)
                expires = fields.pop("bot_token_expires_at")
                return Bot(**fields, bot_token_expires_at=None if expires is None else int(expires))
        return None

    async def async_find_installation(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None = None,
        is_enterprise_install: bool | None = False,
    ) -> Installation | None:
        """The installation of a workspace; none of a person, since no person's token is asked for."""
        bot = await self.async_find_bot(
            enterprise_id=enterprise_id, team_id=team_id, is_enterprise_install=is_enterprise_install
        )
        if bot is None:
            return None
        same = {name: value for name, value in bot.to_dict_for_copying().items() if value is not None}
        return Installation(user_id=user_id or "", **same)

    async def async_delete_bot(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        """Forget the bot of a workspace."""
        await self._installations.delete("slack", _place(enterprise_id, team_id, None), "")

    async def async_delete_installation(
        self, *, enterprise_id: str | None, team_id: str | None, user_id: str | None = None
    ) -> None:
        """Forget what is kept of a person: nothing is, so that one who leaves does not take the bot along."""
        await self._installations.delete("slack", _place(enterprise_id, team_id, None), user_id or "")

    async def async_delete_all(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        """Forget everything of a workspace, but for its digests' settings."""
        place = _place(enterprise_id, team_id, None)
        await self._installations.delete("slack", place)
        if self._digests is not None:
            await self._digests.was_removed("slack", place)


def _place(enterprise: str | None, team: str | None, whole: bool | None) -> str:
    """What an installation is kept by: the organisation where all of it has the app, else the workspace."""
    return (enterprise or "") if whole or not team else team


class StoredStates(AsyncOAuthStateStore):
    """Bolt's state store on ours: each state is good once, in any replica."""

    def __init__(self, states: OAuthStates) -> None:
        self._states = states

    @property
    def logger(self) -> logging.Logger:
        """Where it says what it does."""
        return logger

    async def async_issue(self, *_: object, **__: object) -> str:
        """A state for somebody who begins to install."""
        state = secrets.token_urlsafe(32)
        await self._states.issue(state, STATE_SECONDS)
        return state

    async def async_consume(self, state: str) -> bool:
        """True once for a state that was issued here and has not run out."""
        return await self._states.consume(state[:200])


class Workspaces(AsyncAuthorize):
    """Whose token answers a request: that of its workspace, renewed before it expires.

    Bolt's own would ask Slack who the token is before each answer, and would renew one token twice at once, of which
    the second fails. Here one request renews, in one replica, and the others go on with the old token meanwhile.
    """

    def __init__(
        self,
        store: StoredInstallations,
        rotator: AsyncTokenRotator,
        leases: Leases,
        replica: str,
        clock: Clock = system_clock,
    ) -> None:
        self._store = store
        self._rotator = rotator
        self._leases = leases
        self._replica = replica
        self._clock = clock
        self._renewals: dict[str, asyncio.Task[Bot]] = {}

    async def __call__(
        self,
        *,
        context: AsyncBoltContext,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
        actor_enterprise_id: str | None = None,  # noqa: ARG002 - the signature is the library's
        actor_team_id: str | None = None,  # noqa: ARG002
        actor_user_id: str | None = None,  # noqa: ARG002
    ) -> AuthorizeResult | None:
        """The token of the workspace, or None where the app is not installed."""
        bot = await self.bot(enterprise_id, team_id, whole=bool(context.is_enterprise_install))
        if bot is None:
            return None
        return AuthorizeResult(
            enterprise_id=bot.enterprise_id,
            team_id=bot.team_id,
            bot_id=bot.bot_id,
            bot_user_id=bot.bot_user_id,
            bot_token=bot.bot_token,
            bot_scopes=list(bot.bot_scopes),
            user_id=user_id,
        )

    async def bot(self, enterprise: str | None, team: str | None, *, whole: bool = False) -> Bot | None:
        """The bot of a workspace with a token that is good for a while: also before a scheduled post."""
        found = await self._store.async_find_bot(enterprise_id=enterprise, team_id=team, is_enterprise_install=whole)
        if found is None or found.bot_refresh_token is None or found.bot_token_expires_at is None:
            return found
        left = found.bot_token_expires_at - self._clock().timestamp()
        if left > ROTATE_MINUTES * 60:
            return found
        place = _place(found.enterprise_id, found.team_id, found.is_enterprise_install)
        if place not in self._renewals:
            renewal = asyncio.create_task(self._renewed(found, place), name=f"slack: renew the token of {place}")
            self._renewals[place] = renewal
            renewal.add_done_callback(lambda _: self._renewals.pop(place, None))
        # an answer need not wait while the old token still opens the door
        return found if left > _STILL_GOOD else await asyncio.shield(self._renewals[place])

    async def _renewed(self, bot: Bot, place: str) -> Bot:
        lease = f"slack token {place}"[:100]
        try:
            async with asyncio.timeout(_ASK_SECONDS):
                if not await self._leases.take(lease, self._replica, _ROTATION_SECONDS):
                    return bot  # another replica is at it
                latest = await self._latest(bot)
            renewed = await self._rotator.perform_bot_token_rotation(
                bot=latest, minutes_before_expiration=ROTATE_MINUTES
            )
            if renewed is not None:
                await self._keep(renewed, place)
            await self._leases.release(lease, self._replica)
        except (SlackTokenRotationError, ClientError, TimeoutError) as error:
            logger.error("slack: the token of %s could not be renewed: %s", place, type(error).__name__)  # noqa: TRY400
            return bot
        return renewed or latest

    async def _keep(self, bot: Bot, place: str) -> None:
        """Save a token that was just given, again where the store does not take it. Raises what the last try does."""
        for left, pause in zip(reversed(range(len(_KEEP_PAUSES))), _KEEP_PAUSES, strict=True):
            await asyncio.sleep(pause)
            try:
                await self._store.async_save_bot(bot)
            except Exception:
                if not left:
                    logger.critical("slack: the new token of %s could not be kept: install the app there again", place)
                    raise
                logger.exception("slack: the new token of %s could not be kept; tried again", place)
            else:
                return

    async def _latest(self, bot: Bot) -> Bot:
        """The same bot as the store has it now: another replica may have renewed it since."""
        found = await self._store.async_find_bot(
            enterprise_id=bot.enterprise_id, team_id=bot.team_id, is_enterprise_install=bot.is_enterprise_install
        )
        return found or bot

    async def close(self) -> None:
        """Wait for what is being renewed: a token that Slack gave and nobody kept would lock the bot out."""
        await asyncio.gather(*self._renewals.values(), return_exceptions=True)


def oauth_settings(
    section: SlackSection,
    *,
    client_id: str,
    client_secret: str,
    store: StoredInstallations,
    services: Services,
    library: logging.Logger,
) -> AsyncOAuthSettings:
    """What Bolt needs for the pages where people install the app."""
    address = (section.http.public_url or "").rstrip("/")
    return AsyncOAuthSettings(
        client_id=client_id,
        client_secret=client_secret,
        scopes=scopes(section),
        user_scopes=[],
        redirect_uri=address + REDIRECT_PATH if address else None,
        install_path=INSTALL_PATH,
        redirect_uri_path=REDIRECT_PATH,
        authorization_url=urljoin(section.api, "/oauth/v2/authorize"),
        installation_store=store,
        installation_store_bot_only=True,
        state_store=StoredStates(services.states),
        state_expiration_seconds=STATE_SECONDS,
        logger=library,
    )


def listen_for_uninstalls(app: AsyncApp, store: StoredInstallations, conversation: Conversation) -> None:
    """Put the handlers of both events on an app."""

    async def uninstalled(body: Json) -> None:
        await conversation.heard("uninstall", lambda: _forget(ENVELOPE.validate_python(body), store))

    async def revoked(body: Json) -> None:
        # people's tokens are never asked for: only the bot's own matters
        event = body.get("event")
        tokens = event.get("tokens") if isinstance(event, dict) else None
        if isinstance(tokens, dict) and tokens.get("bot"):
            await conversation.heard("revoked token", lambda: _forget(ENVELOPE.validate_python(body), store))

    app.event("app_uninstalled")(uninstalled)
    app.event("tokens_revoked")(revoked)


async def _forget(envelope: Envelope, store: StoredInstallations) -> None:
    """Forget the installation that the event is about: not one that was made since, by somebody who came back."""
    enterprise, team = envelope.enterprise_id, envelope.team_id or None
    bot = await store.async_find_bot(enterprise_id=enterprise, team_id=team)
    if bot is None or (envelope.event_time and bot.installed_at > envelope.event_time + 1):
        return
    await store.async_delete_all(enterprise_id=enterprise, team_id=team)
    logger.info("slack: forgot %s, which removed the app", team or enterprise)
