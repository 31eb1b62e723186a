"""Config: one YAML file, typed, every fault with its line; secrets from the environment or files, never printed."""

import difflib
import os
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Literal, Protocol, get_args, get_type_hints

import yaml
from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from bot.errors import ConfigError, Fault, YamlError

MAX_BYTES = 4_000_000
MAX_DEPTH = 20
MAX_EVENTS = 300_000
"""Keys, values and brackets of one YAML text: a sidecar of a whole conference has half of that."""

YamlPath = tuple[str | int, ...]


_TEXT = "tag:yaml.org,2002:str"
_SEXAGESIMAL = "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"


def _loader(base: type[yaml.SafeLoader]) -> type[yaml.SafeLoader]:
    """A safe loader whose numbers are never sexagesimal (YAML 1.1 reads `9:30` as 570)."""
    made: type[yaml.SafeLoader] = type("_Loader", (base,), {})
    made.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in _SEXAGESIMAL]
        for first, resolvers in base.yaml_implicit_resolvers.items()
    }
    made.add_implicit_resolver(
        "tag:yaml.org,2002:int",
        re.compile(r"^[-+]?(?:0|[1-9][0-9]*|0o[0-7]+|0x[0-9a-fA-F]+)$"),
        list("-+0123456789"),
    )
    made.add_implicit_resolver(
        "tag:yaml.org,2002:float",
        re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"),
        list("-+.0123456789"),
    )
    return made


_Exact = _loader(yaml.SafeLoader)
_Quick = _loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader))
"""libyaml, fifty times as fast, where PyYAML was built with it; it tells less well where a text is broken."""
_LARGE = 50_000
"""Characters from which on speed counts for more."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """The value of a YAML text, and the line (from 1) on which each key or item starts."""

    value: object
    """Whoever reads it passes it through a pydantic model first."""
    lines: Mapping[YamlPath, int]

    def line(self, path: YamlPath) -> int:
        """The line of a path, or of the nearest thing around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(text: str, file: str, *, first_line: int = 1) -> YamlDocument:
    """Parse one YAML document. `first_line` is where the text starts within its file.

    Raises YamlError: not YAML, over MAX_BYTES, MAX_EVENTS or MAX_DEPTH, an alias, or a key that stands twice.
    """
    if len(text) > MAX_BYTES:
        raise YamlError(Fault(file, 0, f"larger than {MAX_BYTES:,} characters: split it"))
    lines: dict[YamlPath, int] = {}
    kind = _Exact if len(text) < _LARGE else _Quick
    try:
        _check_events(text, file, first_line, kind)
        loader = kind(text)
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
        raise YamlError(Fault(file, line, f"not valid YAML: {error.problem or error.context}{comment}")) from error
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        # a tag that its value does not fit (`!!int x`, `!!timestamp x`) makes the library fail in any of these ways
        raise YamlError(Fault(file, first_line, f"not valid YAML: {error}")) from error
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


def _check_events(text: str, file: str, first_line: int, kind: type[yaml.SafeLoader]) -> None:
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=kind)):
        line = _line(event.start_mark) + first_line
        if count > MAX_EVENTS:
            raise YamlError(Fault(file, line, f"more than {MAX_EVENTS:,} keys, values and brackets: split it"))
        if isinstance(event, yaml.AliasEvent):
            raise YamlError(Fault(file, line, "aliases (*name) are not read: write the value out"))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise YamlError(Fault(file, line, f"nested deeper than {MAX_DEPTH} levels"))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _note_lines(node: yaml.Node, path: YamlPath, lines: dict[YamlPath, int], file: str, first_line: int) -> None:
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
                raise YamlError(Fault(file, line, f"`{name}` stands twice: keep one"))
            seen.add(name)
            lines[*path, name] = line
            _note_lines(child, (*path, name), lines, file, first_line)
    elif isinstance(node, yaml.SequenceNode):
        for number, child in enumerate(node.value):
            _note_lines(child, (*path, number), lines, file, first_line)


STRICT = ConfigDict(extra="forbid", frozen=True)
"""For every config dataclass, as `__pydantic_config__`: an unknown key is an error, not a typo that sleeps."""

DEFAULT_FILE = "config.yaml"


@dataclass(frozen=True, slots=True)
class CorpusSection:
    """Which files hold the abstracts."""

    __pydantic_config__ = STRICT
    root: str | None = None
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogSection:
    """What is logged, and how it looks."""

    __pydantic_config__ = STRICT
    level: Literal["debug", "info", "warning", "error"] = "warning"
    queries: bool = False
    format: Literal["text", "json"] = "text"


@dataclass(frozen=True, slots=True)
class StoreSection:
    """The database of what outlives a restart."""

    __pydantic_config__ = STRICT
    url: str | None = None
    replicas: Annotated[int, Field(ge=1)] = 1


