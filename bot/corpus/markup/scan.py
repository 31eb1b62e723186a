"""The left-to-right scan: addresses, code spans, formulas and LaTeX commands to markers, slots and plain characters.

One pass decides what each character belongs to, so that a dollar in a code span, an underscore in an address or a
star in a formula is never read twice. What is left for Markdown afterwards are stars, underscores and link brackets.
"""

import re

from bot.corpus.markup import chars, commands
from bot.corpus.markup.formulas import formula_text
from bot.corpus.markup.macros import expand, known
from bot.corpus.markup.money import MAX_SPAN, is_formula
from bot.corpus.markup.tree import Slot, build
from bot.richtext import Code, Link, Math, Text, plain

_TOKEN = re.compile(
    r"""(?P<url><?https?://[^\s<>"`{}|^\\“”‘’。，、；）（《》\ufdd0\ufdd1\ufdd4-\ufddb]*(?:\\[_#%&~-][^\s<>"`{}|^\\“”‘’。，、；）（《》\ufdd0\ufdd1\ufdd4-\ufddb]*)*)"""
    r"""|(?P<host>(?<![\w/@.])(?:www\.|(?:[a-z0-9-]{1,40}\.){1,4}(?:com|org|net|io|ai|edu|gov|dev)/)[^\s<>"`{}|^\\$*“”‘’]*)"""
    r"|(?P<command>\\[A-Za-z]+\*?)"
    r"|(?P<escape>\\[^A-Za-z])"
    r"|(?P<dollar>\${1,2})"
    r"|(?P<ticks>`+)"
    r"|(?P<quotes>''+)"
    r"|(?P<dashes>-{2,})"
    r"|(?P<tilde>~+)"
    r"|(?P<dunder>(?<![\w])__[a-z0-9_]+__(?!\w))"
    r"|(?P<star>(?<=[\w)\]])\*(?=[\w(])(?<!\*\*)(?!\*))"
    r"|(?P<script>(?<=[\w)\]])[\^_]\{[^{}]{1,200}\})"
    r"|(?P<open>\{)|(?P<close>\})"
    rf"|(?P<code>{chars.CODE_OPEN})"
    rf"|(?P<sub>[{chars.SUB_OPEN}{chars.SUP_OPEN}])",
)
NEEDS_SCAN = re.compile(r"[\\$`{}~\ufdd0-\ufdef]|''|--|https?://|\*|_|www\.|\.(?:com|org|net|io|ai|edu|gov|dev)/")
_ENVIRONMENT = re.compile(r"\s*\{([A-Za-z]+\*?)\}(?:\[[^\]\n]{0,100}\])?")
_MATH_ENVIRONMENTS = frozenset(
    "equation align gather multline displaymath math eqnarray alignat flalign split cases matrix".split(),
)
_GROUP_LIMIT = 20_000
_TRAILING = f".,;:!?'*_{chars.EM_OPEN}{chars.EM_CLOSE}"


