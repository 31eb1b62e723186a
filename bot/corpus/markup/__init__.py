"""The one parser from mixed Markdown, LaTeX and HTML, as authors type it into a form, to rich text."""

from bot.corpus.markup import chars
from bot.corpus.markup.repair import restore_escapes, restore_lines
from bot.corpus.markup.scan import scan
from bot.corpus.markup.tags import marked_text
from bot.corpus.markup.tree import Slot, build
from bot.richtext import Inlines

PARSER_VERSION = 9
"""Raised with every change of what `parse` gives, so that a cache of parsed papers knows."""

__all__ = ["PARSER_VERSION", "parse"]


def parse(source: str) -> Inlines:
    """Rich text of an abstract or a title; a total function.

    White space is folded, neighbouring Text is one node, and control, invisible and private characters are gone.
    A formula becomes `Math` with the text that a person would type for it, an http(s) address a `Link`.
    """
    slots: list[Slot] = []

    def link(address: str) -> str:
        slots.append(address)
        return chr(chars.FIRST_SLOT + len(slots) - 1)

    marked = marked_text(restore_lines(chars.clean(restore_escapes(source))), link)
    return build(scan(" ".join(marked.split()), slots), slots)
