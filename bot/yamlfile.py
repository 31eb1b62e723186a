"""YAML as data: bounded, without surprises, and with the line of every value.

PyYAML's safe loader stops tags, but not alias bombs, duplicate keys or very deep nesting, and it reads `10:30`
as the number 630 and the key `on` as true. This reader refuses the first three by name and keeps times and keys as
text.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import yaml

from bot.errors import Fault

MAX_BYTES = 4_000_000
MAX_DEPTH = 20

Path = tuple[str | int, ...]


class _Loader(yaml.SafeLoader):
    """A safe loader whose numbers are never sexagesimal (YAML 1.1 reads `9:30` as 570)."""


_TEXT = "tag:yaml.org,2002:str"
_SEXAGESIMAL = "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _SEXAGESIMAL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int",
    re.compile(r"^[-+]?(?:0|[1-9][0-9]*|0o[0-7]+|0x[0-9a-fA-F]+)$"),
    list("-+0123456789"),
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)


class YamlFault(Exception):  # noqa: N818 - it carries a Fault, and is always caught beside its cause
    """The text is not YAML that we read; `fault` says where and why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """The value of a YAML text, and the line (from 1) on which each key or item starts."""

    value: object
    """Whoever reads it passes it through a pydantic model first."""
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """The line of a path, or of the nearest thing around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(text: str, file: str, *, first_line: int = 1) -> YamlDocument:
    """Parse one YAML document. `first_line` is where the text starts within its file.

    Raises YamlFault: not YAML, over MAX_BYTES or MAX_DEPTH, an alias, or a key that stands twice.
    """
    if len(text) > MAX_BYTES:
        raise YamlFault(Fault(file, 0, f"larger than {MAX_BYTES:,} characters: split it"))
    lines: dict[Path, int] = {}
    try:
        _check_events(text, file, first_line)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return YamlDocument(None, {})
            _note_lines(node, (), lines, file, first_line)
            value = loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + first_line if mark else 0
        above = text.splitlines()[max(0, line - first_line - 1) : line - first_line + 1]
        comment = " (a # after a space starts a comment: quote a value that has one)" if _cut_open(above) else ""
        raise YamlFault(Fault(file, line, f"not valid YAML: {error.problem or error.context}{comment}")) from error
    except (yaml.YAMLError, ValueError) as error:
        raise YamlFault(Fault(file, first_line, f"not valid YAML: {error}")) from error
    return YamlDocument(value, lines)


def _cut_open(lines: Iterable[str]) -> bool:
    """Whether a comment in one of these lines takes a closing bracket with it: `[{channel: #papers}]`."""
    return any(
        comment and any(mark in rest for mark in "]}") for _, comment, rest in (one.partition(" #") for one in lines)
    )


class _Mark(Protocol):
    """A place in the text, as both of PyYAML's parsers give it."""

    @property
    def line(self) -> int: ...


def _line(mark: _Mark | None) -> int:
    return mark.line if mark is not None else 0


def _check_events(text: str, file: str, first_line: int) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = _line(event.start_mark) + first_line
        if isinstance(event, yaml.AliasEvent):
            raise YamlFault(Fault(file, line, "aliases (*name) are not read: write the value out"))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise YamlFault(Fault(file, line, f"nested deeper than {MAX_DEPTH} levels"))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _note_lines(node: yaml.Node, path: Path, lines: dict[Path, int], file: str, first_line: int) -> None:
    """Notes where each key and item starts, and makes every key text."""
    lines.setdefault(path, _line(node.start_mark) + first_line)
    if isinstance(node, yaml.MappingNode):
        seen: set[Hashable] = set()
        for key, child in node.value:
            name = str(key.value)
            if isinstance(key, yaml.ScalarNode):
                key.tag = _TEXT  # `on`, `no` and `1` are names here, whatever they mean as values
            line = _line(key.start_mark) + first_line
            if name in seen:
                raise YamlFault(Fault(file, line, f"`{name}` stands twice: keep one"))
            seen.add(name)
            lines[*path, name] = line
            _note_lines(child, (*path, name), lines, file, first_line)
    elif isinstance(node, yaml.SequenceNode):
        for number, child in enumerate(node.value):
            _note_lines(child, (*path, number), lines, file, first_line)