class Scanner:
    """One scan over one text; `run` gives the marked text, `slots` what its slots stand for."""

    def __init__(self, text: str, slots: list[Slot]) -> None:
        self.text = _straighten(text)
        self.slots = slots
        self.out: list[str] = []
        self.closers: list[str] = []
        self.lists: list[int | None] = []
        self.position = 0

    def run(self) -> str:
        """The marked text."""
        text = self.text
        while match := _TOKEN.search(text, self.position):
            if match.start() > self.position:
                self.out.append(text[self.position : match.start()])
            self.position = match.end()
            getattr(self, f"_on_{match.lastgroup}")(match)
        self.out.append(text[self.position :])
        self.out.extend(reversed(self.closers))
        return _tidy("".join(self.out))

    def slot(self, node: Slot) -> str:
        """The character that stands for a node from now on."""
        if chars.FIRST_SLOT + len(self.slots) > chars.LAST_SLOT:
            return "" if isinstance(node, str) else _bare(node)
        self.slots.append(node)
        return chr(chars.FIRST_SLOT + len(self.slots) - 1)

    # addresses

    def _on_url(self, match: re.Match[str]) -> None:
        raw = match[0]
        angled = raw.startswith("<")
        address = raw.removeprefix("<")
        if address.count(chars.EM_OPEN) != address.count(chars.EM_CLOSE):
            address = _EM_MARKER.split(address)[0]
        kept = _trim(address)
        end = match.start() + angled + len(kept)
        if angled and self.text[end : end + 1] == ">":
            end += 1
        elif angled:
            self.out.append("<")
        self.position = end
        address = _EM_MARKER.sub("_", re.sub(r"\\([_#%&~-])", r"\1", kept))
        if len(address.split("//", 1)[1]) == 0:
            self.out.append(address)
            return
        self.out.append(self.slot(Link(address, (Text(address),))))

    def _on_host(self, match: re.Match[str]) -> None:
        kept = _trim(match[0])
        self.position = match.start() + len(kept)
        self.out.append(kept.replace("_", chars.UNDERSCORE).replace("*", chars.STAR))

    # code

    def _on_code(self, match: re.Match[str]) -> None:
        end = self.text.find(chars.CODE_CLOSE, match.end())
        if end < 0:
            return
        content = self.text[match.end() : end]
        self.position = end + 1
        self.out.append(self.slot(Code(" ".join(content.translate(_NO_MARKERS).split()))))

    def _on_sub(self, match: re.Match[str]) -> None:
        lower = match[0] == chars.SUB_OPEN
        end = self.text.find(chars.SUB_CLOSE if lower else chars.SUP_CLOSE, match.end(), match.end() + 300)
        if end < 0:
            return
        content = self.text[match.end() : end].translate(_NO_MARKERS)
        self.position = end + 1
        source = ("_" if lower else "^") + "{" + content.strip("$") + "}"
        self.out.append(self.slot(Math(formula_text(source), source)))

    def _on_ticks(self, match: re.Match[str]) -> None:
        ticks, start = match[0], match.end()
        text = self.text
        if len(ticks) == 2 and text.find("''", start, start + 400) > 0:
            self.out.append("“")
            return
        if len(ticks) == 1:
            quote = re.compile(r"[^`'\n]{1,80}'(?!\w)").match(text, start)
            code_end = text.find("`", start, start + 400)
            if quote and (code_end < 0 or quote.end() <= code_end):
                self.out.append("‘" + self.text[start : quote.end() - 1] + "’")
                self.position = quote.end()
                return
        end = text.find(ticks, start, start + 2_000)
        while end >= 0 and text[end + len(ticks) : end + len(ticks) + 1] == "`":
            end = text.find(ticks, end + len(ticks) + 1, start + 2_000)
        if end > start:
            self.position = end + len(ticks)
            content = " ".join(text[start:end].translate(_NO_MARKERS).split())
            self.out.append(self.slot(Code(content)) if content else "")
            return
        self.out.append("“" if len(ticks) == 2 else "‘" if text[start : start + 1].isalpha() else ticks)

    def _on_quotes(self, match: re.Match[str]) -> None:
        before = self.text[match.start() - 1 : match.start()]
        after = self.text[match.end() : match.end() + 1]
        if len(match[0]) > 3:
            self.out.append(match[0])
        elif len(match[0]) == 3:
            self.out.append("’”")
        elif (not before or before in " (\n") and after.strip():
            self.out.append("“")
        else:
            self.out.append("”")

    # formulas

    def formula(self, source: str, end: int) -> None:
        source = (source.translate(_RESTORED) if not source.isascii() else source).strip()
        self.position = end
        if _ONLY_WORDS.match(source) and (words := self._words(source)):
            self.out.append(words)
            return
        text = formula_text(source)
        if text:
            self.out.append(self.slot(Math(text, source)))

    def _words(self, source: str) -> str:
        """The marked text of a formula that is one `\\text…{…}` and so no formula; empty where it is more than that."""
        inner = Scanner(source, self.slots)
        command = re.match(r"\\[A-Za-z]+\s*", source)
        inner.position = command.end() if command else 0
        if inner.argument() is None or inner.position < len(source):
            return ""
        inner.position = 0
        return inner.run()

    def _on_dollar(self, match: re.Match[str]) -> None:
        sign, start = match[0], match.end()
        if len(sign) == 2:
            end = self.text.find("$$", start, start + MAX_SPAN)
            if end > start:
                self.formula(self.text[start:end], end + 2)
                return
            self.out.append("$$" if end < 0 else "")
            self.position = start if end < 0 else end + 2
            return
        for end in self._closings(start):
            content = self.text[start:end]
            if content.count("{") != content.count("}"):
                continue
            if is_formula(content, self.text[end + 1 : end + 2]):
                self.formula(content, end + 1)
                return
            break
        self.out.append("$")

    def _closings(self, start: int) -> list[int]:
        """Where the next dollars stand, at most twelve, for formulas with dollars in an argument of theirs."""
        found: list[int] = []
        at = start
        while len(found) < 12 and (at := self.text.find("$", at, start + MAX_SPAN)) >= 0:
            if self.text[at - 1] != "\\" or self.text[at - 2] == "\\":
                found.append(at)
            at += 1
        return found

    def _on_script(self, match: re.Match[str]) -> None:
        source = match[0]
        self.out.append(self.slot(Math(formula_text(source), source)))

    # groups

    def _on_open(self, match: re.Match[str]) -> None:
        following = self.text[match.end() : match.end() + 1]
        group = re.compile(r"[^{}\s,]{0,60}\}").match(self.text, match.end())
        protected = group is not None and (group[0] == "}" or group[0][0].isupper())
        if following == "\\" or protected or group and group[0] in ("-}", ",}"):
            self.closers.append("")
        else:
            self.out.append("{")
            self.closers.append("}")

    def _on_close(self, _match: re.Match[str]) -> None:
        self.out.append(self.closers.pop() if self.closers else "}")

    # the rest

    def _on_dashes(self, match: re.Match[str]) -> None:
        before = self.text[match.start() - 1 : match.start()]
        after = self.text[match.end() : match.end() + 1]
        flag = (not before or before in " (\n") and after.isalpha() and len(match[0]) == 2
        if len(match[0]) > 3 or after == ">" or before == "<" or (flag and not self._dash_after(match.end())):
            self.out.append(match[0])
        else:
            self.out.append("–" if len(match[0]) == 2 else "—")

    def _dash_after(self, start: int) -> bool:
        """Whether another double dash closes an aside (`word --aside-- word`) that this one opens."""
        return self.text.find("--", start, start + 200) > 0

    def _on_tilde(self, match: re.Match[str]) -> None:
        before = self.text[match.start() - 1 : match.start()]
        after = self.text[match.end() : match.end() + 1]
        loose = not before or before.isspace() or before in "(["
        ranged = before.isdigit() and after.isdigit()
        keep = ranged or (loose and after and not after.isspace()) or (loose and after.isspace() and before)
        self.out.append(match[0] if keep or len(match[0]) > 1 else " ")

    def _on_dunder(self, match: re.Match[str]) -> None:
        self.out.append(match[0].replace("_", chars.UNDERSCORE))

    def _on_star(self, _match: re.Match[str]) -> None:
        self.out.append(chars.STAR if not self._emphasis_open() else "*")

    def _emphasis_open(self) -> bool:
        """Whether a single star before this one still waits for its end."""
        tail = "".join(self.out[-40:])[-300:]
        return bool(re.search(r"(?<![\w*])\*(?![\s*])[^*]*$", tail))

    def _on_escape(self, match: re.Match[str]) -> None:
        char = match[0][1]
        if char == "*" and self.text[match.end() : match.end() + 1] == "*":
            self.out.append("*")
            return
        if char in "([":
            end = self.text.find("\\)" if char == "(" else "\\]", match.end(), match.end() + MAX_SPAN)
            if end > 0:
                self.formula(self.text[match.end() : end], end + 2)
                return
        if char in commands.ACCENTS and self.accent(char, match.end()):
            return
        self.out.append(commands.SPECIALS.get(char, char if not char.isspace() else " "))

    def accent(self, name: str, start: int) -> bool:
        """An accent command and its letter; whether there was one."""
        letter = _ACCENTED.match(self.text, start)
        if letter is None:
            return False
        if not name.isalpha():
            if letter[0][0].isspace():
                return False
            if name == '"' and _QUOTED.match(self.text, start) and not self.text[: start - 2][-1:].isalnum():
                return False
        from pylatexenc import latex2text  # noqa: PLC0415 - heavy, and rarely needed

        bare = letter[0].strip().strip("{}").strip().replace("\\i", "i").replace("\\j", "j")
        self.out.append(latex2text.LatexNodes2Text().latex_to_text(f"\\{name}{{{bare}}}"))
        self.position = letter.end()
        return True

    def inner_text(self, source: str) -> str:
        """The plain characters of an argument."""
        slots: list[Slot] = []
        inner = Scanner(source, slots).run()
        return plain(build(inner, slots))

    def _on_command(self, match: re.Match[str]) -> None:
        expand(self, match[0][1:], match.start())

    def argument(self) -> str | None:
        """The braced argument at the position, taken; None where there is none or it never ends."""
        start = self.position
        while start < len(self.text) and self.text[start].isspace() and start < self.position + 3:
            start += 1
        if self.text[start : start + 1] != "{":
            return None
        depth = 0
        for brace in re.compile(r"\\.|[{}]", re.DOTALL).finditer(self.text, start, start + _GROUP_LIMIT):
            depth += (brace[0] == "{") - (brace[0] == "}")
            if depth == 0:
                self.position = brace.end()
                return self.text[start + 1 : brace.start()]
        return None


