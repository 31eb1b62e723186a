"""A person in a channel of the double, as the contract's `Surface`: types as `/papers words`, reads what is drawn."""

from contract import Seen
from platforms.discord.markdown import labels, read_message
from platforms.discord.server import Double
from platforms.discord.world import EPHEMERAL, Channel, Interaction, Json

from bot.adapters.discord.registration import LONGEST_OPTION
from bot.commands import all_commands
from bot.commands.grammar import interpret
from bot.errors import UsageError
from bot.message import Call


def call_of(words: str) -> Call | None:
    """The subcommand that somebody would choose for these words; None where the client would not let them send it."""
    try:
        call = interpret(words[:LONGEST_OPTION], all_commands()).call
    except UsageError:
        return None
    if call.command == "search" and words.split()[:1] != ["search"]:
        return Call("search", {"query": words[:LONGEST_OPTION]})
    return call


class DiscordSurface:
    """One person; the last private answer is what buttons are pressed on."""

    def __init__(self, double: Double, channel: Channel, user: int = 501) -> None:
        self._double, self.channel, self.user = double, channel, user
        self._last: Json | None = None

    @property
    def last(self) -> Json:
        """The last private answer."""
        assert self._last is not None, "nothing was answered yet"
        return self._last

    async def say(self, words: str) -> Seen:
        call = call_of(words)
        assert call is not None, f"Discord's client does not send {words!r}"
        return await self.use(call.command, **call.arguments)

    async def use(self, path: str, **options: object) -> Seen:
        done = await self._double.answered(await self._double.use(self.user, self.channel, path, options))
        return self._seen(done, replaced=False)

    async def press(self, label: str) -> Seen:
        return await self._pressed(await self._double.press(self.user, self.channel, self.last, label))

    async def choose(self, label: str) -> Seen:
        return await self._pressed(await self._double.choose(self.user, self.channel, self.last, label))

    async def press_shared(self, label: str) -> Seen:
        return await self._pressed(await self._double.press(self.user, self.channel, self.channel.messages[-1], label))

    async def _pressed(self, interaction: Interaction) -> Seen:
        done = await self._double.answered(interaction)
        return self._seen(done, replaced=done.acknowledged == 6)

    def _seen(self, done: Interaction, *, replaced: bool) -> Seen:
        shown = done.beside[-1] if done.beside else done.shown
        if not done.beside and shown["flags"] & EPHEMERAL and not done.deleted:
            self._last = shown
        return Seen(
            text="" if done.deleted else read_message(shown).text,
            buttons=tuple(labels(shown["components"])),
            private=bool(shown["flags"] & EPHEMERAL),
            replaced=replaced and not done.beside,
        )

    def posts(self) -> list[str]:
        return [read_message(message).text for message in self.channel.messages]
