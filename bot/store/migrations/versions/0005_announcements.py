"""The ledger has all that the bot says by itself: rows that belong to no subscription, and which papers are news."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Postings are known by their keys, and may name their own place; papers that were news once."""
    places = [
        sa.Column("platform", sa.String(16), nullable=False, server_default=""),
        sa.Column("workspace", sa.String(64), nullable=False, server_default=""),
        sa.Column("channel", sa.String(64), nullable=False, server_default=""),
        sa.Column("person", sa.String(64), nullable=False, server_default=""),
        sa.Column("content", sa.Text),
    ]
    with op.batch_alter_table("postings") as batch:
        batch.drop_constraint("pk_postings", type_="primary")
        batch.drop_constraint("uq_postings_key", type_="unique")
        batch.create_primary_key("pk_postings", ["key"])
        for column in places:
            batch.add_column(column)
    op.create_index("ix_postings_subscription", "postings", ["subscription", "day"])
    op.create_table("known_papers", sa.Column("paper", sa.String(64), primary_key=True))
