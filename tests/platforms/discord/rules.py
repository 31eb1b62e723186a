"""What Discord refuses in a message or a command, said as faults. Lengths in UTF-16 units: the stricter count."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]

_URL = re.compile(r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:[/?#][^\s<>\"\\^`{|}]*)?", re.IGNORECASE)
_NAME = re.compile(r"[-_'\w]{1,32}")
_STYLES = {1, 2, 3, 4}


def size(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _long(value: object, limit: int, what: str, least: int = 0) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{what}: not text"
    elif not least <= size(value.strip() if least else value) or size(value) > limit:
        yield f"{what}: must be between {least} and {limit} in length"


def message_faults(body: Json, *, edit: bool = False, files: int = 0) -> list[str]:
    """Faults of a message to post; an edit may leave things as they are, so only an empty whole is refused."""
    found: list[str] = []
    content, embeds, components = body.get("content"), body.get("embeds") or [], body.get("components") or []
    if content is not None:
        found += _long(content, 2_000, "content")
    if len(embeds) > 10:
        found.append("embeds: at most 10")
    for place, embed in enumerate(embeds):
        found += _embed(embed, f"embeds.{place}")
    if sum(map(_embed_size, embeds)) > 6_000:
        found.append("embeds: at most 6000 characters in all")
    found += _components(components)
    nonce = body.get("nonce")
    if nonce is not None and len(str(nonce)) > 25:
        found.append("nonce: at most 25 characters")
    if not edit and not (content or embeds or components or files):
        found.append("empty message")
    mentions = body.get("allowed_mentions")
    if mentions is not None:
        for kind in ("users", "roles"):
            if len(mentions.get(kind, [])) > 100 or (mentions.get(kind) and kind in mentions.get("parse", [])):
                found.append(f"allowed_mentions.{kind}: excludes the other")
    return found


def _embed_size(embed: Json) -> int:
    fields = embed.get("fields") or []
    texts = [embed.get("title"), embed.get("description"), (embed.get("footer") or {}).get("text")]
    texts += [(embed.get("author") or {}).get("name"), *(part for entry in fields for part in entry.values())]
    return sum(size(text) for text in texts if isinstance(text, str))


def _embed(embed: Json, at: str) -> Iterator[str]:
    texts = ("title", "description", "image", "thumbnail", "fields", "footer", "author")
    if not any(embed.get(name) for name in texts):
        yield f"{at}: empty"
    for name, limit in (("title", 256), ("description", 4_096)):
        if embed.get(name) is not None:
            yield from _long(embed[name], limit, f"{at}.{name}")
    if embed.get("url") is not None and not _URL.fullmatch(str(embed["url"])):
        yield f"{at}.url: not a well formed URL"
    fields = embed.get("fields") or []
    if len(fields) > 25:
        yield f"{at}.fields: at most 25"
    for place, entry in enumerate(fields):
        yield from _long(entry.get("name"), 256, f"{at}.fields.{place}.name", 1)
        yield from _long(entry.get("value"), 1_024, f"{at}.fields.{place}.value", 1)
    if embed.get("footer"):
        yield from _long(embed["footer"].get("text"), 2_048, f"{at}.footer.text", 1)
    if embed.get("author"):
        yield from _long(embed["author"].get("name"), 256, f"{at}.author.name", 1)


def _components(rows: Sequence[Json]) -> Iterator[str]:
    if len(rows) > 5:
        yield "components: at most 5 rows"
    seen: list[str] = []
    for place, row in enumerate(rows):
        at = f"components.{place}"
        inside = row.get("components") or []
        if row.get("type") != 1:
            yield f"{at}: not a row"
        kinds = [element.get("type") for element in inside]
        if not inside or (set(kinds) == {2} and len(kinds) > 5) or (3 in kinds and len(kinds) > 1):
            yield f"{at}: 1 to 5 buttons, or one menu"
        for element in inside:
            if element.get("type") == 2:
                yield from _button(element, at)
            elif element.get("type") == 3:
                yield from _menu(element, at)
            else:
                yield f"{at}: unknown component"
            if element.get("custom_id") is not None:
                seen.append(element["custom_id"])
    if len(seen) != len(set(seen)):
        yield "components: custom_id cannot be duplicated"


def _button(button: Json, at: str) -> Iterator[str]:
    yield from _long(button.get("label"), 80, f"{at}.label", 1)
    style = button.get("style")
    if style in _STYLES:
        yield from _long(button.get("custom_id"), 100, f"{at}.custom_id", 1)
    elif style == 5:
        if not _URL.fullmatch(str(button.get("url"))) or size(str(button.get("url"))) > 512:
            yield f"{at}.url: not a well formed URL"
    else:
        yield f"{at}.style: unknown"


def _menu(menu: Json, at: str) -> Iterator[str]:
    yield from _long(menu.get("custom_id"), 100, f"{at}.custom_id", 1)
    if menu.get("placeholder") is not None:
        yield from _long(menu["placeholder"], 150, f"{at}.placeholder")
    options = menu.get("options") or []
    if not 1 <= len(options) <= 25:
        yield f"{at}.options: 1 to 25"
    for option in options:
        yield from _long(option.get("label"), 100, f"{at}.options.label", 1)
        yield from _long(option.get("value"), 100, f"{at}.options.value", 1)
        if option.get("description") is not None:
            yield from _long(option["description"], 100, f"{at}.options.description", 1)
    values = [option.get("value") for option in options]
    if len(values) != len(set(values)):
        yield f"{at}.options: value cannot be duplicated"


def choice_faults(choices: Sequence[Json]) -> list[str]:
    """Faults of the answer to an autocomplete."""
    found = ["choices: at most 25"] if len(choices) > 25 else []
    for choice in choices:
        found += _long(choice.get("name"), 100, "choices.name", 1)
        if isinstance(choice.get("value"), str):
            found += _long(choice["value"], 100, "choices.value", 1)
    return found


def command_faults(commands: Sequence[Json]) -> list[str]:
    """Faults of the commands to register."""
    found = ["commands: at most 100"] if len(commands) > 100 else []
    names = [command.get("name") for command in commands]
    if len(names) != len(set(names)):
        found.append("commands: names must be unique")
    for command in commands:
        found += _level(command, str(command.get("name")), 0)
        if characters(command) > 8_000:
            found.append(f"{command.get('name')}: at most 8000 characters in all")
    return found


def characters(node: Json) -> int:
    """What counts toward 8,000: names, descriptions and choices' names and values, all the way down."""
    own = size(str(node.get("name", ""))) + size(str(node.get("description", "")))
    own += sum(size(str(choice["name"])) + size(str(choice["value"])) for choice in node.get("choices") or [])
    return own + sum(characters(option) for option in node.get("options") or [])


