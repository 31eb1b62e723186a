"""A private answer becomes a post that everyone in the channel sees."""

import discord

from bot.adapters.discord.render import Message
from bot.adapters.discord.rights import NAMES
from bot.adapters.discord.wire import NOBODY, Rows, again, embeds

Interaction = discord.Interaction[discord.Client]

_MISSING_ACCESS = 50001


def may_share(interaction: Interaction) -> str:
    """Why nothing may be posted here, for the person who asked; "" where it may.

    Discord tells with each interaction what the person and the bot may do in its channel.
    """
    if interaction.guild_id is None:
        return "This is a direct message: nobody else would see it."
    threads = isinstance(interaction.channel, discord.Thread)
    send = "send_messages_in_threads" if threads else "send_messages"
    if lacking := _lacking(interaction.permissions, (send,)):
        return f"You may not post in this channel: you lack the permission {lacking}."
    if lacking := _lacking(interaction.app_permissions, ("view_channel", send, "embed_links")):
        return f"I may not post in this channel: I lack the permission {lacking}. Somebody who manages it can give it."
    return ""


def _lacking(permissions: discord.Permissions, needed: tuple[str, ...]) -> str:
    return ", ".join(NAMES[name] for name in needed if not getattr(permissions, name))


def refused(error: discord.Forbidden) -> str:
    """What to tell a person whose channel refuses a post though the permissions looked right."""
    if error.code == _MISSING_ACCESS:
        return "I cannot see this channel: somebody who manages it can give me the permission View Channel."
    return "Discord refuses a post of mine here: somebody who manages this channel can give me Send Messages."


async def post(interaction: Interaction, shown: Message) -> None:
    """Post for everyone. A nonce of this interaction makes a second try within minutes the same post.

    Raises discord.Forbidden where the channel refuses.
    """
    assert interaction.channel_id is not None
    place = interaction.client.get_partial_messageable(interaction.channel_id, guild_id=interaction.guild_id)
    await again(
        lambda: place.send(
            shown.content,
            embeds=embeds(shown),
            view=Rows(shown.rows),
            nonce=str(interaction.id),
            allowed_mentions=NOBODY,
        )
    )