_EM_MARKER = re.compile(f"[{chars.EM_OPEN}{chars.EM_CLOSE}]")
_ONLY_WORDS = re.compile(r"\\(?:text(?:bf|it|sl|rm|sc|sf|md|up|tt|normal)?|emph|mbox|underline)\s*\{")
_ACCENTED = re.compile(r"\s*(?:\{\s*(?:\\[ij]|[A-Za-z])\s*\}|\\[ij](?![A-Za-z])\s?|[A-Za-z])")
_QUOTED = re.compile(r'[^"\\\n]{1,200}\\"(?![A-Za-z])')
_NO_MARKERS = {code: None for code in range(0xFDD0, 0xFDF0)}
_RESTORED = {**_NO_MARKERS, ord(chars.EM_OPEN): "_", ord(chars.EM_CLOSE): "_"}
_DROPPED = re.compile(rf"\s*[(\[]\s*(?:{chars.DROPPED}[\s,;]*)+[)\]]|\s*{chars.DROPPED}")


_CLOSED_OTHERWISE = re.compile(r"``([^`'\"“”\n]{1,200})(?:\"|”)")
_TWICE_OPENED = re.compile(r"``([^\W\d_](?:[\w\s,.’-]|'(?!')){0,200})``")
_BROKEN_CODE = re.compile(f"[{chars.CODE_OPEN}{chars.CODE_CLOSE}]")
_CODE_SPAN = re.compile(f"{chars.CODE_OPEN}([^{chars.CODE_CLOSE}]*){chars.CODE_CLOSE}")
_DOUBLED = re.compile(r"\\\\(?=[%$&#_]|([A-Za-z]{2,}))")


