"""The left-to-right scan: addresses, code, formulas, LaTeX commands, quotes, dashes to markers, slots, characters.

One pass decides what each character belongs to, so that a dollar in a code span, an underscore in an address or a
star in a formula is never read twice. What is left for Markdown afterwards are stars, underscores and link brackets.
"""

import re
from collections.abc import Callable

from bot.corpus.markup import chars, commands
from bot.corpus.markup.addresses import ADDRESS, HOST, destination, is_web, trimmed, unescaped
from bot.corpus.markup.macros import accent, expand
from bot.corpus.markup.repair import restore_marks
from bot.corpus.markup.scanner import Scanner
from bot.corpus.markup.tree import Slot
from bot.richtext import Link, Text

_SINGLE_QUOTED = re.compile(r"[^`']{1,200}'(?!\w)")
_REACH = 400
"""Characters within which a quotation or a code span of an abstract ends."""
_ASIDE_END = re.compile(r"\w--(?![\w-])")
_WAITING_STAR = re.compile(r"(?<![\w*])\*(?![\s*])[^*]*$")


def on_ticks(scanner: Scanner, found: re.Match[str]) -> None:
    """Backticks: LaTeX's opening quotes, or Markdown's code span."""
    ticks, start = found[0], found.end()
    text = scanner.text
    if len(ticks) == 2 and text.find("''", start, start + _REACH) > 0:
        scanner.write("“")
        return
    end = _code_end(text, ticks, start)
    if len(ticks) == 1:
        quoted = _SINGLE_QUOTED.match(text, start)
        if quoted and (end < 0 or quoted.end() <= end):
            # the closing mark is met again as an apostrophe, which it looks like
            scanner.write("‘")
            scanner.spent.add(quoted.end() - 1)
            return
    if end > start:
        scanner.position = end + len(ticks)
        scanner.put_code(text[start:end])
    elif len(ticks) > 2 or not text[start : start + 1].isalnum():
        scanner.write("“" if len(ticks) == 2 else ticks)
    else:
        scanner.write("“" if len(ticks) == 2 else "‘")


def _code_end(text: str, ticks: str, start: int) -> int:
    """Where a run of exactly these backticks closes the span, -1 where none does."""
    limit = start + _REACH
    end = text.find(ticks, start, limit)
    while end >= 0 and text[end + len(ticks) : end + len(ticks) + 1] == "`":
        while text[end : end + 1] == "`":
            end += 1
        end = text.find(ticks, end, limit)
    return end


def on_quotes(scanner: Scanner, found: re.Match[str]) -> None:
    """Two or more apostrophes: closing quotes, opening ones before a word."""
    before, after = scanner.before(found.start()), scanner.peek()
    match len(found[0]):
        case 2:
            opens = (not before or before in " ([") and after.strip()
            scanner.write("“" if opens else "”")
        case 3:
            scanner.write("’”")
        case _:
            scanner.write(found[0])


def on_apostrophe(scanner: Scanner, found: re.Match[str]) -> None:
    """A single apostrophe, the end of a quotation where one waits for it."""
    scanner.write("’" if found.start() in scanner.spent else "'")


def on_code(scanner: Scanner, found: re.Match[str]) -> None:
    """A code span of HTML: its content is verbatim."""
    end = scanner.text.find(chars.CODE_CLOSE, found.end())
    if end >= 0:
        scanner.put_code(scanner.text[found.end() : end])
        scanner.position = end + 1


def on_script_tag(scanner: Scanner, found: re.Match[str]) -> None:
    """HTML's `<sub>` and `<sup>`, read like the scripts of a formula."""
    closing, sign = (chars.SUB_CLOSE, "_") if found[0] == chars.SUB_OPEN else (chars.SUP_CLOSE, "^")
    end = scanner.text.find(closing, found.end(), found.end() + _REACH)
    if end >= 0:
        content = chars.bare(scanner.text[found.end() : end]).strip("$ ")
        scanner.position = end + 1
        if content:
            scanner.put_formula(f"{sign}{{{content}}}")


def on_dashes(scanner: Scanner, found: re.Match[str]) -> None:
    """Two hyphens are an en dash and three an em dash, but not in `--flag`, `<!--` and `-->`."""
    before, after = scanner.before(found.start()), scanner.peek()
    flag = (not before or before in " (") and after.isalpha() and len(found[0]) == 2
    aside = flag and _ASIDE_END.search(scanner.text, found.end(), found.end() + 200) is not None
    if len(found[0]) > 3 or after == ">" or before in ("<", "!") or (flag and not aside):
        scanner.write(found[0])
    else:
        scanner.write("–" if len(found[0]) == 2 else "—")


