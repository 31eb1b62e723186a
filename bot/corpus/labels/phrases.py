"""Noun phrases of an abstract, and a short one of the contribution for papers that name nothing."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from bot.corpus.labels.candidates import Candidate, key_of, opens
from bot.corpus.labels.lexicon import (
    BROAD,
    COMMON,
    FUNCTION,
    GENERIC_HEADS,
    GERUNDS,
    HEADS,
    INTRODUCES,
    NOUNS_IN_ING,
    PRAISE,
    STRONG_INTRODUCES,
    STUDIES,
    SUBJECT_VERBS,
    SUBJECTS,
    VERBS,
    is_known,
    word_set,
)
from bot.corpus.labels.tokens import CAP, ODD, URL, Flat, TaggedToken, joined, kind_of

MAX_WORDS = 5
"""Words of a phrase: more is a sentence, not a name."""

_BREAKS = FUNCTION | VERBS | SUBJECT_VERBS | INTRODUCES | GERUNDS | STUDIES
_OBJECT_STARTS = word_set("a an the their its our this these how what whether it them each any all")
_SHORTEST_PLURAL = 5


@dataclass(slots=True)
class Phrase:
    """A noun phrase that an abstract uses: its words folded, where it is used, what is said of it."""

    words: tuple[str, ...]
    spans: list[tuple[int, int]] = field(default_factory=list)
    bonus: float = 0.0


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of words that one noun phrase could be: tokens by index."""

    at: tuple[int, ...]


def chunks_of(flat: Flat) -> list[Chunk]:
    """Stretches of words between function words, verbs and punctuation; a bracketed abbreviation is seen through."""
    found: list[Chunk] = []
    run: list[int] = []
    for index, token in enumerate(flat.tokens):
        if run and abbreviates(flat, index):
            continue
        if run and (token.gap.strip(") ’'") or token.sentence != flat.tokens[index - 1].sentence):
            found.append(Chunk(tuple(run)))
            run = []
        if _breaks(token) or _governs(flat, index):
            if run:
                found.append(Chunk(tuple(run)))
            run = []
            continue
        run.append(index)
    if run:
        found.append(Chunk(tuple(run)))
    trimmed = [_trim(flat.tokens, chunk.at) for chunk in found]
    return [Chunk(at) for at in trimmed if len(at) > 1]


def abbreviates(flat: Flat, index: int) -> bool:
    """Whether a token stands in brackets by itself, as an abbreviation does."""
    return "(" in flat.tokens[index].gap and ")" in flat.gap_after(index)


def _breaks(token: TaggedToken) -> bool:
    low = token.low
    return low in _BREAKS or token.kind == URL or low.endswith("ly") or not low[0].isalpha()


def _governs(flat: Flat, index: int) -> bool:
    """Whether a word in -ing is a verb with an object after it: `functions measuring the …`."""
    if not flat.tokens[index].low.endswith("ing") or index + 1 == len(flat.tokens):
        return False
    following = flat.tokens[index + 1]
    return joined(following) and following.low in _OBJECT_STARTS


def _trim(tokens: Sequence[TaggedToken], at: tuple[int, ...]) -> tuple[int, ...]:
    start, end = 0, len(at)
    while start < end and (tokens[at[start]].low in PRAISE or _is_gerund(tokens, at[start])):
        start += 1
    while end - start > 2 and tokens[at[end - 1]].low in GENERIC_HEADS:
        end -= 1
    while end > start and (tokens[at[end - 1]].low.endswith("ed") or tokens[at[end - 1]].low in PRAISE):
        end -= 1
    return at[start:end]


def _is_gerund(tokens: Sequence[TaggedToken], index: int) -> bool:
    """Whether a word in -ing is a verb: `by testing models`, not `pruning criteria`."""
    low = tokens[index].low
    if not low.endswith("ing") or "-" in low or low in NOUNS_IN_ING:
        return False
    return opens(tokens, index) or tokens[index - 1].low in FUNCTION


@lru_cache(maxsize=65536)
def _singular(word: str) -> str:
    return word[:-1] if len(word) >= _SHORTEST_PLURAL and word.endswith("s") and not word.endswith("ss") else word


def folded(words: Iterable[str]) -> tuple[str, ...]:
    """Words for counting: no plural s."""
    return tuple(map(_singular, words))


@lru_cache(maxsize=65536)
def parts_of(word: str) -> tuple[str, ...]:
    """The parts of a compound, folded."""
    return folded(word.split("-"))


