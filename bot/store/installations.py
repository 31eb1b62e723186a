"""Installations of the app in workspaces, and those begun: bodies are encrypted before they come here."""

import sqlalchemy as sa

from bot.message import Platform
from bot.schedule.clock import Clock, system_clock
from bot.store.database import Database, to_ms
from bot.store.tables import installations, oauth_states


class Installations:
    """Encrypted installations by platform, workspace and (for a person's own) user."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def put(self, platform: Platform, workspace: str, user: str, body: str) -> None:
        """Keep an installation, in place of an earlier one."""
        row = {
            "platform": platform,
            "workspace": workspace,
            "user": user,
            "body": body,
            "at_ms": to_ms(self._clock()),
        }
        async with self._database.begin() as connection:
            await connection.execute(self._database.upsert(installations, row))

    async def get(self, platform: Platform, workspace: str, user: str) -> str | None:
        """The body of an installation, or None."""
        query = sa.select(installations.c.body).where(
            installations.c.platform == platform,
            installations.c.workspace == workspace,
            installations.c.user == user,
        )
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def delete(self, platform: Platform, workspace: str, user: str | None = None) -> int:
        """Drop one person's installation, or everything of a workspace; gives how many."""
        change = sa.delete(installations).where(
            installations.c.platform == platform, installations.c.workspace == workspace
        )
        if user is not None:
            change = change.where(installations.c.user == user)
        async with self._database.begin() as connection:
            return int((await connection.execute(change)).rowcount)

    async def all(self, platform: Platform) -> list[tuple[str, str, str]]:
        """Every installation as workspace, user and body: to encrypt anew with a new key."""
        query = sa.select(installations.c.workspace, installations.c.user, installations.c.body).where(
            installations.c.platform == platform
        )
        async with self._database.read() as connection:
            return [(row[0], row[1], row[2]) for row in (await connection.execute(query)).all()]


class OAuthStates:
    """Installations begun: each state is good once and for a while."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock

    async def issue(self, state: str, seconds: int) -> None:
        """Remember a state for so long; forgets those that ran out."""
        now = to_ms(self._clock())
        async with self._database.begin() as connection:
            await connection.execute(sa.delete(oauth_states).where(oauth_states.c.expires_ms < now))
            await connection.execute(
                self._database.insert_if_new(oauth_states, {"state": state, "expires_ms": now + seconds * 1000})
            )

    async def consume(self, state: str) -> bool:
        """True once for a state that was issued and has not run out."""
        now = to_ms(self._clock())
        change = sa.delete(oauth_states).where(oauth_states.c.state == state, oauth_states.c.expires_ms >= now)
        async with self._database.begin() as connection:
            return bool((await connection.execute(change)).rowcount)
