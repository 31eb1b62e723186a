"""Request bodies against Discord's published OpenAPI document, where the shared material has it."""

import json
import re
from functools import cache
from typing import Any

import jsonschema
import pytest
from jsonschema.protocols import Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from shared import shared_path


@cache
def _document() -> dict[str, Any] | None:
    try:
        path = shared_path("specs/discord-openapi.json")
    except pytest.skip.Exception:  # then the double's own rules have to do
        return None
    return dict(json.loads(path.read_text(encoding="utf-8")))


@cache
def _routes() -> list[tuple[re.Pattern[str], str]]:
    paths = sorted((_document() or {"paths": {}})["paths"], key=lambda path: path.count("{"))
    return [(re.compile(re.sub(r"\\\{[^}]+\\\}", "[^/]+", re.escape(path))), path) for path in paths]


@cache
def _validator(method: str, path: str) -> Validator | None:
    document = _document()
    assert document is not None
    body = document["paths"][path][method].get("requestBody")
    if body is None:
        return None
    kind = "application/json" if "application/json" in body["content"] else next(iter(body["content"]))
    steps = ("paths", path, method, "requestBody", "content", kind, "schema")
    pointer = "/".join(step.replace("~", "~0").replace("/", "~1") for step in steps)
    registry = Registry().with_resource("urn:discord", Resource.from_contents(document, DRAFT202012))
    return jsonschema.Draft202012Validator({"$ref": f"urn:discord#/{pointer}"}, registry=registry)


def _number_of_file(error: jsonschema.ValidationError) -> bool:
    """New files are numbered from 0, which Discord takes as a number too, as discord.py sends it."""
    path = list(error.absolute_path)
    return len(path) == 3 and path[0] == "attachments" and path[2] == "id" and isinstance(error.instance, int)


def available() -> bool:
    return _document() is not None


def faults(method: str, path: str, body: Any) -> list[str]:
    """What the document says against a body; nothing where the document is absent."""
    document = _document()
    if document is None:
        return []
    for pattern, known in _routes():
        if pattern.fullmatch(path) and method.lower() in document["paths"][known]:
            validator = _validator(method.lower(), known)
            if validator is None:
                return [] if body is None else [f"{method} {known} takes no body"]
            return [
                f"{'.'.join(map(str, error.absolute_path))}: {error.message[:160]}"
                for error in validator.iter_errors(body)
                if not _number_of_file(error)
            ]
    return [f"no operation {method} {path}"]