def on_tilde(scanner: Scanner, found: re.Match[str]) -> None:
    """A tilde: LaTeX's space between words, "about" before a number, itself in a range of numbers."""
    before, after = scanner.before(found.start()), scanner.peek()
    loose = not before or before in " (["
    ranged = before.isdigit() and after.isdigit()
    scanner.write(found[0] if loose or ranged or len(found[0]) > 1 else " ")


def on_star(scanner: Scanner, found: re.Match[str]) -> None:
    """A star between two word characters: itself (`2*3`), unless emphasis waits for its end (`*Q*uery`)."""
    tail = "".join(scanner.out[-40:])[-300:]
    scanner.write(found[0] if _WAITING_STAR.search(tail) else chars.STAR)


def on_literal(scanner: Scanner, found: re.Match[str]) -> None:
    """A name that looks like markup and is none (`__init__`)."""
    scanner.write(chars.literal(found[0]))


# Where a dollar sign opens a formula and where it is money.

_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\s*\{[^{}]*\})?")
_SIGNS = re.compile(r"[\\^_=<>{}|]")
_CALCULATION = re.compile(r"[0-9][0-9,.]*\s*[\\^_+*/=<>({|-]")
_LISTED = re.compile(r"[A-Za-z](?:\s?,\s?[A-Za-z])+ ")
"""Letters between commas, with a space before the second dollar."""
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
        if content[-1].isspace() or (content[-1] in "-–—/,;(" and content[-2:-1] not in ("^", "_")):
            return False
        if signs and _CALCULATION.match(content):
            return words <= _PROSE
        return not after.isdigit() and not words
    if signs:
        return words <= _PROSE or "\\" in content
    if _LISTED.fullmatch(content):
        return not after.isdigit()
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
    "script": r"(?<=[\w)\]|}(])[\^_](?=\{)|(?<=\w )[\^_](?=\{[\w+-]{1,4}\})",
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
_PROTECTED_GROUP = re.compile(r"(?:[A-Z][^{}\s,]{0,60}|[^\W\d_]|[-–—“”‘’\"',:;?!&/]{1,3})?\}")
_WORD_GROUP = re.compile(r"[^\W\d_][^{}\\$]{0,200}\}")
_PROSE_GROUP = re.compile(r"[^\W\d_][^\s{},:]* [^\s{},:]+ [^\s{},:]+ ")
_DROPPED = re.compile(
    rf" ?[(\[] ?(?:{chars.DROPPED}[ ,;]*)+[)\]]|[,;]? ?{chars.DROPPED}(?=[,;)\]])| ?{chars.DROPPED}",
)


def scan(text: str, slots: list[Slot]) -> str:
    """The marked text of a text with folded white space; formulas, links and code go to `slots`."""
    if _QUIET.fullmatch(text):
        return text
    scanner = Scanner(restore_marks(text), slots)
    while found := _TOKEN.search(scanner.text, scanner.position):
        scanner.write(scanner.text[scanner.position : found.start()])
        scanner.position = found.end()
        _HANDLERS[found.lastgroup or ""](scanner, found)
    scanner.write(scanner.text[scanner.position :], *reversed(scanner.closers))
    marked = "".join(scanner.out)
    return _DROPPED.sub("", marked) if chars.DROPPED in marked else marked


def _on_address(scanner: Scanner, found: re.Match[str]) -> None:
    raw = found[0]
    angled = raw.startswith("<")
    explicit = scanner.text[max(0, found.start() - 2) : found.start()] == "]("
    kept = (destination(raw) if explicit else "") or trimmed(raw[angled:])
    scanner.position = found.start() + angled + len(kept)
    if angled and scanner.peek() == ">":
        scanner.position += 1
    elif angled:
        scanner.write("<")
    address = unescaped(kept)
    if is_web(address):
        scanner.put(Link(address, (Text(address),)))
    else:
        scanner.write(chars.literal(address))


def _on_host(scanner: Scanner, found: re.Match[str]) -> None:
    kept = trimmed(found[0])
    scanner.position = found.start() + len(kept)
    scanner.write(chars.literal(unescaped(kept)))


