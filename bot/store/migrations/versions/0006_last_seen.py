"""What a person saw last is also one paper, and the call that gave their list."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Lists of before have neither."""
    op.add_column("last_lists", sa.Column("paper", sa.String(64)))
    op.add_column("last_lists", sa.Column("call", sa.Text))
