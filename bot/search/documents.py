"""What the index holds of a paper, field by field."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter

import tantivy

from bot.papers import Corpus, Paper
from bot.search.acronyms import Acronyms, explained, mined
from bot.search.fold import key
from bot.search.vocabulary import Vocabulary
from bot.search.wordlists import STOP_WORDS
from bot.search.words import Token, tokens

_NAME_BEFORE_COLON = 4
"""A title that starts with at most this many words and a colon starts with the name of what it is about."""

_SMALL = 500
"""In a corpus of fewer papers a word of one paper alone is more likely a rare word than a misprint."""

_LONGEST_COMPOUND = 24
"""Longer compounds are not typed in one word."""

_SPELLED_OUT = 2
"""So many times an acronym that a text explains is spelled out where it stands."""


def schema() -> tantivy.Schema:
    """The fields of the index.

    `body` is title and abstract in stems, without function words, with positions; `title` and `name` weigh a word
    more where it stands there; `inner` holds the parts of words like PuzzleMoE; `exact` the words unstemmed, for
    phrases; `key` whole folded names; `facet` what filters ask for; `n` the paper's place in the corpus.
    """
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("n", fast=True)
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("exact", tokenizer_name="whitespace", index_option="position")
    for name in ("title", "name", "inner"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    for name in ("key", "facet"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
    return builder.build()


@dataclass
class Facets:
    """The values that filters can ask for, in the order met; a value's place is its number in the index."""

    topics: dict[str, int] = field(default_factory=dict)
    venues: dict[str, int] = field(default_factory=dict)
    years: set[int] = field(default_factory=set)

    def of(self, paper: Paper) -> list[str]:
        """The facet terms of a paper."""
        terms = [f"topic{self.topics.setdefault(topic, len(self.topics))}" for topic in paper.topics]
        if paper.venue:
            terms.append(f"venue{self.venues.setdefault(paper.venue, len(self.venues))}")
        if paper.year is not None:
            self.years.add(paper.year)
            terms.append(f"year{paper.year}")
        if paper.code:
            terms.append("code")
        return terms


@dataclass(frozen=True)
class Knowledge:
    """What is learnt from a corpus while it is indexed, and stored with the index."""

    papers: tuple[str, ...]
    """Ids in the order of `n`."""
    vocabulary: Vocabulary
    acronyms: Acronyms
    splits: Mapping[str, str]
    """Compounds written together, and the stems of their parts: `kvcach` is `kv cach`."""
    topics: tuple[str, ...]
    venues: tuple[str, ...]
    years: tuple[int, ...]


def names_of(paper: Paper) -> list[str]:
    """Everything a paper is called by: name, handle, aliases, and what its title puts before a colon."""
    names = [paper.name, paper.handle, *paper.aliases]
    before, colon, _ = paper.title_text.partition(":")
    if colon and len(before.split()) <= _NAME_BEFORE_COLON:
        names.append(before)
    return [name for name in dict.fromkeys(names) if name.strip()]


def keys_of(paper: Paper) -> list[str]:
    """What a paper can be called, folded, without spaces; `Schur-A*` also as `schura`, an alias with a `~`."""
    names = [*names_of(paper), paper.title_text]
    keys = [
        key(form) + ("~" if name in paper.aliases else "")
        for name in names
        for form in ((name, name.replace("*", "")) if "*" in name else (name,))
    ]
    return [one for one in dict.fromkeys(keys) if one.strip("~")]


_WORDS = attrgetter("words")
_INNER = attrgetter("inner")
_TOLD = attrgetter("telling")


class Indexing:
    """Turns papers into documents of the index, and learns from them on the way."""

    def __init__(self) -> None:
        self._facets = Facets()
        self._met: set[Token] = set()
        self._named: set[str] = set()
        self._explained: dict[str, Counter[tuple[str, ...]]] = {}
        self._splits: dict[str, str] = {}

    def document(self, number: int, paper: Paper) -> tantivy.Document:
        """The document of a paper that stands at place `number`."""
        title, body = tokens(paper.title_text), tokens(paper.text)
        names = names_of(paper)
        called = [token for name in names for token in tokens(name)]
        self._learn({*title, *body, *called}, called)
        everything = title + body
        pairs = explained(paper.text)
        for short, long in pairs:
            self._explained.setdefault(short, Counter())[long] += 1
        document = tantivy.Document()
        document.add_unsigned("n", number)
        document.add_text("body", _spelled_out(everything, dict(pairs)))
        document.add_text("exact", " ".join(chain.from_iterable(map(_WORDS, everything))))
        document.add_text("title", _stems(title))
        document.add_text("name", " ".join(dict.fromkeys(s for t in called for s in (*t.stems, *t.inner))))
        document.add_text("inner", " ".join(chain.from_iterable(map(_INNER, everything))))
        document.add_text("key", " ".join(keys_of(paper)))
        document.add_text("facet", " ".join(self._facets.of(paper)))
        return document

    def _learn(self, seen: set[Token], called: list[Token]) -> None:
        self._named.update(word for token in called for word in (*token.words, *token.inner))
        for token in seen - self._met:
            if token.parts:
                self._splits.setdefault(token.joined or token.stems[0], " ".join(token.parts))
        self._met |= seen

    def knowledge(self, corpus: Corpus, words: Iterable[tuple[str, int]]) -> Knowledge:
        """What was learnt; `words` are those of the finished index, with the number of papers each is in."""
        least = 1 if len(corpus) < _SMALL else 2
        frequency = dict.fromkeys(sorted(self._named), 1)
        frequency |= {word: papers for word, papers in words if papers >= least or word in frequency}
        return Knowledge(
            papers=tuple(paper.id for paper in corpus),
            vocabulary=Vocabulary({word: papers for word, papers in frequency.items() if not word.isdigit()}),
            acronyms=mined(self._explained),
            splits={
                whole: parts
                for whole, parts in self._splits.items()
                if len(whole) <= _LONGEST_COMPOUND and not whole.replace(".", "").isdigit()
            },
            topics=tuple(self._facets.topics),
            venues=tuple(self._facets.venues),
            years=tuple(sorted(self._facets.years)),
        )


def _spelled_out(tokens_: list[Token], meant: dict[str, tuple[str, ...]]) -> str:
    """The stems of a text in which an acronym that it explains stands with what it means."""
    if not meant:
        return _stems(tokens_)
    stems: list[str] = []
    left = dict.fromkeys(meant, _SPELLED_OUT)
    for stemmed in chain.from_iterable(map(_TOLD, tokens_)):
        stems.append(stemmed)
        if left.get(stemmed):
            left[stemmed] -= 1
            stems.extend(other for other in meant[stemmed] if other not in STOP_WORDS)
    return " ".join(stems)


def _stems(tokens_: list[Token]) -> str:
    return " ".join(chain.from_iterable(map(_TOLD, tokens_)))
