"""LaTeX commands in running text: one function that reads a command at the scanner's position."""

import re
from typing import TYPE_CHECKING

from bot.corpus.markup import chars, commands
from bot.corpus.markup.formulas import SIGNATURES, formula_text
from bot.corpus.markup.symbols import symbols
from bot.richtext import Code, Link, Math, Text

if TYPE_CHECKING:
    from bot.corpus.markup.scan import Scanner

_ENVIRONMENT = re.compile(r"\s*\{([A-Za-z]+)\*?\}(?:\[[^\]\n]{0,100}\])?")
_MATH_ENVIRONMENTS = frozenset("equation align gather multline displaymath math eqnarray alignat flalign".split())
_OPTION = re.compile(r"\s?\[[^\]\n]{0,200}\]")
_KEY = re.compile(r"[^\W_]+")


_NAMES = (
    commands.STYLES.keys() | commands.SWITCHES.keys() | commands.CONTENT | commands.SILENT | commands.SKIPPED_FIRST
    | commands.DROPPED_ARGUMENTS.keys() | commands.QUIET_CITATIONS | commands.SPOKEN_CITATIONS | commands.REFERENCES
    | SIGNATURES.keys() | {"begin", "end", "item", "href", "url", "verb"}
)  # fmt: skip


def known(name: str) -> bool:
    """Whether `\\name` is a command of LaTeX or of a common package."""
    return name in _NAMES or name in symbols()


def expand(scan: "Scanner", name: str, start: int) -> None:
    """Append what the command `\\name` at `start` gives; the scanner stands behind its name."""
    bare = name.removesuffix("*")
    if bare in commands.STYLES:
        _style(scan, bare)
    elif bare in commands.SWITCHES:
        _switch(scan, bare)
    elif bare in commands.CONTENT:
        _content(scan)
    elif bare in ("begin", "end"):
        _environment(scan, bare)
    elif bare == "item":
        _item(scan)
    elif bare in ("href", "url", "path", "nolinkurl"):
        _address(scan, bare)
    elif bare in commands.QUIET_CITATIONS | commands.SPOKEN_CITATIONS | commands.REFERENCES:
        _citation(scan, bare, start)
    elif bare == "verb":
        _verbatim(scan)
    elif bare in commands.DROPPED_ARGUMENTS:
        _option(scan)
        scan.argument()
    elif bare in commands.SKIPPED_FIRST:
        _option(scan)
        scan.argument()
        _content(scan)
    elif bare in commands.SILENT:
        scan.out.append(" " if bare in commands.SPACES else "")
        if not scan.out[-1]:
            _swallow(scan)
    elif bare in commands.ABBREVIATIONS:
        _abbreviation(scan, commands.ABBREVIATIONS[bare])
    elif len(bare) == 1 and bare in commands.ACCENTS and scan.accent(bare, scan.position):
        pass
    elif bare in SIGNATURES:
        _mathematical(scan, bare)
    elif bare in symbols():
        _symbol(scan, bare)
    else:
        _unknown(scan, name)


def _style(scan: "Scanner", name: str) -> None:
    opening, closing = commands.STYLES[name]
    _option(scan)
    if scan.text[scan.position : scan.position + 1] == "{" or scan.text[scan.position : scan.position + 2] == " {":
        if opening == chars.CODE_OPEN:
            content = scan.argument()
            if content is not None:
                scan.out.append(scan.slot(Code(scan.inner_text(content))))
                return
        if opening in (chars.SUB_OPEN, chars.SUP_OPEN) and (content := scan.argument()) is not None:
            source = f"{'_' if opening == chars.SUB_OPEN else '^'}{{{content}}}"
            scan.out.append(scan.slot(Math(formula_text(source), source)))
            return
        if scan.text[scan.position : scan.position + 1] == " ":
            scan.position += 1
        if scan.text[scan.position : scan.position + 1] == "{":
            scan.position += 1
            scan.out.append(opening)
            scan.closers.append(closing)


def _switch(scan: "Scanner", name: str) -> None:
    _swallow(scan)
    if not scan.closers:
        return
    opening, closing = commands.SWITCHES[name]
    scan.out.append(opening)
    scan.closers[-1] = closing + scan.closers[-1]


def _content(scan: "Scanner") -> None:
    _option(scan)
    if scan.text[scan.position : scan.position + 1] == "{":
        scan.position += 1
        scan.closers.append("")


def _environment(scan: "Scanner", name: str) -> None:
    found = _ENVIRONMENT.match(scan.text, scan.position)
    if found is None:
        return
    scan.position = found.end()
    environment = found[1]
    if name == "end":
        if environment in ("itemize", "enumerate", "description") and scan.lists:
            scan.lists.pop()
        scan.out.append(" ")
        return
    if environment in _MATH_ENVIRONMENTS:
        end = scan.text.find(f"\\end{{{environment}", found.end(), found.end() + 3_000)
        if end > 0:
            stop = scan.text.find("}", end) + 1
            scan.formula(scan.text[found.end() : end], stop)
            return
    if environment in ("itemize", "enumerate", "description"):
        scan.lists.append(0 if environment == "enumerate" else None)
    scan.out.append(" ")


