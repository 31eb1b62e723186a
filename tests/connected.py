"""A connection for tests that need no platform: whoever asks may, and what is posted goes nowhere or into memory."""

import random
from dataclasses import dataclass
from typing import cast

from clocks import WorldClock
from fake_platform import FakePlatform

from bot.connections import Connection, Connections, Offer, Poster
from bot.message import ChannelRef, User

EVERYTHING = Offer.STORAGE | Offer.NEWS | Offer.DIGEST


@dataclass
class Access:
    """What the platform says; None is yes."""

    manage: str | None = None
    post: str | None = None
    zone: str | None = None

    async def may_manage(self, user: User, channel: ChannelRef) -> str | None:
        return self.manage

    async def may_post(self, channel: ChannelRef) -> str | None:
        return self.post

    async def zone_of(self, user: User, channel: ChannelRef) -> str | None:
        return self.zone

    async def link_to(self, channel: ChannelRef, message: str) -> str | None:
        return None


def connected(
    *platforms: str, poster: object = None, access: Access | None = None, offers: Offer = EVERYTHING
) -> Connections:
    """The registry with these platforms connected, by default Slack."""
    names = platforms or ("slack",)
    posts = poster or FakePlatform(WorldClock(), random.Random(1))
    registry = Connections(dict.fromkeys(names, offers))
    for name in names:
        registry.enter(Connection(name, offers, lambda: True, cast("Poster", posts), access or Access()))
    return registry
