"""The state of a scan: the text, a position, what was written so far, and what the open groups still owe."""

import re

from bot.corpus.markup import chars
from bot.corpus.markup.formulas import formula_text
from bot.corpus.markup.tree import Slot
from bot.richtext import Code, Link, Math

_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_OPTION = re.compile(r" ?\[[^\]]{0,200}\](?=[\[{])")


class Scanner:
    """A text being read from left to right; `out` collects the marked text, `slots` the nodes it refers to."""

    def __init__(self, text: str, slots: list[Slot]) -> None:
        self.text = text
        self.slots = slots
        self.position = 0
        self.out: list[str] = []
        self.closers: list[str] = []
        self.lists: list[int | None] = []
        self.spent: set[int] = set()
        self._ends: dict[int, int] | None = None

    def peek(self, length: int = 1) -> str:
        """The next characters."""
        return self.text[self.position : self.position + length]

    def before(self, position: int) -> str:
        """The character before a position, nothing at the start."""
        return self.text[position - 1] if position else ""

    def write(self, *parts: str) -> None:
        """Append to the marked text."""
        self.out.extend(parts)

    def put(self, node: Slot) -> None:
        """Append a node, or for an address the opening of a link to it."""
        if chars.FIRST_SLOT + len(self.slots) <= chars.LAST_SLOT:
            self.write(chr(chars.FIRST_SLOT + len(self.slots)))
            self.slots.append(node)
        elif not isinstance(node, str):
            self.write(chars.literal(node.url if isinstance(node, Link) else node.text))

    def behind_formula(self) -> bool:
        """Whether what was written last is a formula."""
        last = next((part for part in reversed(self.out[-3:]) if part), "")
        return last >= chr(chars.FIRST_SLOT) and isinstance(self.slots[ord(last[0]) - chars.FIRST_SLOT], Math)

    def put_formula(self, source: str) -> None:
        """Append a formula given without its delimiters."""
        source = chars.as_typed(source).strip()
        if text := formula_text(source):
            self.put(Math(text, source))

    def put_code(self, content: str) -> None:
        """Append verbatim text."""
        if content := " ".join(chars.bare(content).split()):
            self.put(Code(content))

    def argument(self) -> str | None:
        """Take the braced argument at the position; None where there is none or it never ends."""
        start = self.position + (self.peek() == " ")
        if self.text[start : start + 1] != "{":
            return None
        end = self._closing(start)
        if end is None:
            return None
        self.position = end + 1
        return self.text[start + 1 : end]

    def enter(self, closer: str) -> bool:
        """Step into the braced argument at the position, to write `closer` at its end; whether there is one."""
        start = self.position + (self.peek() == " ")
        if self.text[start : start + 1] != "{":
            return False
        self.position = start + 1
        self.closers.append(closer)
        return True

    def skip_option(self) -> None:
        """Step over `[…]` before an argument."""
        while option := _OPTION.match(self.text, self.position):
            self.position = option.end()

    def skip_space(self) -> None:
        """Step over the white space that ends a command's name."""
        while self.peek().isspace():
            self.position += 1

    def skip_empty(self) -> bool:
        """Step over `{}` behind a command; whether it was there."""
        found = self.peek(2) == "{}"
        self.position += 2 * found
        return found

    def closes(self, start: int) -> bool:
        """Whether the group that opens at `start` ends."""
        return self._closing(start) is not None

    def _closing(self, start: int) -> int | None:
        """Where the group that opens at `start` ends; all of them are found in one pass, once."""
        if self._ends is None:
            self._ends = {}
            open_: list[int] = []
            for brace in _BRACE.finditer(self.text):
                if brace[0] == "{":
                    open_.append(brace.start())
                elif brace[0] == "}" and open_:
                    self._ends[open_.pop()] = brace.start()
        return self._ends.get(start)
