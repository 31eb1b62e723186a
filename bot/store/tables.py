"""The tables. Times are milliseconds since 1970 UTC, since the two databases disagree about zones."""

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("platform", sa.String(16), primary_key=True),
    sa.Column("workspace", sa.String(64), primary_key=True),
    sa.Column("key", sa.String(200), primary_key=True),
    sa.Column("at_ms", sa.BigInteger, nullable=False, index=True),
)
"""What a platform delivered and we answered: its event, envelope, trigger or interaction id."""

command_hashes = sa.Table(
    "command_hashes",
    metadata,
    sa.Column("platform", sa.String(16), primary_key=True),
    sa.Column("scope", sa.String(64), primary_key=True),
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
)
"""The command definition that a platform was last told, globally or for a guild."""

installations = sa.Table(
    "installations",
    metadata,
    sa.Column("platform", sa.String(16), primary_key=True),
    sa.Column("workspace", sa.String(64), primary_key=True),
    sa.Column("user", sa.String(64), primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
)
"""One install of the app, encrypted; `user` is "" for the bot's own token, else whoever installed."""

oauth_states = sa.Table(
    "oauth_states",
    metadata,
    sa.Column("state", sa.String(200), primary_key=True),
    sa.Column("expires_ms", sa.BigInteger, nullable=False),
)
"""Installations begun and not finished."""

last_lists = sa.Table(
    "last_lists",
    metadata,
    sa.Column("platform", sa.String(16), primary_key=True),
    sa.Column("workspace", sa.String(64), primary_key=True),
    sa.Column("channel", sa.String(64), primary_key=True),
    sa.Column("user", sa.String(64), primary_key=True),
    sa.Column("list", sa.String(32), nullable=False),
    sa.Column("numbers", sa.Text, nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False, index=True),
)
"""The numbered list that a person saw last in a channel: JSON of number to paper id."""

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("holder", sa.String(100), nullable=False),
    sa.Column("expires_ms", sa.BigInteger, nullable=False),
)
"""Who may do what only one process may do, and until when."""

presses = sa.Table(
    "presses",
    metadata,
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False, index=True),
)
"""What a button does, where that is longer than a platform lets a button carry; the key is a hash of the body."""
