"""From what a person types to a call: which command, with which arguments. Pure: looks nothing up."""

import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from bot.commands.base import Command, CommandSet, Kind, Parameter, Utterance
from bot.errors import CannotTakeError, UsageError
from bot.message import Call, Value
from bot.text import straighten

LONGEST = 12_000
"""Characters of one line that are looked at; a platform allows fewer, the search cuts again by itself."""

_NUMBER = re.compile(r"#?(\d{1,2})\.?")
"""A number alone is one of the last list: as a search it would find the papers that count their points."""

_PREFIX = re.compile(r"@paperboy\b[,:]?|/(?:papers?(?=\s|$))?", re.IGNORECASE)
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


_POLITE = re.compile(
    r"(?:(?:please|pls|plz|hey|hi|hello|ok|okay|so|and|now|paperboy|can|could|would|will) +|you +(?:please +)?"
    r"|(?:i(?:'d| would)? (?:like|want|need)|let me|help me)(?: to)? +|(?:show|give|get|tell|read|send) me +|[,:!] *)+",
    re.IGNORECASE,
)
_THANKED = re.compile(r"[ ,]+(?:please|pls|plz|thanks|thank you|thx|for me)[?.! ]*$|[ ?!.]+$", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PLACE = re.compile(
    r"(?:the )?(?:no\.?|nr\.?|number|paper|result|hit|item|#)? ?#?(?P<number>\d{1,2})\.?"
    rf"|(?:the )?(?P<ordinal>{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th)) (?:one|paper|result|hit|item|of them)"
    rf"|the (?P<alone>{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"(?:(?:the )?next(?: page| ones?)?|(?:show |see |give me )?(?:some )?more(?: of (?:them|these|those))?|go on"
    r"|continue|(?:the )?page (?P<page>\d{1,3}))",
    re.IGNORECASE,
)
THAT = frozenset((
    "it", "that", "this", "that one", "this one", "that paper", "this paper", "the paper", "the last one",
    "the last paper", "the same", "the same one",
))  # fmt: skip
"""What stands for the paper that a person saw last."""


# A number alone is one of the last list: as a search it would find the papers that count their points.
def place_in(words: str) -> int | None:
    """The number of a list that words stand for: `2`, `no. 2`, `the second one`, `2nd result`; None for other words."""
    found = _PLACE.fullmatch(" ".join(words.split()))
    if found is None:
        return None
    if found["number"]:
        return int(found["number"])
    ordinal = (found["ordinal"] or found["alone"]).lower()
    return _ORDINALS.index(ordinal) + 1 if ordinal in _ORDINALS else int(ordinal[:-2])


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The call that a line means; `note` says so where it means something else than it seems to say."""

    call: Call
    note: str | None = None
    perhaps: tuple[tuple[Call, Utterance], ...] = ()
    """What it means instead where its paper, or its topic, is one."""
    turn: int | None = None
    """The page of the last list that is asked for; 0 is the next."""


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
    if (number := place_in(line)) is not None:
        return Interpretation(Call("show", {"paper": str(number)}))
    bare = _THANKED.sub("", polite[0] and line[polite.end() :] if (polite := _POLITE.match(line)) else line)
    if turn := _TURN.fullmatch(line) or _TURN.fullmatch(bare):
        return Interpretation(Call("search", {"query": line}), turn=int(turn["page"] or 0))
    if meant := commands.said(line):
        return Interpretation(Call(meant.path))
    if line.lower() in commands.groups:
        return Interpretation(Call("help", {"command": line.lower()}))
    if line.lower().startswith("show me "):
        line = bare
    command, rest = _command_of(line, commands)
    perhaps = tuple(_perhaps(command, line, bare, commands))
    if command is None:
        return Interpretation(Call("search", _search_arguments(line, commands)), perhaps=perhaps)
    try:
        return Interpretation(Call(command.path, parse_arguments(command, rest, commands)), perhaps=perhaps)
    except CannotTakeError as error:
        note = f"Searched for “{line}”: the command `{command.path}` {error}. `help {command.path}` explains it."
        return Interpretation(Call("search", {"query": line}), note, perhaps)


def _perhaps(command: Command | None, line: str, bare: str, commands: CommandSet) -> Iterator[tuple[Call, Utterance]]:
    """What a line may mean beside what it says: a command behind polite words, or one in other words."""
    if command is None and (behind := _command_of(bare, commands))[0] and bare != line:
        with suppress(UsageError):
            yield Call(behind[0].path, parse_arguments(behind[0], behind[1], commands)), Utterance(bare)
    yield from commands.phrased(bare)


def _search_arguments(line: str, commands: CommandSet) -> dict[str, Value]:
    """The arguments of a bare search: `page:2` works with and without the word `search`."""
    search = commands.get("search")
    return parse_arguments(search, line, commands) if search else {"query": line}


def _command_of(line: str, commands: CommandSet) -> tuple[Command | None, str]:
    words = line.split(maxsplit=2)
    if not words:
        return None, ""
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