def _level(node: Json, at: str, depth: int) -> Iterator[str]:
    if not _NAME.fullmatch(str(node.get("name"))) or str(node.get("name")) != str(node.get("name")).lower():
        yield f"{at}: a name is 1 to 32 lower-case letters, digits, - and _"
    yield from _long(node.get("description"), 100, f"{at}.description", 1)
    options = node.get("options") or []
    if len(options) > 25:
        yield f"{at}: at most 25 options"
    if len(node.get("choices") or []) > 25:
        yield f"{at}: at most 25 choices"
    names = [option.get("name") for option in options]
    if len(names) != len(set(names)):
        yield f"{at}: option names must be unique"
    branches = [option.get("type") in {1, 2} for option in options]
    if any(branches) and not all(branches):
        yield f"{at}: subcommands and options cannot be mixed"
    if depth == 1 and node.get("type") == 2 and any(option.get("type") == 2 for option in options):
        yield f"{at}: groups cannot hold groups"
    leaf = [option for option in options if option.get("type") not in {1, 2}]
    required = [bool(option.get("required")) for option in leaf]
    if required != sorted(required, reverse=True):
        yield f"{at}: required options come first"
    for option in options:
        if option.get("autocomplete") and (option.get("choices") or option.get("type") not in {3, 4, 10}):
            yield f"{at}.{option.get('name')}: autocomplete is for text and numbers without choices"
        yield from _level(option, f"{at}.{option.get('name')}", depth + 1)
