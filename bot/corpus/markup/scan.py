"""The left-to-right scan: addresses, code spans, formulas and LaTeX commands to markers, slots and plain characters.

One pass decides what each character belongs to, so that a dollar in a code span, an underscore in an address or a
star in a formula is never read twice. What is left for Markdown afterwards are stars, underscores and link brackets.
"""

import re
from collections.abc import Callable

from bot.corpus.markup import chars, commands, marks
from bot.corpus.markup.addresses import ADDRESS, HOST, is_web, trimmed, unescaped
from bot.corpus.markup.macros import accent, expand
from bot.corpus.markup.repair import restore_marks
from bot.corpus.markup.tape import Tape
from bot.corpus.markup.tree import Slot
from bot.richtext import Link, Text

# Where a dollar sign opens a formula and where it is money.

_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\s*\{[^{}]*\})?")
_SIGNS = re.compile(r"[\\^_=<>{}|]")
_CALCULATION = re.compile(r"[0-9][0-9,.]*\s*[\\^_+*/=<>({|-]")
MAX_SPAN = 3_000
"""Characters between two dollars; more is not a formula of an abstract."""
_PROSE = 4
"""Words that a formula may hold outside of its commands; two amounts have a sentence between them."""


def is_formula(content: str, after: str) -> bool:
    """Whether what stands between two dollar signs is a formula; `after` is the character behind the second."""
    if not content.strip() or len(content) > MAX_SPAN:
        return False
    signs = _SIGNS.search(content) is not None
    words = len(_WORD.findall(_COMMAND.sub(" ", content)))
    if content[0].isdigit():
        if "\\" in content and words <= 1:
            return True
        if content[-1].isspace() or content[-1] in "-–—/,;(":
            return False
        if signs and _CALCULATION.match(content):
            return words <= _PROSE
        return not after.isdigit() and not words
    if signs:
        return words <= _PROSE or "\\" in content
    if content[0].isspace() or content[-1].isspace():
        return words == 0 and len(content.split()) == 1 and (content[0].isspace() or not content[-1].isspace())
    return words < _PROSE


_KINDS = {
    "address": ADDRESS,
    "host": HOST,
    "command": r"\\[A-Za-z]+\*?",
    "escape": r"\\[^A-Za-z]",
    "dollar": r"\${1,2}",
    "ticks": r"`+",
    "quotes": r"''+",
    "apostrophe": r"'",
    "dashes": r"-{2,}",
    "tilde": r"~+",
    "literal": r"(?<!\w)__[a-z0-9_]+__(?!\w)",
    "star": r"(?<=[\w)\]])\*(?=[\w(])(?<!\*\*)",
    "script": r"(?<=[\w)\]|])[\^_](?=\{)|(?<=\w )[\^_](?=\{[\w+-]{1,4}\})",
    "open": r"\{",
    "close": r"\}",
    "code": chars.CODE_OPEN,
    "script_tag": f"[{chars.SUB_OPEN}{chars.SUP_OPEN}]",
    "picture": r"!(?=\[[^\[\]]{0,300}\]\()",
}
_TOKEN = re.compile(
    # the look-ahead passes over other characters at a fraction of the time
    rf"(?=[.hH<\\$`'{{}}~*_^!{chars.ALL}-])(?:"
    + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _KINDS.items())
    + ")",
)
_QUIET = re.compile(
    rf"(?:[^\\$`'{{}}~*_\-/.!{chars.ALL}]|'(?!')|-(?!-)|[.!](?![a-z\[])|(?<!:)/)*",
)
_ONLY_WORDS = re.compile(r"\\(?:text(?:bf|it|sl|rm|sc|sf|md|up|tt|normal)?|emph|mbox|underline)\s*(?=\{)")
_PROTECTED_GROUP = re.compile(r"(?:[A-Z][^{}\s,]{0,60}|[^\W\d_]|[-,])?\}")
_PROSE_GROUP = re.compile(r"[^\W\d_][^\s{},:]* [^\s{},:]+ [^\s{},:]+ ")
_DROPPED = re.compile(
    rf" ?[(\[] ?(?:{chars.DROPPED}[ ,;]*)+[)\]]|[,;]? ?{chars.DROPPED}(?=[,;)\]])| ?{chars.DROPPED}",
)


def scan(text: str, slots: list[Slot]) -> str:
    """The marked text of a text with folded white space; formulas, links and code go to `slots`."""
    if _QUIET.fullmatch(text):
        return text
    tape = Tape(restore_marks(text), slots)
    while found := _TOKEN.search(tape.text, tape.position):
        tape.write(tape.text[tape.position : found.start()])
        tape.position = found.end()
        _HANDLERS[found.lastgroup or ""](tape, found)
    tape.write(tape.text[tape.position :], *reversed(tape.closers))
    marked = "".join(tape.out)
    return _DROPPED.sub("", marked) if chars.DROPPED in marked else marked