def phrases_of(flat: Flat, chunks: Sequence[Chunk]) -> dict[tuple[str, ...], Phrase]:
    """Every phrase of two to `MAX_WORDS` words inside the chunks, by its folded words."""
    tokens = flat.tokens
    table: dict[tuple[str, ...], Phrase] = {}
    for chunk in chunks:
        size = len(chunk.at)
        words = folded(tokens[index].low for index in chunk.at)
        for start in range(size - 1):
            if tokens[chunk.at[start]].low in PRAISE:
                continue
            for end in range(start + 2, min(start + MAX_WORDS, size) + 1):
                key = words[start:end]
                phrase = table.get(key)
                if phrase is None:
                    phrase = table[key] = Phrase(key)
                phrase.spans.append((chunk.at[start], chunk.at[end - 1] + 1))
    return table


# A readable title line for papers whose title is not known.

TITLE_WIDTH = 90
"""Characters of a derived title line: one line of a chat message."""

_COLON = re.compile(r"\s*([^:?!—]{1,60}?)\s*(?::|\s—)\s+\S")
_CLAUSE = re.compile(
    r"[:?!]|\s(?:for|via|with|in|by|through|from|using|under|without|on|towards?|to|of|as|is|are|and)\s"
)
_NOT_NAMES = word_set("position towards toward beyond rethinking revisiting understanding on learning survey")
_QUESTIONS = word_set("what how why when do does did is are can could should where who which will on towards toward")

_CUT = re.compile(r"\s+\S*$")
_LEAD = re.compile(r"^(?:\s|,|:|;|—|–|-|\)|”|\"|'|’)+")
_DROPPED = re.compile(r"^(?:(?:that|which|to|is|as|who)\s+)+", re.IGNORECASE)
_CLOSERS = ')]”’"'


def cut(line: str, width: int = TITLE_WIDTH) -> str:
    """A line of at most `width` characters, cut at a word with an ellipsis."""
    line = " ".join(line.split())
    if len(line) <= width:
        return line
    head = line[: width - 1]
    shorter = head if line[width - 1].isspace() else _CUT.sub("", head)
    return (shorter or head).rstrip(" ,;:—–-(") + "…"


def gloss(flat: Flat, end: int) -> str:
    """The words that explain a name, read after its mention that ends before token `end`; empty for few."""
    tokens = flat.tokens
    if not 0 < end < len(tokens) or tokens[end].sentence != tokens[end - 1].sentence:
        return ""
    said = _DROPPED.sub("", _LEAD.sub("", rest(flat, end)))
    head, _, after = said.partition(" ")
    if head.casefold() in HEADS:
        said = _DROPPED.sub("", _LEAD.sub("", after))
    return said if said.count(" ") > 1 else ""


def rest(flat: Flat, end: int) -> str:
    """The rest of a sentence after token `end - 1`, without a bracket that opens right there."""
    tokens = flat.tokens
    if not 0 < end <= len(tokens):
        return ""
    last = end - 1
    while last + 1 < len(tokens) and tokens[last + 1].sentence == tokens[end - 1].sentence and last - end < 40:
        last += 1
    close = tokens[last].end
    while close < len(flat.text) and flat.text[close] in _CLOSERS:
        close += 1
    said = flat.text[tokens[end - 1].end : close]
    if said.lstrip().startswith("("):
        said = said.partition(")")[2] if ")" in said else said
    return " ".join(said.split())


def title_name(title: str, ranked: Sequence[Candidate]) -> str:
    """The name that a title starts with (`SALE : Low-bit …`), or nothing.

    Up to three words before a colon, oddly cased or a single word, or such as the abstract introduces.
    """
    found = _COLON.match(title)
    if found is None:
        return ""
    name = found[1]
    words = name.split()
    if not words or words[0].casefold() in _NOT_NAMES:
        return ""
    forms = {key_of(form): form for other in ranked for form in (other.expansion, other.name) if form}
    introduced = {key_of(form) for other in ranked if other.introduced for form in (other.name, other.expansion)}
    if key_of(name) in introduced:
        # as the abstract spells it: that is what people read, and find marked
        return forms[key_of(name)]
    return name if len(words) == 1 or (len(words) <= 3 and any(kind_of(word) == ODD for word in words)) else ""


def title_phrase(title: str) -> str:
    """The noun phrase that a title without a name starts with, two to five words, or nothing."""
    head = _CLAUSE.split(title)[0]
    words = head.split()
    if words and (words[0].casefold() in _QUESTIONS or words[0].endswith("ing")):
        return ""
    if any(word.casefold() in VERBS for word in words[1:]):
        return ""
    while words and words[0].casefold() in FUNCTION:
        words.pop(0)
    return " ".join(words) if 2 <= len(words) <= 5 else ""


