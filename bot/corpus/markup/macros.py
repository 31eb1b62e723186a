"""LaTeX commands in running text: what each writes, read at the position behind its name."""

import re
from functools import lru_cache

from bot.corpus.markup import chars, commands
from bot.corpus.markup.addresses import is_web, unescaped
from bot.corpus.markup.symbols import SIGNATURES, symbols
from bot.corpus.markup.tape import Tape
from bot.richtext import Link, Text

_ENVIRONMENT = re.compile(r" ?\{([A-Za-z]+)\*?\}(?:\[[^\]]{0,100}\])?")
_LABEL = re.compile(r" ?\[([^\]]{0,100})\]")
_SHORT_ARGUMENT = re.compile(r"\{([0-9]+|\w)\}")
_LETTER = re.compile(r" ?(?:\{ ?(\\[ij]|[A-Za-z]) ?\}|(\\[ij])(?![A-Za-z]) ?|([A-Za-z]))")
_QUOTED = re.compile(r'[^"\\]{1,200}\\"(?![A-Za-z])')
_MAX_ENVIRONMENT = 3_000


def expand(tape: Tape, name: str, start: int) -> None:
    r"""Write what the command `\name` at `start` gives; the tape stands behind the name."""
    bare = name.removesuffix("*")
    if bare in commands.STYLES:
        _style(tape, *commands.STYLES[bare])
    elif bare in commands.SWITCHES:
        _switch(tape, *commands.SWITCHES[bare])
    elif bare in commands.CONTENT:
        tape.skip_option()
        tape.enter("")
    elif bare in commands.SILENT:
        _silent(tape, bare)
    elif bare in commands.SKIPPED:
        _skipped(tape, bare)
    elif bare in commands.CITATIONS:
        _citation(tape, bare, start)
    elif bare in commands.ABBREVIATIONS:
        tape.skip_empty()
        reading = commands.ABBREVIATIONS[bare]
        tape.write(reading.removesuffix(".") if tape.peek() == "." else reading)
    elif bare in _SPECIAL:
        _SPECIAL[bare](tape)
    elif not (bare in commands.ACCENTS and accent(tape, bare)):
        if bare in SIGNATURES:
            _mathematical(tape, bare)
        elif bare in symbols():
            _symbol(tape, bare)
        else:
            _unknown(tape, name, start)


def _style(tape: Tape, opening: str, closing: str) -> None:
    tape.skip_option()
    if tape.enter(closing):
        tape.write(opening)


def _switch(tape: Tape, opening: str, closing: str) -> None:
    """A change of style to the end of the group; outside one it would style the rest, which nobody means."""
    tape.skip_space()
    if tape.closers:
        tape.write(opening)
        tape.closers[-1] = closing + tape.closers[-1]


def _silent(tape: Tape, name: str) -> None:
    if name in commands.SPACES:
        tape.write(" ")
    else:
        tape.skip_space()
        tape.skip_empty()


def _skipped(tape: Tape, name: str) -> None:
    """Arguments that are settings; the last of some commands is text."""
    settings, text = commands.SKIPPED[name]
    for _ in range(settings):
        tape.skip_option()
        tape.argument()
    if text:
        tape.skip_option()
        tape.enter("")


def _citation(tape: Tape, name: str, start: int) -> None:
    """A citation goes without a trace, unless the sentence needs it: then its key stands in brackets."""
    while label := _LABEL.match(tape.text, tape.position):
        tape.position = label.end()
    key = tape.argument()
    if key is None:
        return
    words = tape.text[max(0, start - 40) : start].replace("~", " ").split()
    opens = not words or words[-1][-1] in ".!?"
    subject = opens and tape.peek(2).strip()[:1].isalpha()
    spoken = commands.CITATIONS[name] or (
        bool(words) and words[-1].rpartition("{")[2].lstrip("([").lower() in commands.NEEDS_CITATION
    )
    if spoken or subject:
        tape.write(chars.literal(f"[{', '.join(part.strip() for part in key.split(','))}]"))
    else:
        tape.write(chars.DROPPED)


def _begin(tape: Tape) -> None:
    found = _ENVIRONMENT.match(tape.text, tape.position)
    if found is None:
        return
    tape.position = found.end()
    if found[1] in commands.MATH_ENVIRONMENTS:
        end = tape.text.find(f"\\end{{{found[1]}", found.end(), found.end() + _MAX_ENVIRONMENT)
        if end > 0:
            tape.write(" ")
            tape.put_formula(tape.text[found.end() : end])
            tape.write(" ")
            tape.position = end + len("\\end")
            _end(tape)
            return
    if found[1] in commands.LISTS:
        tape.lists.append(0 if found[1] == "enumerate" else None)
    tape.write(" ")


