"""What a person sees of a message: its words, its buttons and menus."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


def words(blocks: list[Json]) -> str:
    """The text of blocks as it is read, a line a block, without buttons."""
    return "\n".join(line for block in blocks for line in _lines(block) if line)


def _lines(block: Json) -> Iterator[str]:
    match block.get("type"):
        case "header" | "section":
            if "text" in block:
                yield block["text"]["text"]
            for field in block.get("fields", []):
                yield field["text"]
        case "context":
            yield " ".join(element.get("text", element.get("alt_text", "")) for element in block["elements"])
        case "rich_text":
            for part in block["elements"]:
                yield from _part(part)
        case "image":
            yield block["alt_text"]
        case "input":
            yield block["label"]["text"]
        case _:
            pass  # dividers have no words, and buttons are read by `elements`


def _part(part: Json) -> Iterator[str]:
    if part["type"] == "rich_text_list":
        for item in part["elements"]:
            yield from (f"• {line}" for line in _part(item))
    else:
        yield "".join(str(run.get("text") or run.get("url") or run.get("user_id") or "") for run in part["elements"])


@dataclass(frozen=True)
class Element:
    """Something to press or choose in."""

    label: str
    action_id: str
    block_id: str
    element: Json


def elements(blocks: list[Json]) -> list[Element]:
    """Everything that can be used, in order. A block without an identifier gets one, as Slack gives it."""
    found: list[Element] = []
    for number, block in enumerate(blocks):
        block_id = block.get("block_id") or f"b{number}"
        if block.get("type") == "actions":
            inside = block["elements"]
        elif block.get("type") == "section" and "accessory" in block:
            inside = [block["accessory"]]
        elif block.get("type") == "input":
            inside = [block["element"]]
        else:
            inside = []
        for element in inside:
            label = (element.get("text") or element.get("placeholder") or {}).get("text", element["type"])
            found.append(Element(label, element["action_id"], block_id, element))
    return found


def buttons(blocks: list[Json]) -> tuple[str, ...]:
    """The words on the buttons."""
    return tuple(one.label for one in elements(blocks) if one.element["type"] == "button")


def links(value: object) -> list[str]:
    """Every address that can be followed."""
    if isinstance(value, list):
        return [one for entry in value for one in links(entry)]
    if isinstance(value, dict):
        own = [value["url"]] if value.get("type") == "link" else []
        return own + [one for entry in value.values() for one in links(entry)]
    return []
