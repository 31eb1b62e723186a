"""LaTeX commands in running text: what each writes, read at the position behind its name."""

import re
from collections.abc import Callable
from functools import lru_cache

from bot.corpus.markup import chars, commands
from bot.corpus.markup.addresses import is_web, unescaped
from bot.corpus.markup.scanner import Scanner
from bot.corpus.markup.symbols import FRACTIONS, SIGNATURES, symbols, unicode_character
from bot.corpus.markup.units import QUANTITIES, quantity
from bot.richtext import Link, Text

_ENVIRONMENT = re.compile(r" ?\{([A-Za-z]+)\*?\}(?:\[[^\]]{0,100}\])?")
_LABEL = re.compile(r" ?\[([^\]]{0,100})\]")
_SHORT_ARGUMENT = re.compile(r"\{([0-9]+|\w)\}")
_LETTER = re.compile(r" ?(?:\{ ?(\\[ij]|[A-Za-z]) ?\}|(\\[ij])(?![A-Za-z]) ?|([A-Za-z]))")
_QUOTED = re.compile(r'[^"\\]{1,200}\\"(?![A-Za-z])')
_BARE = re.compile(r" ?(?:[0-9]|\\[A-Za-z]+|[A-Za-z](?![A-Za-z]))|[A-Za-z]")
_MAX_ENVIRONMENT = 3_000


def expand(scanner: Scanner, name: str, start: int) -> None:
    r"""Write what the command `\name` at `start` gives; the scanner stands behind the name."""
    bare = name.removesuffix("*")
    if bare in commands.STYLES:
        _style(scanner, *commands.STYLES[bare])
    elif bare in commands.SWITCHES:
        _switch(scanner, *commands.SWITCHES[bare])
    elif bare in commands.CONTENT:
        scanner.skip_option()
        scanner.enter("")
    elif bare in commands.SILENT:
        _silent(scanner, bare)
    elif bare in commands.SKIPPED:
        _skipped(scanner, bare)
    elif bare in commands.CITATIONS:
        _citation(scanner, bare, start)
    elif bare in commands.ABBREVIATIONS:
        scanner.skip_empty()
        reading = commands.ABBREVIATIONS[bare]
        scanner.write(reading.removesuffix(".") if scanner.peek() == "." else reading)
    elif bare in _SPECIAL:
        _SPECIAL[bare](scanner)
    elif not (bare in commands.ACCENTS and accent(scanner, bare)):
        if bare in SIGNATURES:
            _mathematical(scanner, bare)
        elif bare in symbols():
            _symbol(scanner, bare)
        else:
            _unknown(scanner, name, start)


def _style(scanner: Scanner, opening: str, closing: str) -> None:
    scanner.skip_option()
    if scanner.enter(closing):
        scanner.write(opening)


def _switch(scanner: Scanner, opening: str, closing: str) -> None:
    """A change of style to the end of the group; outside one it would style the rest, which nobody means."""
    scanner.skip_space()
    if scanner.closers:
        scanner.write(opening)
        scanner.closers[-1] = closing + scanner.closers[-1]


def _silent(scanner: Scanner, name: str) -> None:
    if name in commands.SPACES:
        scanner.write(" ")
    else:
        scanner.skip_space()
        scanner.skip_empty()


def _skipped(scanner: Scanner, name: str) -> None:
    """Arguments that are settings; the last of some commands is text."""
    settings, text = commands.SKIPPED[name]
    for _ in range(settings):
        scanner.skip_option()
        scanner.argument()
    if text:
        scanner.skip_option()
        scanner.enter("")


def _citation(scanner: Scanner, name: str, start: int) -> None:
    """A citation goes without a trace, unless the sentence needs it: then its key stands in brackets."""
    while label := _LABEL.match(scanner.text, scanner.position):
        scanner.position = label.end()
    key = scanner.argument()
    if key is None:
        return
    words = scanner.text[max(0, start - 40) : start].replace("~", " ").split()
    opens = not words or words[-1][-1] in ".!?"
    subject = opens and scanner.peek(2).strip()[:1].isalpha()
    spoken = commands.CITATIONS[name] or (
        bool(words) and words[-1].rpartition("{")[2].lstrip("([").lower() in commands.NEEDS_CITATION
    )
    if spoken or subject:
        scanner.write(chars.literal(f"[{', '.join(part.strip() for part in key.split(','))}]"))
    else:
        scanner.write(chars.DROPPED)


def _begin(scanner: Scanner) -> None:
    found = _ENVIRONMENT.match(scanner.text, scanner.position)
    if found is None:
        return
    scanner.position = found.end()
    if found[1] in commands.MATH_ENVIRONMENTS:
        end = scanner.text.find(f"\\end{{{found[1]}", found.end(), found.end() + _MAX_ENVIRONMENT)
        if end > 0:
            scanner.write(" ")
            scanner.put_formula(scanner.text[found.end() : end])
            scanner.write(" ")
            scanner.position = end + len("\\end")
            _end(scanner)
            return
    if found[1] in commands.LISTS:
        scanner.lists.append(0 if found[1] == "enumerate" else None)
    scanner.write(" ")


