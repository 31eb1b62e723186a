"""A workspace that removes the app, or revokes its token, is forgotten."""

import logging

from slack_bolt.app.async_app import AsyncApp

from bot.adapters.conversation import Conversation
from bot.adapters.slack.elements import Json
from bot.adapters.slack.inbound import ENVELOPE, Envelope
from bot.adapters.slack.oauth import StoredInstallations

logger = logging.getLogger(__name__)


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
    logger.info("slack: forgot %s, which removed the app", envelope.workspace)
