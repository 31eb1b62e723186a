"""What the index holds of a paper, field by field; how that is learnt, asked for, and kept in a folder."""

import contextlib
import hashlib
import json
import logging
import math
import re
import shutil
import sys
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from operator import attrgetter
from pathlib import Path

import tantivy
from tantivy.tantivy import __version__ as engine

from bot.papers import Corpus, Paper
from bot.search.words import STOP_WORDS, Token, Vocabulary, fold, key, token, tokens

# Acronyms that a corpus explains itself: `Reinforcement Learning (RL)`, `mixture-of-experts (MoE)`.
# The letters of the acronym must be found in order in the words before the bracket, the first one at the start of a
# word, by the backward walk of Schwartz and Hearst (Pacific Symposium on Biocomputing 2003). The stricter rule of
# names, `labels.candidates.expansion_start`, finds fewer: SciFact falls from .7155 to .7142 with it.

_BRACKETED = re.compile(r"\(([^\W_][^()\n]{0,14}?[^\W_])(?:[,;:][^()\n]{0,40})?\)")
_MAX_EXPANSIONS = 3
_SHARE = 0.15
"""An expansion counts when it makes up this part of the times that its acronym is explained."""

Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Acronyms:
    """What acronyms mean and what is shortened to them, by stems."""

    expansions: Mapping[str, tuple[Stems, ...]]
    shortened: Mapping[Stems, tuple[str, ...]]
    first: frozenset[str]
    """What an expansion may start with."""


def mined(found: Mapping[str, Counter[Stems]]) -> Acronyms:
    """The acronyms of a corpus from how often each is explained in which way, the most frequent ways first."""
    return gathered(
        {
            short: tuple(
                long
                for long, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MAX_EXPANSIONS]
                if count >= _SHARE * counts.total()
            )
            for short, counts in sorted(found.items())
        }
    )


def gathered(expansions: Mapping[str, tuple[Stems, ...]]) -> Acronyms:
    """Acronyms by their expansions, with the way back."""
    shortened: defaultdict[Stems, list[str]] = defaultdict(list)
    for short, longs in expansions.items():
        for long in longs:
            shortened[long].append(short)
    first = frozenset(long[0] for long in shortened)
    return Acronyms(expansions, {long: tuple(shorts) for long, shorts in shortened.items()}, first)


def explained(text: str) -> list[tuple[str, Stems]]:
    """Pairs of acronym and expansion in one text, both stemmed."""
    pairs: list[tuple[str, Stems]] = []
    for bracket in _BRACKETED.finditer(text):
        short = fold(bracket[1])
        if not (2 <= len(short) <= 10 and any(map(str.isupper, short)) and " " not in short):
            continue
        singular = short[:-1] if short.endswith("s") and short[-2:-1].isupper() else short
        letters = "".join(filter(str.isalnum, singular)).casefold()
        before = fold(text[max(0, bracket.start() - 100) : bracket.start()]).casefold().rstrip()
        start = _start(letters, before)
        if start is None:
            continue
        long = tuple(one for item in tokens(before[start:]) for one in item.stems)
        one = token(singular)
        name = one.joined or one.stems[0]
        if 2 <= len(long) <= len(letters) + 3 and set(long) - STOP_WORDS and name not in long:
            pairs.append((name, long))
    return pairs


