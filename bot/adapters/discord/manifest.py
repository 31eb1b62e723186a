"""What the operator needs to bring the bot into a server: the invite link, and the commands that are registered.

Discord has no manifest file: an application is invited by a link that names scopes and permissions, and commands are
registered by the bot itself.
"""

import json

from bot.adapters.discord.section import application_id, section_of
from bot.commands.base import CommandSet
from bot.config import Settings

SCOPES = ("bot", "applications.commands")

VIEW_CHANNEL, SEND_MESSAGES, EMBED_LINKS, SEND_IN_THREADS = 1 << 10, 1 << 11, 1 << 14, 1 << 38
READ_HISTORY, CREATE_THREADS = 1 << 16, 1 << 35
"""Bits of Discord's permissions. Answers that one person sees need none; posts for everyone need the first row, and
digests the second too: to find a post whose answer was lost, and to begin a thread under one."""

_NO_ID = "APPLICATION_ID"


def permissions(settings: Settings) -> int:
    """The least permissions for the chosen features, as Discord's bit field."""
    section = section_of(settings)
    if not section.share and not section.digests:
        return 0
    needed = VIEW_CHANNEL | SEND_MESSAGES | EMBED_LINKS | SEND_IN_THREADS
    return needed | READ_HISTORY | CREATE_THREADS if section.digests else needed


def invite(settings: Settings, application: int | None = None) -> str:
    """The link that invites the bot; complete with the token set, or the application's id."""
    client = application or application_id(settings) or _NO_ID
    scopes = "+".join(SCOPES)
    bits = permissions(settings)
    return f"https://discord.com/oauth2/authorize?client_id={client}&scope={scopes}&permissions={bits}"


def manifest(settings: Settings, commands: CommandSet) -> str:
    """The invite link, where the commands are registered, and their definition as JSON."""
    # imported late: what only looks at the link needs no discord.py
    from bot.adapters.discord.registration import definition  # noqa: PLC0415

    # imported late: what only looks at the link needs no discord.py

    link = invite(settings)
    guilds = section_of(settings).guilds
    where = f"the servers {', '.join(map(str, guilds))}" if guilds else "every server, and direct messages"
    lines = [f"Invite link: {link}"]
    if _NO_ID in link:
        lines.append(
            f"{_NO_ID} is on the page General Information of your application, and read from a token that is set."
        )
    lines += [f"Commands, registered in {where} when the bot starts and they have changed:"]
    return (
        "\n".join(
            [*lines, json.dumps([definition(commands.at(section_of(settings).offers))], indent=2, ensure_ascii=False)]
        )
        + "\n"
    )
