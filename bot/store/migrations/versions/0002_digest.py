"""The digest, its ledger, and what a team remembers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Subscriptions, postings, picks, votes, saves, watches."""
    op.create_table(
        "subscriptions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("workspace", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, server_default=""),
        sa.Column("at", sa.String(5), nullable=False),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("weekdays", sa.String(7), nullable=False),
        sa.Column("skips", sa.Text, nullable=False, server_default="[]"),
        sa.Column("topic", sa.String(200), nullable=False, server_default=""),
        sa.Column("count", sa.Integer, nullable=False, server_default="1"),
        sa.Column("thread", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("style", sa.String(8), nullable=False, server_default="full"),
        sa.Column("since_ms", sa.BigInteger, nullable=False),
        sa.Column("paused_until", sa.String(10)),
        sa.Column("trouble", sa.String(200)),
        sa.Column("set_up_by", sa.String(64), nullable=False),
        sa.Column("next_ms", sa.BigInteger),
        sa.Column("ended_ms", sa.BigInteger),
        sa.UniqueConstraint("platform", "workspace", "channel", "digest", name="uq_subscriptions_channel"),
    )
    op.create_table(
        "postings",
        sa.Column("subscription", sa.Integer, primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("part", sa.Integer, primary_key=True),
        sa.Column("key", sa.String(24), nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("due_ms", sa.BigInteger, nullable=False),
        sa.Column("late", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("holder", sa.String(100)),
        sa.Column("lease_ms", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("not_before_ms", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("papers", sa.Text, nullable=False, server_default="[]"),
        sa.Column("payload", sa.Text),
        sa.Column("sent_ms", sa.BigInteger),
        sa.Column("message", sa.String(200)),
        sa.Column("posted_ms", sa.BigInteger),
        sa.Column("note", sa.String(300)),
        sa.UniqueConstraint("key", name="uq_postings_key"),
    )
    op.create_table(
        "picks",
        sa.Column("owner", sa.String(80), primary_key=True),
        sa.Column("cycle", sa.Integer, primary_key=True),
        sa.Column("paper", sa.String(64), primary_key=True),
        sa.Column("slot", sa.String(20), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("reason", sa.String(200), nullable=False, server_default=""),
    )
    op.create_table(
        "votes",
        sa.Column("platform", sa.String(16), primary_key=True),
        sa.Column("workspace", sa.String(64), primary_key=True),
        sa.Column("channel", sa.String(64), primary_key=True),
        sa.Column("paper", sa.String(64), primary_key=True),
        sa.Column("user", sa.String(64), primary_key=True),
        sa.Column("value", sa.Integer, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "saves",
        sa.Column("platform", sa.String(16), primary_key=True),
        sa.Column("workspace", sa.String(64), primary_key=True),
        sa.Column("user", sa.String(64), primary_key=True),
        sa.Column("paper", sa.String(64), primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "watches",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("workspace", sa.String(64), nullable=False),
        sa.Column("user", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(64), nullable=False),
        sa.Column("query", sa.String(500), nullable=False),
        sa.Column("public", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("platform", "workspace", "user", "channel", "query", name="uq_watches_query"),
    )
    op.create_index("ix_subscriptions_next_ms", "subscriptions", ["next_ms"])
    op.create_index("ix_picks_slot", "picks", ["slot"])
    op.create_index("ix_postings_work", "postings", ["state", "not_before_ms"])
