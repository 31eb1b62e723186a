"""Views: the modal that shows an answer, the modal that searches with filters, the home."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from bot.adapters.slack.blocks import FILTERS, Json, SlackChrome, blocks, option, plain_text
from bot.adapters.slack.payloads import State, StateValue
from bot.commands.base import Command, Kind, Parameter
from bot.message import Call, Reply, Value
from bot.text import cut

OPTION = "option"
"""What the identifiers of menus begin with that find topics and venues; the kind follows."""

_TITLE = "Paperboy"
_LONGEST_QUERY = 500
_YES = "yes"


def dialog(reply: Reply, frame: SlackChrome) -> Json:
    """A modal that shows a reply."""
    return _modal("answer", blocks(reply, frame))


def plain_dialog(reply: Reply) -> Json:
    """The same with the words alone, for when Slack refuses the blocks."""
    return _modal("answer", [{"type": "section", "text": plain_text(reply.text, 2_900)}])


def waiting() -> Json:
    """What the search modal shows until the hits are there."""
    return _modal("answer", [{"type": "context", "elements": [plain_text("Searching…", 100)]}])


def _modal(callback: str, parts: list[Json]) -> Json:
    return {
        "type": "modal",
        "callback_id": callback,
        "title": plain_text(_TITLE, 24),
        "close": plain_text("Close", 24),
        "blocks": parts,
    }


def home(parts: Sequence[tuple[Reply, SlackChrome]]) -> Json:
    """A home of several replies, one under the other."""
    shown: list[Json] = []
    for number, (reply, frame) in enumerate(parts):
        if shown:
            shown.append({"type": "divider"})
        shown.extend(blocks(reply, frame, f"part{number}"))
    return {"type": "home", "blocks": shown[:100]}


def plain_home(parts: Sequence[tuple[Reply, SlackChrome]]) -> Json:
    """The same with the words alone."""
    words = "\n\n".join(reply.text for reply, _ in parts)
    return {"type": "home", "blocks": [{"type": "section", "text": plain_text(words, 2_900)}]}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the search modal was opened: the answer goes there. Empty for the home."""

    url: str = ""
    channel: str = ""
    thread: str | None = None

    def to_text(self) -> str:
        """For the modal's own memory, which has 3,000 characters."""
        return json.dumps([self.url, self.channel, self.thread or ""])

    @classmethod
    def from_text(cls, text: str) -> "Origin":
        """The origin of a modal; empty where it says nothing that we wrote."""
        try:
            url, channel, thread = json.loads(text)
        except (ValueError, TypeError):
            return cls()
        return cls(str(url), str(channel), str(thread) or None)


def search_form(command: Command, origin: Origin) -> Json:
    """The modal "Search with filters": one field for each parameter of the search that is not its page."""
    return {
        **_modal(FILTERS, [_field(parameter) for parameter in asked(command)]),
        "title": plain_text("Search with filters", 24),
        "submit": plain_text("Search", 24),
        "close": plain_text("Cancel", 24),
        "private_metadata": origin.to_text(),
    }


def asked(command: Command) -> list[Parameter]:
    """The parameters that a form asks for: those typed as words, and those that only a platform's options have."""
    return [parameter for parameter in command.parameters if parameter.options_only or not parameter.keyword]


def _field(parameter: Parameter) -> Json:
    # a box to tick says it beside itself
    hint: Json = {} if parameter.kind is Kind.FLAG else {"hint": plain_text(parameter.summary, 200)}
    return {
        "type": "input",
        "block_id": parameter.name,
        "optional": not parameter.required,
        "label": plain_text(parameter.name.capitalize(), 100),
        **hint,
        "element": _element(parameter),
    }


def _element(parameter: Parameter) -> Json:
    named = f"value.{parameter.name}"
    match parameter.kind:
        case Kind.TEXT | Kind.COMMAND:
            own: Json = {"type": "plain_text_input", "action_id": named, "max_length": _LONGEST_QUERY}
            return {**own, "focus_on_load": True} if parameter.kind is Kind.TEXT else own
        case Kind.PAPER | Kind.TOPIC | Kind.VENUE:
            action = f"{OPTION}.{parameter.kind.value}"
            choose = plain_text(f"Any {parameter.kind.value}", 100)
            return {"type": "external_select", "action_id": action, "min_query_length": 0, "placeholder": choose}
        case Kind.INTEGER:
            limits = {"min_value": parameter.minimum, "max_value": parameter.maximum}
            given = {name: str(value) for name, value in limits.items() if value is not None}
            return {"type": "number_input", "action_id": named, "is_decimal_allowed": False, **given}
        case Kind.FLAG:
            return {"type": "checkboxes", "action_id": named, "options": [option(parameter.summary, _YES)]}


def submitted(command: Command, state: State) -> tuple[Call, dict[str, str]]:
    """The call that a submitted form means, and what is wrong with it by field."""
    arguments: dict[str, Value] = {}
    wrong: dict[str, str] = {}
    for parameter in asked(command):
        given = next(iter(state.values.get(parameter.name, {}).values()), StateValue())
        chosen = given.selected_option.value if given.selected_option else given.value
        if parameter.kind is Kind.FLAG:
            if given.selected_options:
                arguments[parameter.name] = True
        elif not chosen or not chosen.strip():
            continue
        elif parameter.kind is Kind.INTEGER:
            number = chosen.strip()
            if number.isascii() and number.isdigit() and len(number) <= 9:
                arguments[parameter.name] = int(number)
            else:
                wrong[parameter.name] = "A whole number, please."
        else:
            arguments[parameter.name] = cut(chosen.strip(), _LONGEST_QUERY)
    if not arguments and not wrong:
        first = next(iter(asked(command)))
        wrong[first.name] = "Type some words, or choose a filter."
    return Call(command.path, arguments), wrong