@dataclass(frozen=True, slots=True)
class HealthSection:
    """Where health and metrics pages are served; port 0: nowhere."""

    __pydantic_config__ = STRICT
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8090


def _time_words(value: object) -> object:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise ValueError(  # noqa: TRY004 - what pydantic turns into a fault
            f"{value} is a number to YAML (some readers make 630 of 10:30, and 9.3 of 9.30): put the time in quotes, "
            'as in "9:30"'
        )
    return value


def _day_words(value: object) -> object:
    return ",".join(value) if isinstance(value, list) and all(isinstance(day, str) for day in value) else value


def _text_of_number(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _channel_id(value: object) -> object:
    if isinstance(value, str) and value.startswith("#"):
        raise ValueError(f"{value} is a name, and names change: give the channel's id, such as C0123ABCD")
    return _text_of_number(value)


def _or_empty(value: object) -> object:
    return {} if value is None else value


Id = Annotated[str, BeforeValidator(_text_of_number), Field(min_length=1, max_length=64)]


@dataclass(frozen=True, slots=True)
class ChannelSection:
    """A channel of a declared digest, by the platform's own ids."""

    __pydantic_config__ = STRICT
    platform: Annotated[str, Field(min_length=1, max_length=40)]
    """The name of an adapter."""
    workspace: Id
    channel: Annotated[str, BeforeValidator(_channel_id), Field(min_length=1, max_length=64)]


@dataclass(frozen=True, slots=True)
class DeclaredSection:
    """A digest that the operator declares: its words are read in bot.digest.declared."""

    __pydantic_config__ = STRICT
    channels: Annotated[tuple[ChannelSection, ...], Field(min_length=1)]
    time: Annotated[str, BeforeValidator(_time_words)]
    zone: str
    days: Annotated[str, BeforeValidator(_day_words)] = "weekdays"
    topic: Annotated[str, BeforeValidator(_text_of_number), Field(max_length=200)] = ""
    count: Annotated[int, Field(ge=1, le=5)] = 1
    thread: bool = False
    style: Literal["brief", "full"] = "full"


@dataclass(frozen=True, slots=True)
class DigestSection:
    """What holds for every digest. `catch_up`: hours; above 20, a day that a clock change shortens could owe two."""

    __pydantic_config__ = STRICT
    catch_up: Annotated[float, Field(ge=0, le=20)] = 6


@dataclass(frozen=True, slots=True)
class CoreSections:
    """The top level of the file, without the adapters' own sections."""

    __pydantic_config__ = STRICT
    corpus: CorpusSection = field(default_factory=CorpusSection)
    state: str = "state"
    store: StoreSection = field(default_factory=StoreSection)
    health: HealthSection = field(default_factory=HealthSection)
    digest: DigestSection = field(default_factory=DigestSection)
    digests: Annotated[dict[str, DeclaredSection], BeforeValidator(_or_empty)] = field(default_factory=dict)
    log: LogSection = field(default_factory=LogSection)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was configured: core sections, adapters' sections by name, and where paths start."""

    core: CoreSections
    sections: Mapping[str, object]
    home: Path
    file: Path | None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    document: YamlDocument | None = field(default=None, repr=False)

    def fault(self, path: YamlPath, message: str) -> Fault:
        """A fault of what stands at a path of the file, with its line."""
        return Fault(str(self.file or DEFAULT_FILE), self.document.line(path) if self.document else 0, message)

    @property
    def state(self) -> Path:
        """The folder of everything that is kept."""
        return self.home / Path(self.core.state).expanduser()

    def corpus_paths(self) -> list[Path]:
        """The files or the folder of the corpus. Raises ConfigError where a pattern leaves the root."""
        section = self.core.corpus
        root = (self.home / Path(section.root).expanduser()) if section.root is not None else default_corpus()
        if not root.exists():
            where = str(self.file or DEFAULT_FILE)
            raise ConfigError((Fault(where, 0, f"`corpus.root`: there is no folder {root}"),))
        if not section.files:
            return [root]
        found: list[Path] = []
        faults: list[Fault] = []
        where = str(self.file or DEFAULT_FILE)
        for pattern in section.files:
            if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
                faults.append(
                    Fault(where, 0, f"`corpus.files`: {pattern!r} leaves `corpus.root`: set the root instead")
                )
                continue
            matches = sorted(path for path in root.glob(pattern) if path.is_file())
            inside = [path for path in matches if path.resolve().is_relative_to(root.resolve())]
            if not inside:
                faults.append(Fault(where, 0, f"`corpus.files`: {pattern!r} matches no file under {root}"))
            found.extend(path for path in inside if not path.name.endswith(".meta.yaml"))
        if faults:
            raise ConfigError(tuple(faults))
        return list(dict.fromkeys(found))


def default_corpus() -> Path:
    """The seeds that ship with the bot: beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parent
    beside = package.parent / "seeds"
    return beside if beside.is_dir() else package / "_seeds"


def load_settings(
    path: Path | None, sections: Mapping[str, type], environment: Mapping[str, str] | None = None
) -> Settings:
    """Read the config file, or the defaults where there is none.

    `path` None means PAPERBOY_CONFIG, else `config.yaml` in the working directory if there is one. `sections` are the
    adapters' dataclasses by the key of their section. Raises ConfigError with every fault, each with its line.
    """
    env = dict(os.environ if environment is None else environment)
    chosen = path or (Path(env["PAPERBOY_CONFIG"]) if env.get("PAPERBOY_CONFIG") else None)
    if chosen is None and Path(DEFAULT_FILE).is_file():
        chosen = Path(DEFAULT_FILE)
    if chosen is None:
        defaults: dict[str, object] = {
            name: TypeAdapter(section).validate_python({}) for name, section in sections.items()
        }
        return Settings(CoreSections(), defaults, Path.cwd(), None, env)
    try:
        document = read_yaml(chosen.read_text(encoding="utf-8-sig"), str(chosen))
    except YamlError as error:
        raise ConfigError((error.fault,)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError((Fault(str(chosen), 0, f"cannot be read: {error}"),)) from error
    return _typed(document, chosen, sections, env)


def _typed(
    document: YamlDocument, file: Path, sections: Mapping[str, type], environment: Mapping[str, str]
) -> Settings:
    value = document.value if document.value is not None else {}
    if not isinstance(value, dict):
        raise ConfigError((Fault(str(file), 1, "is not a file of `key: value` lines"),))
    faults: list[Fault] = []
    known = [*(entry.name for entry in fields(CoreSections)), *sections]

    def validated(section: type, own: object, path: tuple[str, ...]) -> object | None:
        try:
            result: object = TypeAdapter(section).validate_python({} if own is None else own)
        except ValidationError as error:
            for problem in error.errors():
                place = (*path, *problem["loc"])
                message = _message(section, problem, place, () if path else known)
                faults.append(Fault(str(file), document.line(place), message))
            return None
        return result

    core = validated(CoreSections, {key: own for key, own in value.items() if key not in sections}, ())
    parsed = {name: validated(section, value.get(name), (name,)) for name, section in sections.items()}
    if faults or not isinstance(core, CoreSections):
        raise ConfigError(tuple(sorted(faults, key=lambda fault: fault.line)))
    return Settings(core, parsed, file.resolve().parent, file, environment, document)


def _message(section: type, problem: ErrorDetails, place: tuple[str | int, ...], known: Sequence[str]) -> str:
    name = ".".join(str(part) for part in place)
    if problem["type"] in {"unexpected_keyword_argument", "extra_forbidden"}:
        names = known if known and len(problem["loc"]) == 1 else _names_at(section, problem["loc"][:-1])
        near = difflib.get_close_matches(str(place[-1]), names, n=1, cutoff=0.6)
        hint = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(names)}"
        return f"`{name}` is not a setting: {hint}"
    if problem["type"].startswith("dataclass"):
        names = _names_at(section, problem["loc"])
        return f"`{name}` takes keys of its own, each on a line below it: {', '.join(names)}"
    if problem["input"] is None:
        return f"`{name}` has no value (a # starts a comment in YAML: quote a value that begins with it)"
    if problem["type"] == "missing":
        return f"`{name}` is missing"
    if problem["type"] in {"tuple_type", "list_type"}:
        return f"`{name}` is a list: write `[one, two]`, or each on a line of its own after a `-`"
    if problem["type"] == "too_short":
        return f"`{name}` needs {problem['ctx']['min_length']} or more"
    if problem["type"] == "value_error":
        return f"`{name}`: {problem['ctx']['error']}"
    if problem["type"] == "string_type" and isinstance(problem["input"], bool):
        return f"`{name}`: YAML reads a bare yes, no, on or off as true or false: put it in quotes"
    return f"`{name}`: {problem['msg'][0].lower()}{problem['msg'][1:]}, but it is {problem['input']!r:.60}"


def _names_at(section: type, path: tuple[str | int, ...]) -> list[str]:
    """The keys that a section has at a path below it."""
    current: object = section
    for part in path:
        if is_dataclass(current):
            current = get_type_hints(current).get(str(part))
        else:  # an item of a list, or an entry of a mapping
            kinds = [kind for kind in get_args(current) if is_dataclass(kind)]
            current = kinds[0] if kinds else None
    return [entry.name for entry in fields(current)] if is_dataclass(current) else []
