"""Files of a reply, handed over where only the one person sees them: in their direct messages with the bot.

A file that is uploaded into a channel is there for all of it, and an answer that one person sees can hold none.
"""

import logging
from dataclasses import replace

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackRequestError

from bot.adapters.slack.outbox import Outbox, code_of
from bot.adapters.slack.render import Frame, message
from bot.adapters.slack.rights import is_direct
from bot.dispatch import with_note
from bot.errors import RefusedError
from bot.message import Reply
from bot.richtext import Paragraph, said

logger = logging.getLogger(__name__)

_REFUSED = frozenset({"missing_scope", "no_permission", "access_denied", "not_allowed_token_type"})


async def handed_over(reply: Reply, person: str, channel: str, outbox: Outbox, *, may: bool) -> Reply:
    """Upload a reply's files for the person; gives the reply with a line that says where they are.

    `channel` is where they asked. `may` is whether the config lets the bot send files; where it does not, and where
    Slack does not take them, the reply's own text stands in, and says so.
    """
    if not reply.attachments or reply.error is not None:
        return reply
    if not may:
        return with_note(_without(reply), "Files are switched off here, so this is the text.")
    names = ", ".join(entry.name for entry in reply.attachments)
    direct = is_direct(channel)
    try:
        place = channel if direct else await _direct_messages(person, names, outbox)
        for entry in reply.attachments:
            await outbox.client.files_upload_v2(channel=place, filename=entry.name, content=entry.content)
    except (SlackApiError, RefusedError) as error:
        code = error.code if isinstance(error, RefusedError) else code_of(error)
        logger.warning("slack: a file could not be handed over: %s", code)
        if code in _REFUSED:
            why = "I may not send files in this workspace (the scope files:write is lacking), so this is the text."
            return with_note(_without(reply), why)
    except (SlackRequestError, ClientError, TimeoutError, OSError) as error:
        logger.warning("slack: a file could not be handed over: %s", type(error).__name__)
    else:
        return with_note(_without(reply), f"{names} is {'below' if direct else 'in your direct messages with me'}.")
    return with_note(_without(reply), "The file could not be sent just now, so this is the text.")


def _without(reply: Reply) -> Reply:
    return replace(reply, attachments=())


async def _direct_messages(person: str, names: str, outbox: Outbox) -> str:
    """Announce files to a person, which opens their direct messages; gives that channel."""
    words = Reply("file", (Paragraph(said(f"What you asked for: {names}")),))
    return await outbox.post(person, message(words, Frame()))