_LENGTHS = {2: 0.0, 3: 0.5, 4: 0.0, 5: -0.2}
_PROPOSED = 2.0
"""Bonus from which a phrase counts as proposed: it is the object of a verb that introduces."""

_PERSPECTIVES = word_set("perspective viewpoint lens view")
_ADJECTIVES = (
    "al",
    "ic",
    "ive",
    "ous",
    "ful",
    "less",
    "able",
    "ible",
    "ary",
    "based",
    "sparse",
    "multi-agent",
    "single-cell",
)
_NOUNS = (
    "retrieval",
    "signal",
    "potential",
    "proposal",
    "survival",
    "metric",
    "logic",
    "objective",
    "approval",
    "reversal",
)
"""Endings of adjectives, and nouns that share them: a phrase does not end in an adjective."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a paper is about, where it names nothing.

    `name` is a noun phrase of two to five words, `others` are other forms (abbreviated, or as seen from the
    perspective that the paper takes), `line` is the text that starts with it. All empty where nothing was found.
    `proposed` says that a sentence presents it as the paper's own, not only that the paper speaks of it.
    """

    name: str = ""
    others: tuple[str, ...] = ()
    line: str = ""
    proposed: bool = False


def contribution(flat: Flat) -> Contribution:
    """The contribution of an abstract as a noun phrase."""
    chunks = chunks_of(flat)
    table = phrases_of(flat, chunks)
    if not table:
        return Contribution()
    _objects(flat, chunks, table)
    _emphasis(flat, table)
    weights = _Weights(flat)
    best = max(table.values(), key=lambda phrase: (_score(flat, phrase, weights), -phrase.spans[0][0]))
    start, end = best.spans[0]
    words = [flat.tokens[index].text for index in range(start, end) if not abbreviates(flat, index)]
    if opens(flat.tokens, start) and flat.tokens[start].kind == CAP and not is_known(words[0].split("-")[0]):
        words[0] = words[0][0].lower() + words[0][1:]
    viewed = _viewed(flat, table)
    others = [_abbreviated(flat, start, end), viewed]
    name = " ".join(words)
    if viewed and best.bonus > 0 and best.words[0] not in viewed and all(word in COMMON for word in best.words[1:]):
        # `factored representation learning` says less than `factored causal reward model`
        others.append(name)
        name = f"{words[0]} {viewed}"
    line = _line(flat, " ".join(words), end) if best.bonus else ""
    return Contribution(name, tuple(other for other in others if other), line, proposed=best.bonus >= _PROPOSED)


def _line(flat: Flat, name: str, end: int) -> str:
    """A phrase with the rest of its sentence: what it is for, or what it does."""
    said = rest(flat, end)
    if said.startswith(("and ", "or ")):
        return name
    if said[:1].isalnum():
        return f"{name} {said}"
    return f"{name}: {said.lstrip(' ,:;—–-')}" if said else name


def _viewed(flat: Flat, table: dict[tuple[str, ...], Phrase]) -> str:
    """The main subject as the paper sees it: `from a causal perspective` on reward models, `causal reward model`."""
    tokens = flat.tokens
    for index in range(3, len(tokens)):
        view = tokens[index - 1].low
        if (
            tokens[index].low in _PERSPECTIVES
            and tokens[index - 2].low in {"a", "an", "the"}
            and tokens[index - 3].low in {"from", "through", "under", "via"}
            and view not in COMMON
            and view not in PRAISE
            and view not in FUNCTION
        ):
            pairs = [phrase for phrase in table.values() if len(phrase.words) == 2]
            subject = max(pairs, key=lambda phrase: (len(phrase.spans), -phrase.spans[0][0]), default=None)
            if subject is not None and len(subject.spans) > 1 and view not in subject.words:
                return " ".join((view, *subject.words))
    return ""


def _abbreviated(flat: Flat, start: int, end: int) -> str:
    """`positive-unlabeled (PU) RL distillation` as `PU RL distillation`."""
    for index in range(start + 1, end - 1):
        if abbreviates(flat, index):
            return " ".join(token.text for token in flat.tokens[index:end])
    return ""


