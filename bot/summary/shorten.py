"""A sentence made shorter by deleting words, and only where what stays still reads as a sentence."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.summary import leads
from bot.summary.asides import without_asides, without_citations
from bot.summary.tails import tails


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to shorten, and what it costs: the loss that a reader feels, about one a deletion."""

    text: str
    cost: float


_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_SLACK = 12
"""Characters above the wanted length that are no reason to cut deeper."""


_LONGEST = 3000
"""Characters above which a text is no sentence, and is left as it is."""


def shorten(sentence: str, longest: int, prized: re.Pattern[str] | None = None, *, claim: bool = False) -> str:
    """The sentence in at most `longest` characters where deleting words can do that, else as short as is sound.

    Citations and openings that only point back or announce are deleted always; asides, other openings and clauses at
    the end only from sentences that are too long. `claim` also drops the announcement of a finding ("Experiments
    show that"). What `prized` finds is given up last. No number, name, formula, address, bracket or quotation is ever
    cut in two.
    """
    whole = leads.without_pointers(without_citations(sentence))
    if claim:
        whole = leads.without_announcement(whole)
    if len(whole) <= longest + _SLACK or len(whole) > _LONGEST:
        return finished(whole)

    figures = len(_FIGURE.findall(whole))
    prizes = len(prized.findall(whole)) if prized else 0

    def loss(one: Variant) -> float:
        given_up = 0.3 * (figures - len(_FIGURE.findall(one.text))) if figures else 0.0
        if prized is not None and prizes:
            kept = len(prized.findall(one.text))
            given_up += 1.0 * min(prizes - kept, 3) + 2.5 * (kept == 0)
        return one.cost + _excess(len(one.text), longest) + given_up

    return finished(leads.without_purpose(min(_variants(whole, longest + _SLACK), key=loss).text))


def _variants(whole: str, enough: int) -> Iterator[Variant]:
    bodies = [Variant(whole, 0.0)]
    plainer = without_asides(whole)
    if plainer != whole:
        bodies.append(Variant(plainer, 0.3 + 0.004 * (len(whole) - len(plainer))))
    for opened in list(bodies):
        bodies.extend(
            Variant(text, opened.cost + cost + 0.006 * (len(opened.text) - len(text)))
            for text, cost in leads.shorter_openings(opened.text)
        )
    for body in bodies:
        yield body
        if len(body.text) <= enough:
            continue
        for text, cost in tails(body.text):
            yield Variant(text, body.cost + cost + 0.008 * (len(body.text) - len(text)))


def _excess(length: int, longest: int) -> float:
    over = length - longest - _SLACK
    return 0.0 if over <= 0 else 2.0 + 0.08 * over


_FIRST_WORD = re.compile(r"[\"'“‘(\[]*([^\W\d_]+(?:[-'’][^\W\d_]+)*)(?!://)(?=[\s,.;:!?)”\"—]|\Z)")


def finished(text: str) -> str:
    """The text with a capital at the start, unless a name keeps its own case there, and a stop at the end."""
    text = text.strip()
    first = _FIRST_WORD.match(text)
    if first and first.group(1).isascii() and first.group(1).islower():
        at = first.start(1)
        text = text[:at] + text[at].upper() + text[at + 1 :]
    return text
