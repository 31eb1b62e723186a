"""Alembic's migrations, one file a change, applied in order at start."""