def _straighten(text: str) -> str:
    """The text with what a form's own Markdown broke put back: quotes read as code, backslashes doubled."""
    if chars.CODE_OPEN in text:
        text = _CODE_SPAN.sub(lambda span: _BROKEN_CODE.sub("``", span[0]) if "''" in span[1] else span[0], text)
    if "``" in text:
        text = _TWICE_OPENED.sub(r"“\1”", _CLOSED_OTHERWISE.sub(r"“\1”", text))
    if "\\\\" in text:
        text = _DOUBLED.sub(lambda pair: "\\" if not pair[1] or known(pair[1]) else pair[0], text)
    return text


def _bare(node: Math | Code | Link) -> str:
    return node.url if isinstance(node, Link) else node.text


def _trim(address: str) -> str:
    """The address without the sentence's punctuation and without brackets that close nothing of its own."""
    while address:
        last = address[-1]
        if last in _TRAILING or (last == ")" and address.count(")") > address.count("(")):
            address = address[:-1]
        elif last == "]" and address.count("]") > address.count("["):
            address = address[:-1]
        else:
            break
    return address


def _tidy(text: str) -> str:
    """The text without what a dropped citation leaves: empty brackets, a space before the full stop."""
    return _DROPPED.sub("", text) if chars.DROPPED in text else text
