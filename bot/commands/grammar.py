"""From what a person types to a call: which command, with which arguments. Pure: looks nothing up."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from bot.commands.base import Command, CommandSet, Kind, Parameter
from bot.errors import CannotTakeError, UsageError
from bot.message import Call, Value
from bot.text import straighten

LONGEST = 12_000
"""Characters of one line that are looked at; a platform allows fewer, the search cuts again by itself."""

_NUMBER = re.compile(r"#?(\d{1,2})\.?")
"""A number alone is one of the last list: as a search it would find the papers that count their points."""

_PREFIX = re.compile(r"/(?:papers?(?=\s|$))?", re.IGNORECASE)
_KEYWORD = re.compile(r"""(?<!\S)([a-z_]{2,20}):("[^"]*"|'[^']*'|\S+)(?!\S)""")


_NUMBERS = re.compile(r"#?\d{1,4}(?:(?:\s*(?:,|&|-|–|\bto\b|\band\b)\s*|\s+)#?\d{1,4})+", re.IGNORECASE)
_RANGE = re.compile(r"#?(\d{1,4})(?:\s*(?:-|–|\bto\b)\s*#?(\d{1,4}))?", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[,;]\s*(?:and\s+)?|\s+(?:and|&|vs\.?|versus)\s+", re.IGNORECASE)

LONGEST_RANGE = 25
"""Numbers that `1-25` may stand for: those of the longest page."""


def numbers_in(words: str) -> list[int]:
    """The numbers of a list that are named together (`1-3`, `1 3 5`, `1, 2 and 4`), each once; none for other words.

    Raises UsageError for a range that is longer than any list.
    """
    if not _NUMBERS.fullmatch(words.strip()):
        return []
    found: dict[int, None] = {}
    for part in _RANGE.finditer(words):
        first = int(part[1])
        last = int(part[2] or first)
        if abs(last - first) >= LONGEST_RANGE:
            raise UsageError(f"`{part[0]}` is more than a page. At most {LONGEST_RANGE} numbers at once.")
        step = 1 if last >= first else -1
        found.update(dict.fromkeys(range(first, last + step, step)))
    return list(found)


def names_in(words: str) -> list[str]:
    """Papers named together, `xkv, sinq and puzzlemoe`: the parts, or one where nothing parts them."""
    return [part for part in _BETWEEN.split(words.strip()) if part]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The call that a line means; `note` says so where it means something else than it seems to say."""

    call: Call
    note: str | None = None


def interpret(text: str, commands: CommandSet) -> Interpretation:
    """The call that `text` means: a command with its arguments, else a search for the whole line.

    Raises UsageError where a command lacks an argument that it needs.
    """
    line = straighten(text[:LONGEST])
    prefix = _PREFIX.match(line)
    if prefix:
        line = line[prefix.end() :].strip()
    if not line:
        return Interpretation(Call("help"))
    if number := _NUMBER.fullmatch(line):
        return Interpretation(Call("show", {"paper": number[1]}))
    if meant := commands.said(line):
        return Interpretation(Call(meant.path))
    if line.lower() in commands.groups:
        return Interpretation(Call("help", {"command": line.lower()}))
    command, rest = _command_of(line, commands)
    if command is None:
        return Interpretation(Call("search", _search_arguments(line, commands)))
    try:
        return Interpretation(Call(command.path, parse_arguments(command, rest, commands)))
    except CannotTakeError as error:
        note = f"Searched for “{line}”: the command `{command.path}` {error}. `help {command.path}` explains it."
        return Interpretation(Call("search", {"query": line}), note)


def _search_arguments(line: str, commands: CommandSet) -> dict[str, Value]:
    """The arguments of a bare search: `page:2` works with and without the word `search`."""
    search = commands.get("search")
    return parse_arguments(search, line, commands) if search else {"query": line}


def _command_of(line: str, commands: CommandSet) -> tuple[Command | None, str]:
    words = line.split(maxsplit=2)
    if len(words) > 1 and (grouped := commands.get(f"{words[0]} {words[1]}")):
        return grouped, words[2] if len(words) > 2 else ""
    return commands.get(words[0].removesuffix(":")), line[len(words[0]) :].strip()


def parse_arguments(command: Command, rest: str, commands: CommandSet) -> dict[str, Value]:
    """Arguments by name from the words after a command.

    The last positional parameter takes all words that are left, as typed. Raises UsageError where one is missing.
    """
    arguments: dict[str, Value] = {}
    keywords = {p.name: p for p in command.parameters if p.keyword and not p.options_only}

    def take_keyword(found: re.Match[str]) -> str:
        parameter = keywords.get(found[1])
        value = _value(parameter, found[2], commands) if parameter else None
        if parameter is None or value is None:
            return found[0]
        arguments[parameter.name] = value
        return ""

    if keywords:
        rest = " ".join(_KEYWORD.sub(take_keyword, _quoted_words(rest, keywords)).split())
    positional = [p for p in command.parameters if not p.keyword and not p.options_only]
    for number, parameter in enumerate(positional):
        last = number == len(positional) - 1
        word, rest = (rest, "") if last else _first_word(rest)
        if parameter.kind is not Kind.TEXT:
            word = _unquoted(word)
        if not word:
            if parameter.required:
                example = command.examples[0].say
                raise UsageError(f"`{command.path}` needs a {parameter.name}: for example `{example}`.")
            continue
        value = _value(parameter, word, commands)
        if value is None:
            raise CannotTakeError(f"takes a {parameter.kind.value} there")
        arguments[parameter.name] = value
    if rest:
        raise CannotTakeError("takes nothing after it" if not positional else "takes fewer words")
    return arguments


def _quoted_words(rest: str, keywords: Mapping[str, Parameter]) -> str:
    """Words after a keyword that takes many, in quotes: `topic:rare words count:2` as `topic:"rare words" count:2`."""
    rest = " ".join(rest.split())  # a long run of spaces would be searched again from each of them
    names = "|".join(map(re.escape, keywords))
    for name, parameter in keywords.items():
        if parameter.many_words:
            pattern = rf"(?<!\S){re.escape(name)}:\s*(?![\s\"'])([^\"]*?)(?=\s+(?:{names}):|\s*$)"
            rest = re.sub(pattern, rf'{name}:"\1"', rest, count=1)
    return rest


def _value(parameter: Parameter, word: str, commands: CommandSet) -> Value | None:
    """The typed value of a word, or None where the word is none of that kind."""
    match parameter.kind:
        case Kind.TEXT | Kind.PAPER | Kind.TOPIC | Kind.VENUE:
            return _unquoted(word) if parameter.keyword else word
        case Kind.INTEGER:
            if not word.isascii() or not word.isdigit() or len(word) > 9:
                return None
            number = int(word)
            low = parameter.minimum if parameter.minimum is not None else 0
            return number if low <= number <= (parameter.maximum or number) else None
        case Kind.FLAG:
            return {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}.get(word.lower())
        case Kind.COMMAND:
            found = commands.get(word)
            if found:
                return found.path
            # one word that is no command: help says so; several are no question about a command
            return word.lower() if " " not in word else None


def words_of(text: str) -> list[str]:
    """Words as a shell would see them; an unbalanced quote is an ordinary character."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _first_word(text: str) -> tuple[str, str]:
    if text.startswith(('"', "'")) and (end := text.find(text[0], 1)) > 0:
        return text[: end + 1], text[end + 1 :].strip()
    word, _, rest = text.partition(" ")
    return word, rest.strip()


def _unquoted(text: str) -> str:
    """`"long context heads"` as one name loses its quotes; anything else stays as it is."""
    words = words_of(text)
    return words[0].strip() if len(words) == 1 and text[:1] in "\"'" else text.strip()