def _end(scanner: Scanner) -> None:
    found = _ENVIRONMENT.match(scanner.text, scanner.position)
    if found is None:
        return
    scanner.position = found.end()
    if found[1] in commands.LISTS and scanner.lists:
        scanner.lists.pop()
    scanner.write(" ")


def _item(scanner: Scanner) -> None:
    """An item of a list: its label, its number, or a bullet."""
    label = _LABEL.match(scanner.text, scanner.position)
    if label is not None:
        scanner.position = label.end()
        scanner.write(f" {label[1]} ")
        return
    number = scanner.lists[-1] if scanner.lists else None
    if number is None:
        scanner.write(" • ")
    else:
        scanner.lists[-1] = number + 1
        scanner.write(f" ({number + 1}) ")


def _href(scanner: Scanner) -> None:
    address = scanner.argument()
    if address is None:
        return
    address = unescaped(address)
    scanner.put(address)
    if not scanner.enter(chars.LINK_CLOSE):
        scanner.write(chars.literal(address), chars.LINK_CLOSE)


def _url(scanner: Scanner) -> None:
    written = scanner.argument()
    if written is None:
        return
    address = unescaped(written)
    if is_web(address):
        scanner.put(Link(address, (Text(address),)))
    else:
        scanner.write(chars.literal(written.strip() if " " in written.strip() else address))


def _unicode(scanner: Scanner) -> None:
    scanner.skip_option()
    scanner.write(chars.literal(unicode_character(scanner.argument() or "")))


def _quantity(name: str) -> Callable[[Scanner], None]:
    def write(scanner: Scanner) -> None:
        scanner.skip_option()
        given = [scanner.argument() for _ in range(QUANTITIES[name])]
        scanner.write(chars.literal(quantity(name, [one for one in given if one is not None])))

    return write


def _verb(scanner: Scanner) -> None:
    mark = scanner.peek()
    if mark == "{":
        scanner.put_code(scanner.argument() or "")
        return
    end = scanner.text.find(mark, scanner.position + 1, scanner.position + 500) if mark and not mark.isalnum() else -1
    if end > scanner.position + 1:
        scanner.put_code(scanner.text[scanner.position + 1 : end])
        scanner.position = end + 1


def accent(scanner: Scanner, name: str) -> bool:
    """Write the letter at the position with the accent of that command; whether there was such a letter."""
    name = commands.CURLY_ACCENTS.get(name, name)
    if name not in commands.ACCENTS:
        return False
    found = _LETTER.match(scanner.text, scanner.position)
    if found is None or (not name.isalpha() and scanner.peek() == " "):
        return False
    if (
        name == '"'
        and not scanner.before(scanner.position - 2).isalnum()
        and _QUOTED.match(scanner.text, scanner.position)
    ):
        return False  # an escaped quotation mark, with its partner behind
    scanner.position = found.end()
    scanner.write(_accented(name, (found[1] or found[2] or found[3]).removeprefix("\\")))
    return True


@lru_cache(maxsize=512)
def _accented(name: str, letter: str) -> str:
    from pylatexenc import latex2text  # noqa: PLC0415 - heavy, and rarely needed

    return str(latex2text.LatexNodes2Text().latex_to_text(f"\\{name}{{{letter}}}"))


def _mathematical(scanner: Scanner, name: str) -> None:
    """A command of formulas outside of one, with its arguments and the scripts behind it."""
    begin = scanner.position
    scanner.skip_option()
    for _ in range(SIGNATURES[name].count("{")):
        if scanner.argument() is None and name in FRACTIONS and (one := _BARE.match(scanner.text, scanner.position)):
            scanner.position = one.end()
    _scripts(scanner)
    scanner.put_formula(f"\\{name}{scanner.text[begin : scanner.position]}")


def _symbol(scanner: Scanner, name: str) -> None:
    scanner.skip_empty()
    begin = scanner.position
    _scripts(scanner)
    if scanner.position > begin:
        scanner.put_formula(f"\\{name}{scanner.text[begin : scanner.position]}")
    else:
        scanner.write(chars.literal(symbols()[name]))


def _scripts(scanner: Scanner) -> None:
    """Step over subscripts and superscripts."""
    while scanner.peek() in ("^", "_") and len(scanner.peek(2)) == 2:
        position = scanner.position
        scanner.position += 1
        if scanner.peek().isalnum():
            scanner.position += 1
        elif scanner.argument() is None:
            scanner.position = position
            return


def _unknown(scanner: Scanner, name: str, start: int) -> None:
    """An author's own command: its argument where it has one, else its name, which most often is the method's."""
    scanner.skip_option()
    short = _SHORT_ARGUMENT.match(scanner.text, scanner.position)
    if short is not None:
        scanner.position = short.end()
        scanner.write(chars.literal(f"{name}({short[1]})"))
    elif scanner.skip_empty() or scanner.peek() != "{":
        # a backslash that glues two words is a slash
        scanner.write("/" if scanner.before(start).isalpha() else "", chars.literal(name))
    else:
        scanner.enter("")


_SPECIAL = {
    "begin": _begin,
    "end": _end,
    "item": _item,
    "href": _href,
    "url": _url,
    "path": _url,
    "nolinkurl": _url,
    "verb": _verb,
    "unicode": _unicode,
    **{name: _quantity(name) for name in QUANTITIES},
}