def _end(tape: Tape) -> None:
    found = _ENVIRONMENT.match(tape.text, tape.position)
    if found is None:
        return
    tape.position = found.end()
    if found[1] in commands.LISTS and tape.lists:
        tape.lists.pop()
    tape.write(" ")


def _item(tape: Tape) -> None:
    """An item of a list: its label, its number, or a bullet."""
    label = _LABEL.match(tape.text, tape.position)
    if label is not None:
        tape.position = label.end()
        tape.write(f" {label[1]} ")
        return
    number = tape.lists[-1] if tape.lists else None
    if number is None:
        tape.write(" • ")
    else:
        tape.lists[-1] = number + 1
        tape.write(f" ({number + 1}) ")


def _href(tape: Tape) -> None:
    address = tape.argument()
    if address is None:
        return
    address = unescaped(address)
    tape.put(address)
    if not tape.enter(chars.LINK_CLOSE):
        tape.write(chars.literal(address), chars.LINK_CLOSE)


def _url(tape: Tape) -> None:
    written = tape.argument()
    if written is None:
        return
    address = unescaped(written)
    if is_web(address):
        tape.put(Link(address, (Text(address),)))
    else:
        tape.write(chars.literal(written.strip() if " " in written.strip() else address))


def _verb(tape: Tape) -> None:
    mark = tape.peek()
    if mark == "{":
        tape.put_code(tape.argument() or "")
        return
    end = tape.text.find(mark, tape.position + 1, tape.position + 500) if mark and not mark.isalnum() else -1
    if end > tape.position + 1:
        tape.put_code(tape.text[tape.position + 1 : end])
        tape.position = end + 1


def accent(tape: Tape, name: str) -> bool:
    """Write the letter at the position with the accent of that command; whether there was such a letter."""
    name = commands.CURLY_ACCENTS.get(name, name)
    if name not in commands.ACCENTS:
        return False
    found = _LETTER.match(tape.text, tape.position)
    if found is None or (not name.isalpha() and tape.peek() == " "):
        return False
    if name == '"' and not tape.before(tape.position - 2).isalnum() and _QUOTED.match(tape.text, tape.position):
        return False  # an escaped quotation mark, with its partner behind
    tape.position = found.end()
    tape.write(_accented(name, (found[1] or found[2] or found[3]).removeprefix("\\")))
    return True


@lru_cache(maxsize=512)
def _accented(name: str, letter: str) -> str:
    from pylatexenc import latex2text  # noqa: PLC0415 - heavy, and rarely needed

    return str(latex2text.LatexNodes2Text().latex_to_text(f"\\{name}{{{letter}}}"))


def _mathematical(tape: Tape, name: str) -> None:
    """A command of formulas outside of one, with its arguments and the scripts behind it."""
    begin = tape.position
    tape.skip_option()
    for _ in range(SIGNATURES[name].count("{")):
        tape.argument()
    _scripts(tape)
    tape.put_formula(f"\\{name}{tape.text[begin : tape.position]}")


def _symbol(tape: Tape, name: str) -> None:
    tape.skip_empty()
    begin = tape.position
    _scripts(tape)
    if tape.position > begin:
        tape.put_formula(f"\\{name}{tape.text[begin : tape.position]}")
    else:
        tape.write(chars.literal(symbols()[name]))


def _scripts(tape: Tape) -> None:
    """Step over subscripts and superscripts."""
    while tape.peek() in ("^", "_") and len(tape.peek(2)) == 2:
        position = tape.position
        tape.position += 1
        if tape.peek().isalnum():
            tape.position += 1
        elif tape.argument() is None:
            tape.position = position
            return


def _unknown(tape: Tape, name: str, start: int) -> None:
    """An author's own command: its argument where it has one, else its name, which most often is the method's."""
    tape.skip_option()
    short = _SHORT_ARGUMENT.match(tape.text, tape.position)
    if short is not None:
        tape.position = short.end()
        tape.write(chars.literal(f"{name}({short[1]})"))
    elif tape.skip_empty() or tape.peek() != "{":
        # a backslash that glues two words is a slash
        tape.write("/" if tape.before(start).isalpha() else "", chars.literal(name))
    else:
        tape.enter("")


_SPECIAL = {
    "begin": _begin,
    "end": _end,
    "item": _item,
    "href": _href,
    "url": _url,
    "path": _url,
    "nolinkurl": _url,
    "verb": _verb,
}
