"""The JSON schemas of Slack's own types, where the shared material is there; without it nothing is said."""

import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft7Validator
from jsonschema.protocols import Validator
from shared import shared_path

_FREE = {"text", "value", "url", "alt_text", "image_url", "block_id", "action_id", "name", "private_metadata"}
"""What the schemas say nothing about but that it is text."""

_DEFINITIONS = {
    "section": "SectionBlock",
    "header": "HeaderBlock",
    "context": "ContextBlock",
    "actions": "ActionsBlock",
    "divider": "DividerBlock",
    "image": "ImageBlock",
    "input": "InputBlock",
    "rich_text": "RichTextBlock",
    "markdown": "MarkdownBlock",
}

_seen: dict[str, list[str]] = {}


@cache
def _validator(name: str) -> Validator | None:
    file = "slack-view" if name == "View" else "slack-known-block"
    try:
        path = shared_path(f"specs/{file}.schema.json")
    except pytest.skip.Exception:
        return None
    document = json.loads(path.read_text())
    return Draft7Validator({"$ref": f"#/definitions/{name}", "definitions": document["definitions"]})


def misshapen(value: dict[str, Any], name: str = "") -> list[str]:
    """What the schema says is wrong: with a block, or with the definition of this name.

    The schemas judge types and names, not lengths, so that two values of one shape are judged once.
    """
    known = name or _DEFINITIONS.get(str(value.get("type")), "KnownBlock")
    validator = _validator(known)
    if validator is None:
        return []
    shape = known + json.dumps(_shape(value), sort_keys=True)
    if shape not in _seen:
        _seen[shape] = [f"schema: {error.json_path}: {error.message[:120]}" for error in validator.iter_errors(value)]
    return _seen[shape]


def _shape(value: object, key: str = "") -> object:
    if isinstance(value, dict):
        return {name: _shape(entry, name) for name, entry in value.items()}
    if isinstance(value, list):  # each entry is judged alone, so that one of a shape is enough
        return list({json.dumps(shape, sort_keys=True): shape for shape in map(_shape, value)}.values())
    return "" if isinstance(value, str) and key in _FREE else value
