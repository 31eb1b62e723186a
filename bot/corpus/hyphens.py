"""Words that a typesetter's line break left in two (`calibra- tion`), joined where the corpus knows the whole word.

A hyphen before a space is far more often suspended (`short- and long-term`) than broken, so a pair is joined only
when the joined word occurs elsewhere, and never before a conjunction.
"""

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import pairwise

from bot.corpus.markup.names import names
from bot.richtext import Code, Emphasis, Inline, Inlines, LineBreak, Link, Mark, Math, Strong, Text

_RUN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,40})[-\u2010] ([^\W\d_]{1,40})(?![^\W\d_])")
_CONJUNCTIONS = names(
    "and or to vs nor but versus plus then through than as not rather over into yet either both und oder et ou y e o",
)


def vocabulary_of(texts: Iterable[str]) -> frozenset[str]:
    """The words of four letters or more that occur in plain texts, in lower case.

    A word that is more often written with a hyphen (`fine-tuned`) is left out: joining its halves would misspell it.
    """
    tokens: Counter[str] = Counter()
    for text in texts:
        tokens.update(text.lower().split())
    words: Counter[str] = Counter()
    hyphened: Counter[str] = Counter()
    for token, count in tokens.items():
        for run in _RUN.findall(token):
            parts = run.split("-")
            for part in parts:
                words[part] += count
            for first, second in pairwise(parts):
                hyphened[first + second] += count
    return frozenset(word for word, count in words.items() if len(word) > 3 and count >= hyphened[word])


def join_broken(nodes: Inlines, vocabulary: AbstractSet[str]) -> Inlines:
    """The nodes with broken words joined where `vocabulary` (lower case) knows the whole; else the same object."""
    changed = tuple(_joined(node, vocabulary) for node in nodes)
    return nodes if all(new is old for new, old in zip(changed, nodes, strict=True)) else changed


def _joined(node: Inline, vocabulary: AbstractSet[str]) -> Inline:
    match node:
        case Text(text):
            if "- " not in text and "\u2010 " not in text:
                return node
            joined = _join_text(text, vocabulary)
            return node if joined == text else Text(joined)
        case Strong(children):
            inner = join_broken(children, vocabulary)
            return node if inner is children else Strong(inner)
        case Emphasis(children):
            inner = join_broken(children, vocabulary)
            return node if inner is children else Emphasis(inner)
        case Mark(children):
            inner = join_broken(children, vocabulary)
            return node if inner is children else Mark(inner)
        case Link(url, children):
            inner = join_broken(children, vocabulary)
            return node if inner is children else Link(url, inner)
        case Code() | Math() | LineBreak():
            return node


def _join_text(text: str, vocabulary: AbstractSet[str]) -> str:
    def replace(pair: re.Match[str]) -> str:
        first, second = pair[1], pair[2]
        known = second.islower() and second not in _CONJUNCTIONS and (first + second).lower() in vocabulary
        return first + second if known else pair[0]

    return _BROKEN.sub(replace, text)
