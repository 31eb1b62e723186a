"""What Slack refuses: lengths, counts, uniqueness and types of blocks and views, said here apart from the bot's code.

Three judges, since each sees what the others miss: our own rules, the models of slack_sdk, and JSON schemas where the
shared material is there.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from platforms.slack.schema import misshapen
from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

Json = dict[str, Any]

TOO_LONG = 9_600
"""Characters of block text: Slack took 9,597 and refused 11,341."""

_COUNTED = {"text", "url", "alt_text", "image_url"}
_MESSAGE = {"section", "header", "context", "actions", "divider", "image", "rich_text", "markdown", "video", "table"}
_VIEW = {"section", "header", "context", "actions", "divider", "image", "rich_text", "input"}
_ELEMENTS = {
    "button",
    "overflow",
    "static_select",
    "external_select",
    "checkboxes",
    "plain_text_input",
    "number_input",
    "datepicker",
    "radio_buttons",
}
_INPUTS = {"plain_text_input", "number_input", "checkboxes", "static_select", "external_select", "datepicker"}
_RUNS = {"text", "link", "user", "channel", "usergroup", "broadcast", "emoji", "date", "team", "color"}


def weight(value: object) -> int:
    """The characters that count towards the length of a message."""
    if isinstance(value, list):
        return sum(weight(entry) for entry in value)
    if isinstance(value, dict):
        return sum(
            len(entry) if isinstance(entry, str) and key in _COUNTED else weight(entry) for key, entry in value.items()
        )
    return 0


def message_problems(blocks: object) -> list[str]:
    """What is wrong with the blocks of a message; `msg_blocks_too_long` is one of the answers."""
    if not isinstance(blocks, list):
        return ["blocks is no list"]
    found = [*_common(blocks, 50, _MESSAGE)]
    if weight(blocks) > TOO_LONG:
        found.append("msg_blocks_too_long")
    return found


def view_problems(view: object) -> list[str]:
    """What is wrong with a modal or a home."""
    if not isinstance(view, dict):
        return ["view is no object"]
    blocks = view.get("blocks")
    if not isinstance(blocks, list):
        return ["view without blocks"]
    # the schema sees each block in _common, and the rest of the view around a stand-in here
    found = [*_common(blocks, 100, _VIEW), *misshapen({**view, "blocks": [{"type": "divider"}]}, "View")]
    match view.get("type"):
        case "modal":
            for name in ("title", "submit", "close"):
                if name in view or name == "title":
                    found.extend(_text(view.get(name), f"view.{name}", 24, "plain_text"))
            if (
                any(block.get("type") == "input" for block in blocks if isinstance(block, dict))
                and "submit" not in view
            ):
                found.append("a modal with inputs needs submit")
        case "home":
            found.extend(f"a home has no {name}" for name in ("title", "submit", "close") if name in view)
        case other:
            found.append(f"view of type {other!r}")
    for name, most in (("callback_id", 255), ("private_metadata", 3_000)):
        if len(str(view.get(name, ""))) > most:
            found.append(f"{name} is longer than {most}")
    return found


def _common(blocks: list[Any], most: int, known: set[str]) -> Iterator[str]:
    if not blocks:
        yield "no blocks"
    if len(blocks) > most:
        yield f"{len(blocks)} blocks, more than {most}"
    block_ids = [block["block_id"] for block in blocks if isinstance(block, dict) and "block_id" in block]
    if len(set(map(str, block_ids))) != len(block_ids):
        yield "a block_id occurs twice"
    action_ids = [str(one) for one in _values(blocks, "action_id")]
    if len(set(action_ids)) != len(action_ids):
        yield "an action_id occurs twice"
    for name, ids in (("block_id", block_ids), ("action_id", action_ids)):
        yield from (f"{name} of {len(str(one))} characters" for one in ids if not 1 <= len(str(one)) <= 255)
    for place, block in enumerate(blocks):
        where = f"blocks[{place}]"
        if not isinstance(block, dict) or block.get("type") not in known:
            yield f"{where} is of unknown type {block.get('type') if isinstance(block, dict) else block!r}"
            continue
        yield from (f"{where}{problem}" for problem in _judged(json.dumps(block)))


@lru_cache(maxsize=4_096)
def _judged(text: str) -> tuple[str, ...]:
    """What is wrong with one block: the same block stands in many messages."""
    block = json.loads(text)
    return (*_block(block, ""), *_model(block, ""), *(f": {problem}" for problem in misshapen(block)))


def _values(value: object, key: str) -> Iterator[object]:
    if isinstance(value, list):
        for entry in value:
            yield from _values(entry, key)
    elif isinstance(value, dict):
        for name, entry in value.items():
            if name == key:
                yield entry
            else:
                yield from _values(entry, key)


def _model(block: Json, where: str) -> Iterator[str]:
    try:
        parsed = Block.parse(block)
        if parsed is None:
            yield f"{where}: slack_sdk knows no such block"
        else:
            parsed.to_dict()
    except (SlackObjectFormationError, TypeError, AttributeError, ValueError) as error:
        yield f"{where}: slack_sdk: {error}"


def _block(block: Json, where: str) -> Iterator[str]:
    match block["type"]:
        case "section":
            if "text" in block:
                yield from _text(block["text"], f"{where}.text", 3_000)
            elif not block.get("fields"):
                yield f"{where} has neither text nor fields"
            fields = block.get("fields", [])
            if len(fields) > 10:
                yield f"{where} has more than 10 fields"
            for number, field in enumerate(fields):
                yield from _text(field, f"{where}.fields[{number}]", 2_000)
            if "accessory" in block:
                yield from _element(block["accessory"], f"{where}.accessory")
        case "header":
            yield from _text(block.get("text"), f"{where}.text", 150, "plain_text")
        case "context":
            elements = block.get("elements", [])
            if not 1 <= len(elements) <= 10:
                yield f"{where} has {len(elements)} elements"
            for number, element in enumerate(elements):
                if isinstance(element, dict) and element.get("type") == "image":
                    yield from _image(element, f"{where}[{number}]")
                else:
                    yield from _text(element, f"{where}[{number}]", 3_000)
        case "actions":
            elements = block.get("elements", [])
            if not 1 <= len(elements) <= 25:
                yield f"{where} has {len(elements)} elements"
            for number, element in enumerate(elements):
                yield from _element(element, f"{where}[{number}]")
        case "image":
            yield from _image(block, where)
        case "input":
            yield from _text(block.get("label"), f"{where}.label", 2_000, "plain_text")
            if "hint" in block:
                yield from _text(block["hint"], f"{where}.hint", 2_000, "plain_text")
            element = block.get("element")
            if not isinstance(element, dict) or element.get("type") not in _INPUTS:
                yield f"{where} holds no input"
            else:
                yield from _element(element, f"{where}.element")
        case "rich_text":
            yield from _rich(block.get("elements"), where)
        case "markdown":
            if len(str(block.get("text", ""))) > 12_000:
                yield f"{where} is longer than 12000"
        case _:
            pass  # a divider has nothing that could be wrong; types that do not belong here are found by `_common`


def _rich(parts: object, where: str) -> Iterator[str]:
    if not isinstance(parts, list) or not parts:
        yield f"{where} is an empty rich text"
        return
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        inside = part.get("elements") if isinstance(part, dict) else None
        if not inside:
            yield f"{where} has an empty {kind}"
        elif kind == "rich_text_list":
            yield from _rich(inside, where)
        elif kind in {"rich_text_section", "rich_text_quote", "rich_text_preformatted"}:
            for run in inside:
                if run.get("type") not in _RUNS:
                    yield f"{where} has a run of type {run.get('type')}"
                if run.get("type") == "text" and not run.get("text"):
                    yield f"{where} has an empty run"
                if run.get("type") == "link":
                    yield from _url(run.get("url"), where)
                    if "text" in run and not run["text"]:
                        yield f"{where} has a link without words"
                if "style" in run and not run["style"]:
                    yield f"{where} has an empty style"
        else:
            yield f"{where} has a part of type {kind}"


def _text(text: object, where: str, most: int, only: str | None = None) -> Iterator[str]:
    if not isinstance(text, dict) or text.get("type") not in {"plain_text", "mrkdwn"}:
        yield f"{where} is no text object"
        return
    if only and text["type"] != only:
        yield f"{where} must be {only}"
    if text["type"] == "mrkdwn" and "emoji" in text:
        yield f"{where}: mrkdwn takes no emoji"
    if text["type"] == "plain_text" and "verbatim" in text:
        yield f"{where}: plain_text takes no verbatim"
    words = text.get("text")
    if not isinstance(words, str) or not words.strip():
        yield f"{where} is empty"
    elif len(words) > most:
        yield f"{where} has {len(words)} characters, more than {most}"


def _image(image: Json, where: str) -> Iterator[str]:
    alt = image.get("alt_text")
    if not isinstance(alt, str) or not 1 <= len(alt) <= 2_000:
        yield f"{where}: alt_text"
    yield from _url(image.get("image_url"), where)


def _url(url: object, where: str) -> Iterator[str]:
    if not isinstance(url, str) or not url.startswith(("http://", "https://")) or len(url) > 3_000 or " " in url:
        yield f"{where}: {str(url)[:40]!r} is no address"


def _element(element: object, where: str) -> Iterator[str]:
    kind = element.get("type") if isinstance(element, dict) else None
    if not isinstance(element, dict) or kind not in _ELEMENTS:
        yield f"{where} is of unknown type {kind}"
        return
    if "action_id" not in element:
        yield f"{where} has no action_id"
    if "placeholder" in element:
        yield from _text(element["placeholder"], f"{where}.placeholder", 150, "plain_text")
    match kind:
        case "button":
            yield from _text(element.get("text"), f"{where}.text", 75, "plain_text")
            if len(element.get("value", "")) > 2_000:
                yield f"{where}: value is longer than 2000"
            if "url" in element:
                yield from _url(element["url"], where)
            if element.get("style", "primary") not in {"primary", "danger"}:
                yield f"{where}: style"
            if len(element.get("accessibility_label", "")) > 75:
                yield f"{where}: accessibility_label"
        case "overflow":
            yield from _options(element.get("options"), where, 5)
        case "static_select":
            if "option_groups" not in element:
                yield from _options(element.get("options"), where, 100)
        case "checkboxes" | "radio_buttons":
            yield from _options(element.get("options"), where, 10)
        case "plain_text_input":
            if not 1 <= element.get("max_length", 1) <= 3_000:
                yield f"{where}: max_length"
        case "number_input":
            if "is_decimal_allowed" not in element:
                yield f"{where}: is_decimal_allowed"
        case _:
            pass  # the others have nothing of their own


def _options(options: object, where: str, most: int) -> Iterator[str]:
    if not isinstance(options, list) or not 1 <= len(options) <= most:
        yield f"{where}: between 1 and {most} options"
        return
    yield from option_problems(options, where)


def option_problems(options: list[Json], where: str = "options") -> Iterator[str]:
    """What is wrong with the choices of a menu, also with those that a bot suggests."""
    if len(options) > 100:
        yield f"{where}: more than 100 options"
    values = [str(option.get("value")) for option in options]
    if len(set(values)) != len(values):
        yield f"{where}: a value occurs twice"
    for number, option in enumerate(options):
        yield from _text(option.get("text"), f"{where}[{number}]", 75)
        if not 1 <= len(str(option.get("value", ""))) <= 150:
            yield f"{where}[{number}]: value"
