"""What a running bot lends to its adapters: built once, shared by all of them."""

import asyncio
from dataclasses import dataclass, field

from bot.commands.dispatch import Dispatcher
from bot.connections import Connections
from bot.store.inbound import ActionStore, InboundEvents, LaterWrites
from bot.store.installations import Installations, OAuthStates
from bot.store.leases import CommandHashes, Leases
from bot.store.storage import Storage


@dataclass(frozen=True, slots=True)
class Services:
    """The dispatcher and the store's repositories. `stopping` is set when the process is asked to end."""

    dispatcher: Dispatcher
    inbound: InboundEvents
    hashes: CommandHashes
    installations: Installations
    states: OAuthStates
    leases: Leases
    actions: ActionStore
    writes: LaterWrites
    """What answers leave to be written."""
    replica: str
    """A name of this process, for leases."""
    storage: Storage
    connections: Connections
    """Each adapter enters its own when it has connected, and takes it out when it ends."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