def _on_address(tape: Tape, found: re.Match[str]) -> None:
    raw = found[0]
    angled = raw.startswith("<")
    kept = trimmed(raw[angled:])
    tape.position = found.start() + angled + len(kept)
    if angled and tape.peek() == ">":
        tape.position += 1
    elif angled:
        tape.write("<")
    address = unescaped(kept)
    if is_web(address):
        tape.put(Link(address, (Text(address),)))
    else:
        tape.write(chars.literal(address))


def _on_host(tape: Tape, found: re.Match[str]) -> None:
    kept = trimmed(found[0])
    tape.position = found.start() + len(kept)
    tape.write(chars.literal(unescaped(kept)))


def _on_command(tape: Tape, found: re.Match[str]) -> None:
    expand(tape, found[0][1:], found.start())


def _on_escape(tape: Tape, found: re.Match[str]) -> None:
    sign = found[0][1]
    if sign in "([":
        end = tape.text.find("\\)" if sign == "(" else "\\]", found.end(), found.end() + MAX_SPAN)
        if end > 0:
            tape.put_formula(tape.text[found.end() : end])
            tape.position = end + 2
            return
    if sign == "*" and tape.peek() == "*":
        # an escaped first star of two: the form's editor escaped what the author meant
        tape.write("*")
    elif not accent(tape, sign):
        tape.write(commands.ESCAPES.get(sign, sign))


def _on_dollar(tape: Tape, found: re.Match[str]) -> None:
    start = found.end()
    if found.start() in tape.spent:
        tape.position = found.start() + 1
        return
    if len(found[0]) == 2:
        second = tape.text.find("$$", start, start + MAX_SPAN)
        if second < 0:
            tape.write("$$")
            return
        tape.put_formula(tape.text[start:second])
        tape.position = second + 2
        return
    end = _formula_end(tape.text, start)
    if end is None:
        tape.write("$")
    elif _is_words(tape, start, end):
        # words in dollars are no formula: read on inside, and pass over the second dollar
        tape.spent.add(end)
    else:
        tape.put_formula(tape.text[start:end])
        tape.position = end + 1
        if tape.text[start:end].strip("{} ") == r"\sim" and re.match(r" \d", tape.peek(2)):
            tape.position += 1  # "about" belongs to its number


def _formula_end(text: str, start: int) -> int | None:
    """Where the dollar stands that closes the formula, among the next twelve; None where this one is money."""
    at = start
    for _ in range(12):
        at = text.find("$", at, start + MAX_SPAN)
        if at < 0:
            return None
        content = text[start:at]
        at += 1
        if content.endswith("\\") or content.count("{") != content.count("}"):
            continue
        return at - 1 if is_formula(content, text[at : at + 1]) else None
    return None


def _is_words(tape: Tape, start: int, end: int) -> bool:
    command = _ONLY_WORDS.match(tape.text, start)
    if command is None:
        return False
    tape.position = command.end()
    whole = tape.argument() is not None and tape.position == end
    tape.position = start
    return whole


def _on_script(tape: Tape, found: re.Match[str]) -> None:
    """A script outside of a formula, with its braces (`10^{-3}`)."""
    content = tape.argument()
    if content is None:
        tape.write(chars.literal(found[0]))
        return
    spaced = tape.before(found.start()) == " " and tape.out and tape.out[-1].endswith(" ")
    if spaced:
        tape.out[-1] = tape.out[-1].removesuffix(" ")
    tape.put_formula(f"{found[0]}{{{content}}}")


def _on_open(tape: Tape, found: re.Match[str]) -> None:
    """A brace: a LaTeX group where it holds a command, prose, capitals or one letter; else the author's own (a set)."""
    prose = _PROSE_GROUP.match(tape.text, found.end()) is not None and tape.closes(found.start())
    if tape.peek() == "\\" or prose or _PROTECTED_GROUP.match(tape.text, found.end()):
        tape.closers.append("")
    else:
        tape.write("{")
        tape.closers.append("}")


def _on_close(tape: Tape, _found: re.Match[str]) -> None:
    tape.write(tape.closers.pop() if tape.closers else "}")


def _on_picture(_tape: Tape, _found: re.Match[str]) -> None:
    """The mark that makes a Markdown link a picture: its words are all that text can show."""


_HANDLERS: dict[str, Callable[[Tape, re.Match[str]], None]] = {
    "address": _on_address,
    "host": _on_host,
    "command": _on_command,
    "escape": _on_escape,
    "dollar": _on_dollar,
    "ticks": marks.on_ticks,
    "quotes": marks.on_quotes,
    "apostrophe": marks.on_apostrophe,
    "dashes": marks.on_dashes,
    "tilde": marks.on_tilde,
    "literal": marks.on_literal,
    "star": marks.on_star,
    "script": _on_script,
    "open": _on_open,
    "close": _on_close,
    "code": marks.on_code,
    "script_tag": marks.on_script_tag,
    "picture": _on_picture,
}
