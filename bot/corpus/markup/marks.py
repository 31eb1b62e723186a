"""Quotes, dashes, tildes, stars and code spans as people type them."""

import re

from bot.corpus.markup import chars
from bot.corpus.markup.tape import Tape

_SINGLE_QUOTED = re.compile(r"[^`']{1,200}'(?!\w)")
_REACH = 400
"""Characters within which a quotation or a code span of an abstract ends."""
_ASIDE_END = re.compile(r"\w--(?![\w-])")
_WAITING_STAR = re.compile(r"(?<![\w*])\*(?![\s*])[^*]*$")


def on_ticks(tape: Tape, found: re.Match[str]) -> None:
    """Backticks: LaTeX's opening quotes, or Markdown's code span."""
    ticks, start = found[0], found.end()
    text = tape.text
    if len(ticks) == 2 and text.find("''", start, start + _REACH) > 0:
        tape.write("“")
        return
    end = _code_end(text, ticks, start)
    if len(ticks) == 1:
        quoted = _SINGLE_QUOTED.match(text, start)
        if quoted and (end < 0 or quoted.end() <= end):
            # the closing mark is met again as an apostrophe, which it looks like
            tape.write("‘")
            tape.spent.add(quoted.end() - 1)
            return
    if end > start:
        tape.position = end + len(ticks)
        tape.put_code(text[start:end])
    elif len(ticks) > 2 or not text[start : start + 1].isalnum():
        tape.write("“" if len(ticks) == 2 else ticks)
    else:
        tape.write("“" if len(ticks) == 2 else "‘")


def _code_end(text: str, ticks: str, start: int) -> int:
    """Where a run of exactly these backticks closes the span, -1 where none does."""
    limit = start + _REACH
    end = text.find(ticks, start, limit)
    while end >= 0 and text[end + len(ticks) : end + len(ticks) + 1] == "`":
        while text[end : end + 1] == "`":
            end += 1
        end = text.find(ticks, end, limit)
    return end


def on_quotes(tape: Tape, found: re.Match[str]) -> None:
    """Two or more apostrophes: closing quotes, opening ones before a word."""
    before, after = tape.before(found.start()), tape.peek()
    match len(found[0]):
        case 2:
            opens = (not before or before in " ([") and after.strip()
            tape.write("“" if opens else "”")
        case 3:
            tape.write("’”")
        case _:
            tape.write(found[0])


def on_apostrophe(tape: Tape, found: re.Match[str]) -> None:
    """A single apostrophe, the end of a quotation where one waits for it."""
    tape.write("’" if found.start() in tape.spent else "'")


def on_code(tape: Tape, found: re.Match[str]) -> None:
    """A code span of HTML: its content is verbatim."""
    end = tape.text.find(chars.CODE_CLOSE, found.end())
    if end >= 0:
        tape.put_code(tape.text[found.end() : end])
        tape.position = end + 1


def on_script_tag(tape: Tape, found: re.Match[str]) -> None:
    """HTML's `<sub>` and `<sup>`, read like the scripts of a formula."""
    closing, sign = (chars.SUB_CLOSE, "_") if found[0] == chars.SUB_OPEN else (chars.SUP_CLOSE, "^")
    end = tape.text.find(closing, found.end(), found.end() + _REACH)
    if end >= 0:
        content = chars.bare(tape.text[found.end() : end]).strip("$ ")
        tape.position = end + 1
        if content:
            tape.put_formula(f"{sign}{{{content}}}")


def on_dashes(tape: Tape, found: re.Match[str]) -> None:
    """Two hyphens are an en dash and three an em dash, but not in `--flag`, `<!--` and `-->`."""
    before, after = tape.before(found.start()), tape.peek()
    flag = (not before or before in " (") and after.isalpha() and len(found[0]) == 2
    aside = flag and _ASIDE_END.search(tape.text, found.end(), found.end() + 200) is not None
    if len(found[0]) > 3 or after == ">" or before in ("<", "!") or (flag and not aside):
        tape.write(found[0])
    else:
        tape.write("–" if len(found[0]) == 2 else "—")


def on_tilde(tape: Tape, found: re.Match[str]) -> None:
    """A tilde: LaTeX's space between words, "about" before a number, itself in a range of numbers."""
    before, after = tape.before(found.start()), tape.peek()
    loose = not before or before in " (["
    ranged = before.isdigit() and after.isdigit()
    tape.write(found[0] if loose or ranged or len(found[0]) > 1 else " ")


def on_star(tape: Tape, found: re.Match[str]) -> None:
    """A star between two word characters: itself (`2*3`), unless emphasis waits for its end (`*Q*uery`)."""
    tail = "".join(tape.out[-40:])[-300:]
    tape.write(found[0] if _WAITING_STAR.search(tail) else chars.STAR)


def on_literal(tape: Tape, found: re.Match[str]) -> None:
    """A name that looks like markup and is none (`__init__`)."""
    tape.write(chars.literal(found[0]))
