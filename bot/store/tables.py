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

inbound_events = sa.Table(
    "inbound_events",
    metadata,
    sa.Column("platform", sa.String(16), primary_key=True),
    sa.Column("workspace", sa.String(64), primary_key=True),
    sa.Column("key", sa.String(200), primary_key=True),
    sa.Column("at_ms", sa.BigInteger, nullable=False, index=True),
)
"""What came from a platform and was answered: its event, envelope, trigger or interaction id."""

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
    sa.Column("paper", sa.String(64)),
    sa.Column("call", sa.Text),
    sa.Column("at_ms", sa.BigInteger, nullable=False, index=True),
)
"""The numbered list that a person saw last in a channel: JSON of number to paper id, the paper that they saw alone
since, and JSON of the command and the arguments that gave the list."""

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

subscriptions = sa.Table(
    "subscriptions",
    metadata,
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
    sa.Column("held_for", sa.String(200)),
    sa.Column("set_up_by", sa.String(64), nullable=False),
    sa.Column("next_ms", sa.BigInteger),
    sa.Column("ended_ms", sa.BigInteger),
    sa.UniqueConstraint("platform", "workspace", "channel", "digest", name="uq_subscriptions_channel"),
)
"""A channel's digest: when and what. `held_for` says why posts are held; `ended_ms` that it is switched off."""

sa.Index("ix_subscriptions_next_ms", subscriptions.c.next_ms)

postings = sa.Table(
    "postings",
    metadata,
    sa.Column("key", sa.String(24), primary_key=True),
    sa.Column("subscription", sa.Integer, nullable=False),
    sa.Column("day", sa.String(10), nullable=False),
    sa.Column("part", sa.Integer, nullable=False),
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
    sa.Column("replaced", sa.Integer, nullable=False, server_default="0"),
    sa.Column("platform", sa.String(16), nullable=False, server_default=""),
    sa.Column("workspace", sa.String(64), nullable=False, server_default=""),
    sa.Column("channel", sa.String(64), nullable=False, server_default=""),
    sa.Column("person", sa.String(64), nullable=False, server_default=""),
    sa.Column("content", sa.Text),
)
"""The ledger: one row for each part of each delivery, known by subscription, scheduled local date and part, which make
its key; and one for each announcement, of no subscription (0), with where it is said and its `content` as JSON."""

sa.Index("ix_postings_subscription", postings.c.subscription, postings.c.day)
sa.Index("ix_postings_work", postings.c.state, postings.c.not_before_ms)

picks = sa.Table(
    "picks",
    metadata,
    sa.Column("owner", sa.String(80), primary_key=True),
    sa.Column("cycle", sa.Integer, primary_key=True),
    sa.Column("paper", sa.String(64), primary_key=True),
    sa.Column("slot", sa.String(20), nullable=False, index=True),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("reason", sa.String(200), nullable=False, server_default=""),
)
"""What a channel (or all channels of a named digest: `owner`) was given: each paper once a cycle, which is one round
through the pool; `slot` is the delivery, `place` the order in it."""

votes = sa.Table(
    "votes",
    metadata,
    sa.Column("platform", sa.String(16), primary_key=True),
    sa.Column("workspace", sa.String(64), primary_key=True),
    sa.Column("channel", sa.String(64), primary_key=True),
    sa.Column("paper", sa.String(64), primary_key=True),
    sa.Column("user", sa.String(64), primary_key=True),
    sa.Column("value", sa.Integer, nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
)
"""One vote a person, channel and paper: 1 or -1."""

saves = sa.Table(
    "saves",
    metadata,
    sa.Column("platform", sa.String(16), primary_key=True),
    sa.Column("workspace", sa.String(64), primary_key=True),
    sa.Column("user", sa.String(64), primary_key=True),
    sa.Column("paper", sa.String(64), primary_key=True),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
)
"""Papers that a person keeps for themselves."""

watches = sa.Table(
    "watches",
    metadata,
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
"""Queries that somebody wants to hear about when the corpus changes."""

known_papers = sa.Table("known_papers", metadata, sa.Column("paper", sa.String(64), primary_key=True))
"""Papers that are no news any more, by their ids; and "", once there was a first look."""
