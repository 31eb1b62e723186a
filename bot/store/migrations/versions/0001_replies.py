"""What answering in Slack and Discord needs to remember."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Deliveries answered, command hashes, installations, OAuth states, last lists, leases, long button values."""
    op.create_table(
        "deliveries",
        sa.Column("platform", sa.String(16), primary_key=True),
        sa.Column("workspace", sa.String(64), primary_key=True),
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_deliveries_at_ms", "deliveries", ["at_ms"])
    op.create_table(
        "command_hashes",
        sa.Column("platform", sa.String(16), primary_key=True),
        sa.Column("scope", sa.String(64), primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "installations",
        sa.Column("platform", sa.String(16), primary_key=True),
        sa.Column("workspace", sa.String(64), primary_key=True),
        sa.Column("user", sa.String(64), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "oauth_states",
        sa.Column("state", sa.String(200), primary_key=True),
        sa.Column("expires_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "last_lists",
        sa.Column("platform", sa.String(16), primary_key=True),
        sa.Column("workspace", sa.String(64), primary_key=True),
        sa.Column("channel", sa.String(64), primary_key=True),
        sa.Column("user", sa.String(64), primary_key=True),
        sa.Column("list", sa.String(32), nullable=False),
        sa.Column("numbers", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_last_lists_at_ms", "last_lists", ["at_ms"])
    op.create_table(
        "leases",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("holder", sa.String(100), nullable=False),
        sa.Column("expires_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "presses",
        sa.Column("key", sa.String(32), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_presses_at_ms", "presses", ["at_ms"])