def _start(letters: str, before: str) -> int | None:
    """Where the expansion of `letters` starts in the text that ends at its bracket, or None."""
    place = len(before) - 1
    for step in range(len(letters) - 1, -1, -1):
        while place >= 0 and (
            before[place] != letters[step] or (step == 0 and place > 0 and before[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
        place -= 1
    return place + 1


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


def own_title(paper: Paper) -> str:
    """A paper's title, or "" where it is derived: that has no words but the abstract's, which would count twice."""
    return "" if paper.title_source == "derived" else paper.title_text


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
        title, body = tokens(own_title(paper)), tokens(paper.text)
        names = names_of(paper)
        called = [one for name in names for one in tokens(name)]
        self._learn([*title, *body, *called], called)
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

    def _learn(self, seen: list[Token], called: list[Token]) -> None:
        self._named.update(word for one in called for word in (*one.words, *one.inner))
        for one in seen:  # in the order of the text, so that the same corpus is always learnt in the same way
            if one.parts and one not in self._met:
                self._splits.setdefault(one.joined or one.stems[0], " ".join(one.parts))
        self._met.update(seen)

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


# One state of the index to ask: how rare terms are, and the smallest questions about them.

_REMEMBERED = 20_000


class Reader:
    """A searcher with what was learnt from its papers. The state never changes, so answers are remembered."""

    def __init__(self, searcher: tantivy.Searcher, knowledge: Knowledge) -> None:
        self.searcher = searcher
        self.knowledge = knowledge
        self.schema = schema()
        self.papers: int = searcher.num_docs
        self.count = count = lru_cache(_REMEMBERED)(searcher.doc_freq)
        # functions of what they need and not of the reader: one that held itself would outlive its library, which the
        # collector does not look through
        self.term = lru_cache(_REMEMBERED)(partial(_term, self.schema, count))
        self.together = lru_cache(_REMEMBERED)(partial(_together, self.schema, count))

    def frequency(self, stemmed: str) -> int:
        """The number of papers with this stem in their text, else in a name, else inside a word."""
        return self.count("body", stemmed) or self.count("name", stemmed) or self.count("inner", stemmed)

    def known(self, stemmed: str) -> bool:
        """True when a search for this stem finds something, if only by another way to write it."""
        return (
            self.frequency(stemmed) > 0
            or stemmed in self.knowledge.splits
            or stemmed in self.knowledge.acronyms.expansions
        )

    def rarity(self, papers: int) -> float:
        """What a term in this many papers is worth: BM25's inverse document frequency, as Tantivy computes it."""
        return math.log(1 + (self.papers - papers + 0.5) / (papers + 0.5))


Count = Callable[[str, str], int]
"""The number of papers with a term in a field."""


def _term(schema: tantivy.Schema, count: Count, field: str, stemmed: str, weight: float) -> tantivy.Query | None:
    """Asks for a term in a field; None when no paper has it there."""
    if weight <= 0 or not count(field, stemmed):
        return None
    return boosted(tantivy.Query.term_query(schema, field, stemmed, "freq"), weight)


def _together(schema: tantivy.Schema, count: Count, run: tuple[str, ...], weight: float) -> tantivy.Query | None:
    """Asks for stems that stand side by side in the text, function words aside."""
    content = [stemmed for stemmed in run if stemmed not in STOP_WORDS]
    if len(content) < 2:
        return _term(schema, count, "body", content[0], weight) if content else None
    if weight <= 0 or not all(count("body", stemmed) for stemmed in content):
        return None
    return boosted(tantivy.Query.phrase_query(schema, "body", list(content)), weight)


def boosted(query: tantivy.Query, weight: float) -> tantivy.Query:
    """A question whose answers count `weight` times as much."""
    return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)


# Index folders: found again when nothing changed, rebuilt beside the old one, swapped in one step.
# A folder holds `current`, one line with the name of the folder that is in use, and that folder. A build goes to a
# folder of its own name and `current` is replaced when it is complete, so a reader never meets half an index and a
# build that dies leaves the old one in use. Builders wait for one another on `lock`.

if sys.platform != "win32":
    import fcntl

FORMAT = 3
"""Raised whenever fields, words or what is stored beside them change their meaning."""

_WAIT = 60.0
"""Seconds that a build waits for another one; then it goes on beside it, which is safe but does the work twice."""

_log = logging.getLogger(__name__)


def stamp(corpus: Corpus) -> str:
    """What an index must have been built by and from to be used again."""
    fingerprint = corpus.fingerprint or hashlib.sha256("\n".join(paper.id for paper in corpus).encode()).hexdigest()
    return f"{FORMAT} {engine} {len(corpus)} {fingerprint}"


def opened(directory: Path, wanted: str, build: Callable[[Path], Knowledge]) -> tuple[tantivy.Index, Knowledge]:
    """The stored index of this stamp, built first where there is none."""
    directory.mkdir(parents=True, exist_ok=True)
    found = _current(directory, wanted)
    if found is None:
        with _one_builder(directory) as alone:
            found = _current(directory, wanted)  # another process may have built it meanwhile
            if found is None:
                found = _rebuilt(directory, wanted, build)
                if alone:
                    _swept(directory)
    return found


def _current(directory: Path, wanted: str) -> tuple[tantivy.Index, Knowledge] | None:
    for _ in range(3):  # a swap between reading the name and opening the folder means to look again
        try:
            name = (directory / "current").read_text("utf-8").strip()
            place = directory / Path(name).name
            stored = json.loads((place / "knowledge.json").read_text("utf-8"))
            if stored["stamp"] != wanted:
                return None
            return tantivy.Index.open(str(place)), _knowledge(stored)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError) as problem:
            _log.warning("The index in %s cannot be read and is built anew: %s", directory, problem)
            return None
    return None


def _rebuilt(directory: Path, wanted: str, build: Callable[[Path], Knowledge]) -> tuple[tantivy.Index, Knowledge]:
    place = directory / f"index-{uuid.uuid4().hex}"
    place.mkdir()
    try:
        knowledge = build(place)
        (place / "knowledge.json").write_text(json.dumps(_stored(knowledge, wanted)), "utf-8")
        found = tantivy.Index.open(str(place)), knowledge
        pointer = directory / f"{place.name}.current"
        pointer.write_text(place.name, "utf-8")
        pointer.replace(directory / "current")
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return found


def _swept(directory: Path) -> None:
    """Removes what earlier builds left; a process that still reads one keeps its open files."""
    name = (directory / "current").read_text("utf-8").strip()
    for old in directory.glob("index-*"):
        if old.name == name:
            continue
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)