def _objects(flat: Flat, chunks: Sequence[Chunk], table: dict[tuple[str, ...], Phrase]) -> None:
    """Weighs what is said to be proposed, presented or studied."""
    tokens = flat.tokens
    by_start = {chunk.at[0]: chunk for chunk in chunks}
    seen = 0
    for index, token in enumerate(tokens):
        worth = _worth(tokens, index)
        if not worth:
            continue
        for chunk, share in _object_chunks(flat, index + 1, by_start):
            key = folded(tokens[at].low for at in chunk.at[-MAX_WORDS:])
            phrase = table.get(key)
            if phrase is not None:
                direct = 4.0 if chunk.at[0] == index + 1 and _is_explained(flat, chunk.at[-1]) else 0.0
                phrase.bonus = max(phrase.bonus, worth * share + direct - 0.4 * min(seen, 3))
        if token.low not in STUDIES:
            seen += 1


def _is_explained(flat: Flat, last: int) -> bool:
    """Whether a phrase is told like a name: `we propose annotation-anchored training, a method that …`."""
    following = flat.tokens[last + 1] if last + 1 < len(flat.tokens) else None
    return following is not None and "," in following.gap and following.low in {"a", "an", "which", "the"}


def _worth(tokens: Sequence[TaggedToken], index: int) -> float:
    low = tokens[index].low
    if low in GERUNDS:
        return 3.0
    worth = 4.0 if low in STRONG_INTRODUCES else 2.5 if low in INTRODUCES else 2.5 if low in STUDIES else 0.0
    if not worth:
        return 0.0
    for at in range(index - 1, max(index - 6, -1), -1):
        if tokens[at].sentence != tokens[index].sentence:
            return 0.0
        if tokens[at].low in SUBJECTS:
            return worth
    return 0.0


def _object_chunks(flat: Flat, at: int, by_start: dict[int, Chunk]) -> list[tuple[Chunk, float]]:
    """The noun phrases of an object and their share of its weight: the head, or what a hollow head is about."""
    tokens = flat.tokens
    found: list[tuple[Chunk, float]] = []
    share = 1.0
    index = at
    while index < min(at + 14, len(tokens)) and tokens[index].sentence == tokens[at].sentence:
        chunk = by_start.get(index)
        if chunk is not None:
            words = [tokens[i].low for i in chunk.at]
            hollow = words[-1] in GENERIC_HEADS or all(word in COMMON or word in GENERIC_HEADS for word in words)
            found.append((chunk, share * (0.4 if hollow else 1.0)))
            if not hollow:
                return found
            share *= 0.9
            index = chunk.at[-1] + 1
            continue
        if tokens[index].low in {"that", "which", "to", "where", "by", "while"} and index > at:
            return found
        index += 1
    return found


def _emphasis(flat: Flat, table: dict[tuple[str, ...], Phrase]) -> None:
    for start, end, _ in flat.styled:
        key = folded(flat.text[start:end].casefold().split())
        phrase = table.get(key)
        if phrase is not None:
            phrase.bonus += 1.0


class _Weights(dict[str, float]):
    """How telling each word is: how often its parts occur in the abstract, six times is as good as more."""

    def __init__(self, flat: Flat) -> None:
        super().__init__()
        self._frequency = Counter(part for token in flat.tokens for part in parts_of(token.low))
        self.news = next((token.sentence for token in flat.tokens if token.low == "we"), 0)

    def __missing__(self, word: str) -> float:
        parts = parts_of(word)
        weight = 0.0 if word in COMMON else sum(min(self._frequency[part], 6) for part in parts) / len(parts)
        self[word] = weight
        return weight


def _score(flat: Flat, phrase: Phrase, weights: _Weights) -> float:
    """How likely a phrase is what the paper is about.

    The weights were fitted so that phrases share words with the titles of half of a venue's papers.
    """
    tokens = flat.tokens
    last = phrase.words[-1]
    sentences = {tokens[start].sentence for start, _ in phrase.spans}
    telling = [weights[word] for word in phrase.words]
    common = sum(word in COMMON for word in phrase.words) / len(phrase.words)
    score = phrase.bonus + 0.85 * min(len(sentences), 5) + _LENGTHS[len(phrase.words)]
    score += 0.55 * sum(telling) / len(telling) + 0.35 * max(telling) + 0.45 * min(telling) + 1.6 * common
    score += 2.1 * (0 in sentences) + 0.5 * (tokens[-1].sentence in sentences) + 1.3 * (weights.news in sentences)
    score += 2.0 * opens(tokens, phrase.spans[0][0])
    if last.endswith("ing"):
        score += 1.2 if last in COMMON or last in NOUNS_IN_ING or "-" in last else -1.0
    if last.endswith(_ADJECTIVES) and not last.endswith(_NOUNS):
        score -= 2.0
    if " ".join(phrase.words) in BROAD:
        score -= 2.0
    if common == 1.0:
        score -= 3.0
    elif last in GENERIC_HEADS:
        score -= 0.8
    return score
