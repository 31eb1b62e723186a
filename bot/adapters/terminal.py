"""The terminal: a reply as styled text, and a conversation with whoever sits there."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from rich.console import Console
from rich.padding import Padding
from rich.style import Style
from rich.text import Text as RichText

from bot.adapters.conversation import Answer, remark
from bot.commands.dispatch import Dispatcher
from bot.message import ChannelRef, Reply, Shown, User
from bot.richtext import (
    Block,
    Bullets,
    Card,
    Code,
    Divider,
    Emphasis,
    Fields,
    Heading,
    Image,
    Inline,
    LineBreak,
    Link,
    Mark,
    Math,
    Paragraph,
    Quote,
    Strong,
    Text,
)
from bot.text import clean, json_line, one_line


def as_plain(reply: Reply) -> str:
    """The reply as somebody at a terminal without colours reads it."""
    return reply.typed


def as_json(reply: Reply) -> str:
    """One line; the fields are a public interface and only ever grow."""
    value: dict[str, object] = {
        "command": reply.command,
        "ok": reply.error is None,
        "papers": [_paper(shown) for shown in reply.papers],
        "page": reply.page,
        "total": reply.total,
        "searched_for": reply.searched_for,
        "text": reply.typed,
        "private": reply.private,
        "notes": list(reply.notes),
        "error": {"kind": reply.error.kind, "message": reply.error.message} if reply.error else None,
    }
    return json_line(json.dumps(value, ensure_ascii=False))


def _paper(shown: Shown) -> dict[str, object]:
    paper = shown.paper
    return {
        "id": paper.id,
        "handle": paper.handle,
        "name": paper.name,
        "aliases": list(paper.aliases),
        "title": paper.title_text,
        "title_source": paper.title_source,
        "links": list(paper.links),
        "sources": [
            {"file": source.file, "position": source.position, "record_id": source.record_id}
            for source in paper.sources
        ],
        "score": shown.score,
    }


USER = User("console")
CHANNEL = ChannelRef("console", "", "terminal")

_WIDEST = 100
"""Columns of running text: longer lines are hard to read."""

_PROMPT = "papers> "
_LEAVE = {"exit", "quit", "bye", ":q"}


def styled(nodes: Iterable[Inline], base: str = "") -> RichText:
    """Inline nodes as text with styles; links are clickable where the terminal can."""
    result = RichText(style=base, end="")
    for node in nodes:
        match node:
            case Text(value) | Math(value, _):
                result.append(clean(value))
            case Strong(children):
                result.append_text(_with_style(children, "bold"))
            case Emphasis(children):
                result.append_text(_with_style(children, "italic"))
            case Mark(children):
                result.append_text(_with_style(children, "bold yellow"))
            case Code(value):
                result.append(clean(value), "cyan")
            case Link(url, children):
                part = styled(children)
                part.stylize(Style(underline=True, link=one_line(url)))
                result.append_text(part)
            case LineBreak():
                result.append("\n")
            case _:
                assert_never(node)
    return result


def _with_style(children: Iterable[Inline], style: str) -> RichText:
    part = styled(children)
    part.stylize(style)
    return part


def show(reply: Reply, console: Console) -> None:
    """Print a reply: blocks with air between them, hints dimmed below."""
    for block in reply.blocks:
        _show_block(block, console)
    for hint in reply.hints:
        console.print(styled(hint, "dim"))
    console.print()


def _show_block(block: Block, console: Console) -> None:
    match block:
        case Heading(children):
            console.print(_with_style(children, "bold"))
        case Paragraph(children, quiet):
            console.print(styled(children, "dim" if quiet else ""))
            if not quiet:
                console.print()
        case Quote(children):
            console.print(Padding(styled(children, "italic"), (0, 0, 0, 2)))
        case Bullets(items):
            for item in items:
                console.print(RichText("- ").append_text(styled(item)))
            console.print()
        case Fields(items):
            for label, value in items:
                console.print(RichText().append(f"{clean(label)}: ", "bold").append_text(styled(value)))
            console.print()
        case Card(number, title, meta, body):
            console.print(RichText().append(f"{number}. ", "bold").append_text(_with_style(title, "bold")))
            console.print(Padding(styled(meta, "dim"), (0, 0, 0, 3)))
            if body:
                console.print(Padding(styled(body), (0, 0, 0, 3)))
            console.print()
        case Divider():
            console.rule()
        case Image(url, alt):
            console.print(RichText(clean(alt)).append(f" ({one_line(url)})", "dim"))
        case _:
            assert_never(block)


def make_console() -> Console:
    """A console on standard output; width bounded, colours only where the terminal has them."""
    console = Console(highlight=False, emoji=False, markup=False, soft_wrap=False)
    console.width = min(console.width, _WIDEST)
    return console


@dataclass(frozen=True, slots=True)
class TerminalSurface:
    """Whoever sits at the terminal, where nobody else is. What is written there goes to `write`."""

    write: Callable[[Reply], None]
    user: User = USER
    channel: ChannelRef = CHANNEL
    event: str = ""
    """Nobody types a line twice by accident."""
    shareable: bool = False
    aside: None = None

    async def show(self, answer: Answer) -> None:
        """Write an answer."""
        self.write(answer.reply)

    async def tell(self, words: str) -> None:
        """Write a line."""
        self.write(remark(words).reply)


def chat(
    dispatcher: Dispatcher,
    ask: Callable[[str], Iterable[Reply]],
    history: Path | None,
    read: Callable[[str], str] = input,
) -> None:
    """A conversation until end of input or `exit`.

    `ask` answers a line; `history` is the file that keeps typed lines for the arrow keys; `read` prompts for one.
    """
    console = make_console()
    count = len(dispatcher.library.corpus)
    console.print(f"{count} papers. Type words to search, help for more, exit to leave.", style="dim")
    with _line_editing(dispatcher, history):
        while True:
            try:
                line = read(_PROMPT).strip()
            except (EOFError, KeyboardInterrupt):
                console.print()
                return
            if line.lower() in _LEAVE:
                return
            if line:
                for reply in ask(line):
                    show(reply, console)


@contextlib.contextmanager
def _line_editing(dispatcher: Dispatcher, history: Path | None) -> Iterator[None]:
    """Arrow keys and completion, where Python was built with readline."""
    try:
        import readline  # noqa: PLC0415 - absent on some platforms
    except ImportError:
        yield
        return
    if history is not None:
        with contextlib.suppress(OSError):
            readline.read_history_file(history)
    readline.set_completer(_completer(dispatcher))
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        if history is not None:
            readline.set_history_length(500)
            with contextlib.suppress(OSError):
                readline.write_history_file(history)


def _completer(dispatcher: Dispatcher) -> Callable[[str, int], str | None]:
    """Command names and handles that begin like the word under the cursor."""

    def complete(word: str, state: int) -> str | None:
        names = [
            command.path for command in dispatcher.commands_at(CHANNEL.platform).here if command.path.startswith(word)
        ]
        if word:
            papers = dispatcher.library.suggester.suggest(word, limit=20)
            names.extend(paper.handle for paper in papers if paper.handle.startswith(word.lower()))
        return names[state] if state < len(names) else None

    return complete


def stdin_is_terminal() -> bool:
    """Whether somebody sits at the keyboard."""
    return sys.stdin is not None and sys.stdin.isatty()