@contextlib.contextmanager
def _one_builder(directory: Path) -> Iterator[bool]:
    """Holds the builders' lock; False when it could not be had."""
    if sys.platform == "win32":
        yield False
        return
    with (directory / "lock").open("a") as lock:
        deadline = time.monotonic() + _WAIT
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    _log.warning("Another process has held %s for %d s; building beside it", lock.name, _WAIT)
                    yield False
                    return
                time.sleep(0.05)
            else:
                break
        yield True


def _stored(knowledge: Knowledge, wanted: str) -> dict[str, object]:
    return {
        "stamp": wanted,
        "papers": knowledge.papers,
        "vocabulary": knowledge.vocabulary.frequency,
        "acronyms": {
            short: [" ".join(long) for long in longs] for short, longs in knowledge.acronyms.expansions.items()
        },
        "splits": dict(knowledge.splits),
        "topics": knowledge.topics,
        "venues": knowledge.venues,
        "years": knowledge.years,
    }


def _knowledge(stored: dict[str, dict[str, list[str]]]) -> Knowledge:
    raw: dict[str, dict[str, str]] = stored  # type: ignore[assignment]
    lists: dict[str, list[str]] = stored  # type: ignore[assignment]
    return Knowledge(
        papers=tuple(lists["papers"]),
        vocabulary=Vocabulary({word: int(count) for word, count in raw["vocabulary"].items()}),
        acronyms=gathered(
            {short: tuple(tuple(long.split(" ")) for long in longs) for short, longs in stored["acronyms"].items()}
        ),
        splits=raw["splits"],
        topics=tuple(lists["topics"]),
        venues=tuple(lists["venues"]),
        years=tuple(map(int, lists["years"])),
    )
