"""The handlers on a Bolt app: one set, whether requests come over a socket or HTTP.

Each acknowledges at once, then answers inside the gate. Nothing raises after an acknowledgement: within some ten
milliseconds Bolt would take it back.
"""

import logging
import re
from dataclasses import dataclass

from aiohttp import ClientSession
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.asking import Asking
from bot.adapters.slack.elements import Json
from bot.adapters.slack.gate import Asked, Gate, note
from bot.adapters.slack.inbound import ENVELOPE, INTERACTION, SLASH, TYPING
from bot.adapters.slack.manifest import RELATED
from bot.adapters.slack.outbox import Outbox
from bot.adapters.slack.pressing import Pressing, forgotten, unknown
from bot.adapters.slack.render import FILTERS, MORE, PAPER, PRESS, Frame
from bot.adapters.slack.section import SlackSection
from bot.adapters.slack.suggest import Suggestions
from bot.adapters.slack.views import OPTION
from bot.commands.base import Kind

logger = logging.getLogger(__name__)

_ANYTHING = re.compile(".*", re.DOTALL)
_OURS = re.compile(rf"(?:{PRESS}|{PAPER}|{MORE}|{FILTERS})(?:\..*)?")


@dataclass(frozen=True, slots=True)
class Handlers:
    """Everything that Slack can ask, and who answers it."""

    asking: Asking
    pressing: Pressing
    suggestions: Suggestions
    gate: Gate
    session: ClientSession
    library_logger: logging.Logger

    def register(self, app: AsyncApp, section: SlackSection) -> None:
        """Put the handlers on an app; what the section switches off is left out."""
        app.command(section.slash)(self._slash)
        if section.mentions:
            app.event("app_mention")(self._mention)
        if section.direct_messages:
            app.event("message")(self._message)
        if section.home:
            app.event("app_home_opened")(self._home)
        if section.shortcut:
            app.shortcut(RELATED)(self._shortcut)
        app.action(_OURS)(self._pressed)
        app.options(_ANYTHING)(self._typing)
        app.view(FILTERS)(self._submitted)
        # what an earlier or a later version knew, or nobody does: acknowledged, and told where there is somebody
        app.command(_ANYTHING)(self._unknown)
        app.shortcut(_ANYTHING)(self._unknown)
        app.action(_ANYTHING)(self._unknown)
        app.view(_ANYTHING)(self._unknown_view)
        app.event(_ANYTHING)(self._ignored)

    def _outbox(self, client: AsyncWebClient) -> Outbox:
        return Outbox(client, self.session, self.library_logger)

    async def _slash(self, ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        await ack()
        outbox = self._outbox(client)
        await self.gate.run(
            "slash command", lambda asked: self.asking.slash(asked, SLASH.validate_python(body), outbox)
        )

    async def _mention(self, body: Json, client: AsyncWebClient) -> None:
        outbox = self._outbox(client)
        await self.gate.run("mention", lambda asked: self.asking.mention(asked, ENVELOPE.validate_python(body), outbox))

    async def _message(self, body: Json, client: AsyncWebClient) -> None:
        outbox = self._outbox(client)
        await self.gate.run("message", lambda asked: self.asking.direct(asked, ENVELOPE.validate_python(body), outbox))

    async def _home(self, body: Json, client: AsyncWebClient) -> None:
        outbox = self._outbox(client)
        await self.gate.run("home", lambda _: self.asking.opened_home(ENVELOPE.validate_python(body), outbox))

    async def _shortcut(self, ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        await ack()
        outbox = self._outbox(client)
        await self.gate.run(
            "shortcut", lambda asked: self.asking.shortcut(asked, INTERACTION.validate_python(body), outbox)
        )

    async def _pressed(self, ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        await ack()
        outbox = self._outbox(client)
        await self.gate.run(
            "button", lambda asked: self.pressing.pressed(asked, INTERACTION.validate_python(body), outbox)
        )

    async def _submitted(self, ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        outbox = self._outbox(client)
        await self.gate.run(
            "form", lambda asked: self.pressing.submit(asked, INTERACTION.validate_python(body), outbox, ack)
        )
        if ack.response is None:
            await ack()  # it failed before, and said so

    async def _typing(self, ack: AsyncAck, body: Json) -> None:
        await ack(options=self._options(body))

    def _options(self, body: Json) -> list[Json]:
        """Choices for what is typed in a menu; none where anything is wrong, since a menu has no place for words."""
        try:
            typing = TYPING.validate_python(body)
            if typing.action_id.startswith(PAPER):
                return self.suggestions.papers(typing.value)
            if typing.action_id.startswith(OPTION):
                kind = Kind(typing.action_id.partition(".")[2])
                return self.suggestions.papers(typing.value) if kind is Kind.PAPER else self._names(kind, typing.value)
        except Exception as error:  # noqa: BLE001 - the boundary, as the gate is elsewhere
            logger.error("slack: no choices for a menu: %s", type(error).__name__)  # noqa: TRY400 - not what was typed
        return []

    def _names(self, kind: Kind, typed: str) -> list[Json]:
        return self.suggestions.names(kind, typed)

    async def _unknown(self, ack: AsyncAck, body: Json, client: AsyncWebClient) -> None:
        await ack()
        outbox = self._outbox(client)

        async def tell(asked: Asked) -> None:
            if body.get("type") is None:
                logger.warning("slack: a slash command arrived that is not `slack.command`")
                return
            interaction = INTERACTION.validate_python(body)
            if await self.gate.first(interaction.workspace, interaction.trigger_id):
                asked.place = unknown(interaction, outbox)
                await asked.place.show(note(forgotten()[0]), Frame())

        await self.gate.run("unknown element", tell)

    async def _unknown_view(self, ack: AsyncAck) -> None:
        await ack(response_action="update", view=forgotten()[1])

    async def _ignored(self) -> None:
        """Acknowledged, and nothing more: Slack would send it again."""