def _item(scan: "Scanner") -> None:
    label = _OPTION.match(scan.text, scan.position)
    if label is not None:
        scan.position = label.end()
        scan.out.append(f" {label[0].strip()[1:-1]} ")
        return
    number = scan.lists[-1] if scan.lists else None
    if number is None:
        scan.out.append(" • ")
        return
    scan.lists[-1] = number + 1
    scan.out.append(f" ({number + 1}) ")


def _address(scan: "Scanner", name: str) -> None:
    address = scan.argument()
    if address is None:
        return
    address = re.sub(r"\\([_#%&~$-])", r"\1", "".join(address.translate(chars.UNDERSCORED).split()))
    if name == "href":
        scan.out.append(scan.slot(address))
        _option(scan)
        if scan.text[scan.position : scan.position + 1] == "{":
            scan.position += 1
            scan.closers.append(chars.LINK_CLOSE)
        else:
            scan.out.append(address.replace("_", chars.UNDERSCORE) + chars.LINK_CLOSE)
    elif re.match(r"https?://[^/]", address):
        scan.out.append(scan.slot(Link(address, (Text(address),))))
    else:
        scan.out.append(address.replace("_", chars.UNDERSCORE).replace("*", chars.STAR))


def _citation(scan: "Scanner", name: str, start: int) -> None:
    _option(scan)
    _option(scan)
    key = scan.argument()
    if key is None:
        return
    before = scan.text[max(0, start - 40) : start].replace("~", " ").split()
    sentence_start = not before or before[-1][-1] in ".!?"
    spoken = name in commands.SPOKEN_CITATIONS or name in commands.REFERENCES
    needed = before and before[-1].lstrip("([").lower() in commands.NEEDS_ITS_CITATION
    if spoken or needed or (sentence_start and scan.text[scan.position : scan.position + 2].strip()[:1].isalpha()):
        keys = ", ".join(part.strip() for part in key.split(","))
        scan.out.append(f"{chars.OPEN_BRACKET}{keys.replace('_', chars.UNDERSCORE)}{chars.CLOSE_BRACKET}")
    else:
        scan.out.append(chars.DROPPED)


def _verbatim(scan: "Scanner") -> None:
    mark = scan.text[scan.position : scan.position + 1]
    end = scan.text.find(mark, scan.position + 1, scan.position + 500) if mark and not mark.isalnum() else -1
    if mark == "{":
        scan.out.append(scan.slot(Code(scan.argument() or "")))
    elif end > 0:
        scan.out.append(scan.slot(Code(scan.text[scan.position + 1 : end])))
        scan.position = end + 1


def _abbreviation(scan: "Scanner", reading: str) -> None:
    following = scan.text[scan.position : scan.position + 1]
    if scan.text[scan.position : scan.position + 2] == "{}":
        scan.position += 2
    scan.out.append(reading.rstrip(".") if following == "." else reading)


def _mathematical(scan: "Scanner", name: str) -> None:
    """A command of formulas outside one, with its arguments and the scripts behind it."""
    begin = scan.position
    arguments = SIGNATURES[name].count("{")
    _option(scan)
    for _ in range(arguments):
        scan.argument()
    while scan.text[scan.position : scan.position + 2] in ("^{", "_{"):
        scan.position += 1
        if scan.argument() is None:
            break
    source = f"\\{name}{scan.text[begin : scan.position]}"
    text = formula_text(source)
    if text:
        scan.out.append(scan.slot(Math(text, source)))


def _symbol(scan: "Scanner", name: str) -> None:
    reading = symbols()[name]
    if scan.text[scan.position : scan.position + 2] == "{}":
        scan.position += 2
    following = scan.text[scan.position : scan.position + 1]
    after = scan.text[scan.position + 1 : scan.position + 2]
    scripted = following in ("^", "_") and after and not after.isspace()
    if scripted:
        begin = scan.position
        scan.position += 1
        if after == "{":
            if scan.argument() is None:
                scan.position = begin
        else:
            scan.position += 1
        source = f"\\{name}{scan.text[begin : scan.position]}"
        scan.out.append(scan.slot(Math(formula_text(source), source)))
        return
    scan.out.append(reading.replace("*", chars.STAR).replace("_", chars.UNDERSCORE).replace("\\", chars.BACKSLASH))


def _unknown(scan: "Scanner", name: str) -> None:
    """An author's own command: its argument where that reads as text, else its name."""
    option = _OPTION.match(scan.text, scan.position)
    if option and scan.text[option.end() : option.end() + 1] == "{":
        scan.position = option.end()
    if scan.text[scan.position : scan.position + 2] == "{}":
        scan.position += 2
        scan.out.append(name)
        return
    if scan.text[scan.position : scan.position + 1] == "{":
        short = re.compile(r"\{(\d+|\w)\}").match(scan.text, scan.position)
        if short:
            scan.position = short.end()
            scan.out.append(f"{name}({short[1]})")
            return
        scan.position += 1
        scan.closers.append("")
        return
    scan.out.append(name.replace("*", chars.STAR))


def _option(scan: "Scanner") -> None:
    option = _OPTION.match(scan.text, scan.position)
    if option and scan.text[option.end() : option.end() + 1] in "[{":
        scan.position = option.end()


def _swallow(scan: "Scanner") -> None:
    """Skip the white space that ends a command's name."""
    while scan.text[scan.position : scan.position + 1].isspace():
        scan.position += 1