def _on_command(scanner: Scanner, found: re.Match[str]) -> None:
    expand(scanner, found[0][1:], found.start())


def _on_escape(scanner: Scanner, found: re.Match[str]) -> None:
    sign = found[0][1]
    if sign in "([":
        end = scanner.text.find("\\)" if sign == "(" else "\\]", found.end(), found.end() + MAX_SPAN)
        if end > 0:
            scanner.put_formula(scanner.text[found.end() : end])
            scanner.position = end + 2
            return
    if sign == "*" and scanner.peek() == "*":
        # an escaped first star of two: the form's editor escaped what the author meant
        scanner.write("*")
    elif not accent(scanner, sign):
        scanner.write(commands.ESCAPES.get(sign, sign))


def _on_dollar(scanner: Scanner, found: re.Match[str]) -> None:
    start = found.end()
    if found.start() in scanner.spent:
        scanner.position = found.start() + 1
        return
    if len(found[0]) == 2:
        second = scanner.text.find("$$", start, start + MAX_SPAN)
        if second < 0:
            scanner.write("$$")
            return
        scanner.put_formula(scanner.text[start:second])
        scanner.position = second + 2
        return
    end = _formula_end(scanner.text, start)
    if end is None:
        scanner.write("$")
    elif _is_words(scanner, start, end):
        # words in dollars are no formula: read on inside, and pass over the second dollar
        scanner.spent.add(end)
    else:
        scanner.put_formula(scanner.text[start:end])
        scanner.position = end + 1
        if scanner.text[start:end].strip("{} ") == r"\sim" and re.match(r" \d", scanner.peek(2)):
            scanner.position += 1  # "about" belongs to its number


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


def _is_words(scanner: Scanner, start: int, end: int) -> bool:
    command = _ONLY_WORDS.match(scanner.text, start)
    if command is None:
        return False
    scanner.position = command.end()
    whole = scanner.argument() is not None and scanner.position == end
    scanner.position = start
    return whole


def _on_script(scanner: Scanner, found: re.Match[str]) -> None:
    """A script outside of a formula, with its braces (`10^{-3}`)."""
    content = scanner.argument()
    if content is None:
        scanner.write(chars.literal(found[0]))
        return
    spaced = scanner.before(found.start()) == " " and scanner.out and scanner.out[-1].endswith(" ")
    if spaced and not (found[0] == "^" and content.isdigit() and scanner.peek().isupper()):  # an isotope: ^{76}Ge
        scanner.out[-1] = scanner.out[-1].removesuffix(" ")
    scanner.put_formula(f"{found[0]}{{{content}}}")


def _on_open(scanner: Scanner, found: re.Match[str]) -> None:
    """A brace: a LaTeX group where it holds a command, prose, capitals or one letter; else the author's own (a set)."""
    prose = _PROSE_GROUP.match(scanner.text, found.end()) is not None and scanner.closes(found.start())
    if _WORD_GROUP.match(scanner.text, found.end()):
        if scanner.closers and scanner.closers[-1] != "}" and not scanner.before(found.start()).isalnum():
            prose = True  # inside of another group of LaTeX
        elif found.start() and scanner.text[found.start() - 1] in ")]$" and scanner.behind_formula():
            prose = True
            scanner.write(" ")
    if scanner.peek() == "\\" or prose or _PROTECTED_GROUP.match(scanner.text, found.end()):
        scanner.closers.append("")
    else:
        scanner.write("{")
        scanner.closers.append("}")


def _on_close(scanner: Scanner, _found: re.Match[str]) -> None:
    scanner.write(scanner.closers.pop() if scanner.closers else "}")


def _on_picture(_scanner: Scanner, _found: re.Match[str]) -> None:
    """The mark that makes a Markdown link a picture: its words are all that text can show."""


_HANDLERS: dict[str, Callable[[Scanner, re.Match[str]], None]] = {
    "address": _on_address,
    "host": _on_host,
    "command": _on_command,
    "escape": _on_escape,
    "dollar": _on_dollar,
    "ticks": on_ticks,
    "quotes": on_quotes,
    "apostrophe": on_apostrophe,
    "dashes": on_dashes,
    "tilde": on_tilde,
    "literal": on_literal,
    "star": on_star,
    "script": _on_script,
    "open": _on_open,
    "close": _on_close,
    "code": on_code,
    "script_tag": on_script_tag,
    "picture": _on_picture,
}
