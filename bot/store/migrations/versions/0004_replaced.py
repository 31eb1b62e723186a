"""Papers that a platform refuses for what they say are replaced by others."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """How often that happened to a posting."""
    op.add_column("postings", sa.Column("replaced", sa.Integer, nullable=False, server_default="0"))
