"""Deliveries are what goes out: what came in is an event, and a digest that is held says what for."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Copy the table `deliveries` into `inbound_events`, so that keys and indexes are named alike on both databases.

    It holds two days of short rows. The subscriptions' column `trouble` is called `held_for`.
    """
    events = op.create_table(
        "inbound_events",
        sa.Column("platform", sa.String(16), primary_key=True),
        sa.Column("workspace", sa.String(64), primary_key=True),
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    names = ("platform", "workspace", "key", "at_ms")
    before = sa.table("deliveries", *map(sa.column, names))
    op.execute(events.insert().from_select(names, sa.select(*before.columns)))
    op.drop_table("deliveries")
    op.create_index("ix_inbound_events_at_ms", "inbound_events", ["at_ms"])
    op.execute("ALTER TABLE subscriptions RENAME COLUMN trouble TO held_for")
