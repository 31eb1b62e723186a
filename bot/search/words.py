"""From text to the words that the index holds, the same way for papers and for queries.

A `Token` is one run of characters that a person would call a word, with its hyphens (`KV-Cache`, `SCHUR-A*`,
`GPT-4`). It stands in the index by its parts, each stemmed; what its parts make when they are written together
(`kvcache`) is kept beside, so that every way to write a compound finds the others.
"""

import gzip
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib import resources
from itertools import chain

import tantivy
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from bot.text import APOSTROPHES, DASHES

SHORTEST = 4
"""Shorter words are left as they are: nearly every one of them is one letter from another."""

_TWO_EDITS = 8
"""Words from this length on may have two mistakes."""

_CANDIDATES = 20


@dataclass(frozen=True)
class Vocabulary:
    """Words with the number of papers they occur in: those of two papers or more, and every word of a name."""

    frequency: Mapping[str, int]

    @cached_property
    def _buckets(self) -> Mapping[tuple[str, int], list[str]]:
        buckets: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        for word in self.frequency:
            if len(word) >= SHORTEST - 1:
                buckets[word[0], len(word)].append(word)
        return dict(buckets)

    @cached_property
    def _initials(self) -> tuple[str, ...]:
        return tuple(sorted({first for first, _ in self._buckets}))

    def repaired(self, word: str) -> str | None:
        """The known word that this unknown one was most likely meant to be, or None."""
        if len(word) < SHORTEST or not any(map(str.isalpha, word)):
            return None
        edits = 2 if len(word) >= _TWO_EDITS else 1
        return self._best(word, (word[0],), edits) or self._best(
            word, [first for first in self._initials if first != word[0]], 1
        )

    def _best(self, word: str, initials: Iterable[str], edits: int) -> str | None:
        best: tuple[float, str] | None = None
        for first in initials:
            for length in range(len(word) - edits, len(word) + edits + 1):
                bucket = self._buckets.get((first, length))
                if not bucket:
                    continue
                for candidate, distance, _ in extract(
                    word, bucket, scorer=OSA.distance, score_cutoff=edits, limit=_CANDIDATES, processor=None
                ):
                    # one edit costs as much as being e^4 times rarer
                    cost = 4 * distance - math.log(self.frequency[candidate])
                    if best is None or (cost, candidate) < best:
                        best = cost, candidate
        return best[1] if best else None

    def nearest(self, word: str, limit: int = 3) -> list[str]:
        """Known words that look like this one, the closest first, for a suggestion only."""
        if len(word) < 3:
            return []
        bucket = [other for step in (-2, -1, 0, 1, 2) for other in self._buckets.get((word[0], len(word) + step), ())]
        found = extract(word, bucket, scorer=OSA.normalized_similarity, score_cutoff=0.7, limit=limit)
        return [other for other, _, _ in found]


# British and American spelling brought together, on single lower-case words, before stemming.
# Both sides of a search pass through here, so a rule may coin a word that nobody writes (`noize`) as long as no two
# different words become one.

_KEEPS_S = re.compile(
    r"(?:.*(?:wise|vise|cise|prise|mise|guise|noise|poise|praise|raise|rise|cruise|bruise|demise|chise)"
    r"|otherwise|expertise|treatise|paradise|merchandise|appraise|disease|please|close|dose|advertise|chastise)"
    r"(?:[sdr]|rs)?"
)
_MEANS_Z = {"optimise", "minimise", "maximise", "customise", "randomise", "itemise", "epitomise", "euphemise"}
_MEANS_Z |= {"criticise", "publicise", "exorcise", "italicise", "anonymise", "economise", "victimise"}
_ISE = re.compile(r"(?P<stem>.{2,}?)is(?P<end>e|ed|es|er|ers|ing|ation|ations|able)")
_YSE = re.compile(
    r"(?P<stem>(?:an|par|cat|electrol|hydrol|dial)al|anal|paral|catal|electrol|hydrol|dial)ys(?P<end>e|ed|er|ers|ing)"
)
_OUR = re.compile(
    r"(?P<stem>behavi|neighb|col|fav|hum|lab|flav|hon|harb|rum|vap|endeav|arm|od|rig|sav|tum|val|vig|cand|clam|dem|fer|glam|parl|rancy)our(?P<end>.*)"
)
_OTHERS = {
    "centre": "center", "centres": "centers", "centred": "centered", "fibre": "fiber", "fibres": "fibers",
    "metre": "meter", "metres": "meters", "litre": "liter", "theatre": "theater", "calibre": "caliber",
    "catalogue": "catalog", "catalogues": "catalogs", "analogue": "analog", "dialogue": "dialog",
    "dialogues": "dialogs", "defence": "defense", "defences": "defenses", "offence": "offense",
    "licence": "license", "practise": "practice", "grey": "gray", "programme": "program",
    "programmes": "programs", "artefact": "artifact", "artefacts": "artifacts", "ageing": "aging",
    "judgement": "judgment", "judgements": "judgments", "acknowledgement": "acknowledgment",
    "modelled": "modeled", "modelling": "modeling", "modeller": "modeler", "labelled": "labeled",
    "labelling": "labeling", "unlabelled": "unlabeled", "travelled": "traveled", "travelling": "traveling",
    "traveller": "traveler", "signalling": "signaling", "signalled": "signaled", "channelled": "channeled",
    "cancelled": "canceled", "cancelling": "canceling", "fuelled": "fueled", "fuelling": "fueling",
    "focussed": "focused", "focussing": "focusing", "mislabelled": "mislabeled", "tunnelling": "tunneling",
    "levelled": "leveled", "marvellous": "marvelous", "skilful": "skillful", "fulfil": "fulfill",
    "enrol": "enroll", "tumour": "tumor", "tumours": "tumors", "haemoglobin": "hemoglobin",
    "paediatric": "pediatric", "anaemia": "anemia", "leukaemia": "leukemia", "oestrogen": "estrogen",
    "foetal": "fetal", "ischaemic": "ischemic", "ischaemia": "ischemia", "aeroplane": "airplane",
    "sulphur": "sulfur", "aluminium": "aluminum", "cheque": "check", "tyre": "tire", "mould": "mold",
}  # fmt: skip


def american(word: str) -> str:
    """A lower-case word in American spelling: `quantisation` gives `quantization`, `behaviour` `behavior`."""
    if other := _OTHERS.get(word):
        return other
    if "our" in word and (found := _OUR.fullmatch(word)):
        return f"{found['stem']}or{found['end']}"
    if "ys" in word and (found := _YSE.fullmatch(word)):
        return f"{found['stem']}yz{found['end']}"
    if "is" in word and len(word) > 5 and (found := _ISE.fullmatch(word)):
        base = f"{found['stem']}ise"
        if base in _MEANS_Z or not _KEEPS_S.fullmatch(base):
            return f"{found['stem']}iz{found['end']}"
    return word


# Folding: one spelling for what people type in many ways.
# Case, accents, compatibility forms, Greek letters (`τ` is `tau`), hyphens and spaces, `A*`. Keys of names are
# compared folded, and the index and its queries see nothing but folded words.

_GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon
    phi chi psi omega
"""
GREEK = {
    chr(start + step): name
    for start in (0x391, 0x3B1)
    for step, name in zip([*range(17), *range(18, 25)], _GREEK_NAMES.split(), strict=True)
} | {"ς": "sigma", "ϕ": "phi", "ϵ": "epsilon", "ϑ": "theta", "ℓ": "l", "∇": "nabla", "∂": "partial"}
"""Letters by what they are called when they are typed."""

_LETTERS = {
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "AE", "œ": "oe",
    "Œ": "OE", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ß": "ss", "ẞ": "SS",
}  # fmt: skip
_FOLDED = str.maketrans({**GREEK, **_LETTERS})
_MARKS = re.compile("[\u0300-\u036f]+")
_DASHES = str.maketrans(dict.fromkeys(DASHES, "-") | dict.fromkeys(APOSTROPHES, "'"))
_STARS = re.compile(r"(?<![^\W_])([^\W_])(\*|\+\+|#)(?![^\W_])")
_SPOKEN = {"*": "star", "++": "plusplus", "#": "sharp"}
_NOT_WORD = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Text without accents, compatibility forms and Greek letters; case is kept, dashes become `-`."""
    if text.isascii():
        return text
    text = text.translate(_FOLDED)
    text = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", text).translate(_FOLDED).translate(_DASHES)


def spoken(text: str) -> str:
    """Folded text in which the marks of `A*`, `C++` and `C#` are words (`Astar`)."""
    return _STARS.sub(lambda found: found[1] + _SPOKEN[found[2]], text)


def words(text: str) -> list[str]:
    """The folded, lower-case words of a name or query, for comparing: `Schur-A*` gives `schur`, `astar`."""
    return _NOT_WORD.sub(" ", spoken(fold(text)).casefold()).split()


def key(text: str) -> str:
    """What two spellings of one name have in common: `Flex Rank`, `flex-rank`, `FlexRank` give `flexrank`."""
    return "".join(words(text))


# English words that tell little about a paper, by how little.

_FUNCTION_WORDS = """
    a about above after again all also am an and any are as at be because been before being between both but by
    can could did do does doing down during each few for from further had has have having he her here hers
    him his how i if in into is it its itself just me more most my no nor not now of off on once only or other
    our out over own same she should so some such than that the their them then there these they this those
    through to too under until up very was we were what when where which while who whom why will with would you
    your dont cant
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""The function words of English: they carry no meaning alone, and are searched for only inside phrases."""

_LIGHT_WORDS = """
    make makes making made get gets getting give gives given go goes going take takes taking put puts let lets
    want wants need needs use uses used using useful look looks looking thing things way ways lot lots good better
    best bad really actually often always never already still yet even well back away around without within across
    happen happens become becomes come comes say says said known know seen see like via per
"""
LIGHT_WORDS = frozenset(_LIGHT_WORDS.split())
"""Words of every text: in a small corpus few papers have them by chance, which must not make them telling."""

_REQUEST_WORDS = """
    paper papers article articles publication publications find show list tell please interested
    anything something everything stuff got anyone anybody somebody someone paperboy
"""
ASKING = frozenset(_REQUEST_WORDS.split())
"""Words of a request rather than of what it is about; they count only where nothing else is left."""

# A request says what it is about between words that say that it is a request: `do you know any good papers on
# grokking these days`. What stands before ends in a word that leads on to the subject.

_BEFORE_A_SUBJECT = """
    hi hello hey dear thanks thank good great nice cool fun decent solid interesting important relevant favorite
    new newest recent latest current top best most more other some few couple lot lots bit all every
    work works working research literature reading reads read reader results result findings advances advance
    developments progress news introduction intro overview survey surveys tutorial summary recommendations
    recommendation suggestions talks talk posters abstracts studies
    want wants wanted need needs like love looking look search searching seek seeking know knows learn learning hear
    heard hearing think see give get recommend suggest point help send bring fetch pull have has had having explain
    describe discuss discusses cover covers covering address addresses mention mentions deal dealing deals related
    relating concerning regarding around curious wondering happening going people folks team group student students
    colleague boss friend asks asked ask wonder there whats let lets
    conference year week today lately recently yesterday currently
"""
_ON_TO_IT = {
    "about": "", "on": "", "regarding": "", "concerning": "", "around": "",
    "in": "interested new advances advance progress latest recent newest developments happening going work works "
    "working research papers paper news results",
    "for": "looking look search searching papers paper something anything ask asking recommendations "
    "recommendation suggestions searched",
    "to": "related relating introduction intro", "with": "deal dealing deals", "of": "papers paper overview survey",
    "discuss": "papers paper articles", "discusses": "paper", "cover": "papers", "covers": "paper",
    "covering": "papers paper", "address": "papers", "addresses": "paper", "mention": "papers", "mentions": "paper",
    "explain": "*", "describe": "*", "me": "show give tell send find teach",
}  # fmt: skip
"""Words that lead on to a subject, with what must stand before some: "" for anything, "*" for nothing."""

_REQUEST = STOP_WORDS | ASKING | frozenset(_BEFORE_A_SUBJECT.split())
_BEHIND_A_SUBJECT = frozenset(
    f"{_REQUEST_WORDS} literature reading reads recommendations suggestions thanks thank "
    "lately recently yesterday today days year week conference corpus used".split()
)


def around_the_subject(said: Sequence[str]) -> frozenset[int]:
    """The places of lower-case words that make a line a request, rather than say what it is about."""
    first = start = 0
    while start < len(said) and (said[start] in _REQUEST or said[start] in _ON_TO_IT):
        start += 1
        before = _ON_TO_IT.get(said[start - 1])
        if before is not None and _leads_on(before, said[: start - 1]):
            first = start
    last = len(said)
    while last > first and (said[last - 1] in _BEHIND_A_SUBJECT or said[last - 1] in STOP_WORDS):
        last -= 1
    if all(word in STOP_WORDS for word in said[first:last]):
        return frozenset()
    return frozenset((*range(first), *range(last, len(said))))


def _leads_on(before: str, said: Sequence[str]) -> bool:
    """Whether a word leads on to the subject behind these, of which it needs one or other."""
    if before == "*":
        return all(word in STOP_WORDS for word in said)
    return not before or (bool(said) and said[-1] in before.split())


_TOKEN = re.compile(
    r"[^\W_][\w\u0300-\u036f]*"
    r"(?:(?:[-^'’‐‑–−](?=[^\W_])|(?<=\d)\.(?=\d)|(?<=\d),(?=\d{3}))[\w\u0300-\u036f]+)*"
    r"(?:\*|\+\+|#)?"
)
_CJK = re.compile("([\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]+)")
"""Scripts that put no space between words: a run of them is looked for by its pairs of characters, which overlap."""

_BREAK = re.compile(r"[-_^]+")
_CAMEL = re.compile(  # acronyms with one small letter (MoE, LoRA), capitals, a word, a number, other scripts
    r"[A-Z][a-z][A-Z]+s?(?![a-z])|[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|\d+(?:\.\d+)?|[^\W\dA-Za-z_]+"
)
_OWNER = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m))$")
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,}s")
_ACRONYM = re.compile(r"[A-Z]{2,5}")
"""What is not stemmed: the S of DPS or CLS is no plural. Longer words in capitals are words that somebody shouts."""

_NO_VOWEL = re.compile(r"[b-df-hj-np-tv-xz]{2,}s")
_ENDS_IN_S = frozenset({"gps", "dns", "sms", "css", "rms", "tls", "dss", "cvs", "bss", "ross"})
_TWO = re.compile(r"(?<=[a-z])2(?=[a-z])")

MAX_WORD = 60
"""Longer words are cut: they are encoded data or a stuck key, never looked for whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """One word as written: the words that it stands for, their stems, and what finds parts of it.

    `words` and `stems` run in parallel (`KV-Cache`: `kv cache`, `kv cach`). `joined` is the stem of all
    parts written together, "" for a simple word. `inner` holds the stems of parts of one word (`PuzzleMoE`:
    `puzzl`, `moe`).
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    joined: str
    parts: tuple[str, ...]
    inner: tuple[str, ...]

    forms: tuple[str, ...] = field(init=False)
    """Every stem by which this word can be found."""

    telling: tuple[str, ...] = field(init=False)
    """The stems but those of function words."""

    def __post_init__(self) -> None:
        told = zip(self.words, self.stems, strict=True)
        idle = not STOP_WORDS.isdisjoint(self.words)
        object.__setattr__(
            self, "telling", tuple(s for word, s in told if word not in STOP_WORDS) if idle else self.stems
        )
        more = (self.joined, *self.inner) if self.joined else self.inner
        object.__setattr__(self, "forms", (*self.stems, *more) if more else self.stems)


@cache
def _stemmer() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer("english")).build()


_REMEMBERED = 100_000
"""Words whose analysis is kept: the common ones are met first, and are nearly all of any text."""


class _Tokens(dict[str, Token]):
    """Words as written that were met before; analyses others when they are asked for."""

    def __missing__(self, written: str) -> Token:
        found = _analysed(written)
        if len(self) < _REMEMBERED:
            self[written] = found
        return found


_TOKENS = _Tokens()


class _Chunks(dict[str, tuple[Token, ...]]):
    """What stood between two spaces before, with its words: no word has a space in it."""

    def __missing__(self, chunk: str) -> tuple[Token, ...]:
        found = tuple(_TOKENS[written] for written, _ in _written_in(chunk))
        if len(self) < _REMEMBERED and len(chunk) <= MAX_WORD:
            self[chunk] = found
        return found


def _written_in(chunk: str) -> Iterator[tuple[str, int]]:
    """The words as written in what stands between two spaces, and where each starts."""
    if chunk.isascii() or not _CJK.search(chunk):
        for match in _TOKEN.finditer(chunk):
            yield match.group(), match.start()
        return
    start = 0
    for number, run in enumerate(_CJK.split(chunk)):
        if number % 2:
            for place in range(max(len(run) - 1, 1)):
                yield run[place : place + 2], start + place
        else:
            for match in _TOKEN.finditer(run):
                yield match.group(), start + match.start()
        start += len(run)


_chunk = _Chunks().__getitem__


def may_be_plural(word: str) -> bool:
    """Whether a lower-case word is an acronym that ends in s: `llms`, which is a plural, or `dps`, which is none."""
    return _NO_VOWEL.fullmatch(word) is not None and word not in _ENDS_IN_S


@lru_cache(_REMEMBERED)
def stem(word: str) -> str:
    """The stem of a folded lower-case word, British and American spelling alike."""
    if may_be_plural(word):
        return word[:-1]  # the stemmer keeps the s of a word without vowels: LLMs
    found = _stemmer().analyze(american(word))
    return found[0] if found else word


def has_no_spaces(text: str) -> bool:
    """Whether a text has characters of a script that puts no space between words."""
    return not text.isascii() and _CJK.search(text) is not None


def token(written: str) -> Token:
    """What one word as written stands for."""
    return _TOKENS[written]


def tokens(text: str) -> list[Token]:
    """Every word of a text, in order. A text of several words in capitals is read as if it were in small ones."""
    if text.isupper() and " " in text.strip():
        text = text.lower()
    return list(chain.from_iterable(map(_chunk, text.split())))


def places(chunk: str, wanted: frozenset[str]) -> list[tuple[int, int, tuple[str, ...]]]:
    """Where the words of a chunk stand that wanted stems find, with those."""
    found = []
    for written, start in _written_in(chunk):
        forms = _TOKENS[written].forms
        if not wanted.isdisjoint(forms):
            found.append((start, start + len(written), tuple(form for form in forms if form in wanted)))
    return found


def stems(text: str) -> list[str]:
    """The stems of a text, in order."""
    return [stemmed for one in tokens(text) for stemmed in one.stems]


def compound(words: Sequence[str], stems: Sequence[str]) -> str:
    """Words written together, stemmed but for an s that the last keeps when it is alone: GP-TS is no plural of GPT."""
    whole = "".join(words)[:MAX_WORD]
    return whole if words[-1] == stems[-1] and whole.endswith("s") else stem(whole)


def _analysed(written: str) -> Token:
    rest = written[1:]
    if written.isascii() and ((rest.isalpha() and rest.islower()) or not rest) and written[0].isalpha():
        word = written.lower()[:MAX_WORD]
        return Token((word,), (stem(word),), "", (), ())
    text = spoken(fold(written).replace(",", "")).rstrip("*+#")
    segments = [segment for segment in _BREAK.split(_OWNER.sub("", text).replace("'", "")) if segment]
    plain = [_TWO.sub("to", segment.casefold())[:MAX_WORD] for segment in segments]
    singular = [
        word[:-1] if _PLURAL_ACRONYM.fullmatch(segment) else word for segment, word in zip(segments, plain, strict=True)
    ]
    stems = tuple(
        word if _ACRONYM.fullmatch(segment.removesuffix("s")) else stem(word)
        for segment, word in zip(segments, singular, strict=True)
    )
    inner: dict[str, None] = {}
    finest: list[str] = []
    for segment, word in zip(segments, plain, strict=True):
        pieces = [piece.casefold() for piece in _CAMEL.findall(segment)]
        if not 2 <= len(pieces) <= 6:
            finest.append(word)
            continue
        finest.extend(pieces)
        for first in range(len(pieces)):
            for last in range(first + 1, len(pieces) + 1):
                if (last - first) < len(pieces) and len(piece := "".join(pieces[first:last])) > 1:
                    inner[stem(piece)] = None
    joined = compound(singular, stems) if len(plain) > 1 else ""
    parts = tuple(map(stem, finest)) if len(finest) > 1 else ()
    return Token(tuple(plain), stems, joined, parts, tuple(inner))


# Which words are English, and how often people say them.
# The counts are those of pyspellchecker's English dictionary: occurrences in some 1.6 billion words of film
# subtitles.

_COUNTED = re.compile(rb'"([a-z]{2,})": (\d{3,})')
"""Words that stand there a hundred times or more: rarer ones are as often misprints and names."""

_SPOKEN_WORDS = 1.65e9
_LIKE_AN_ABSTRACT = 150
_RARELY = 500
"""Words that stand there less often, or never, are taken to stand there so often: names are missing."""

_ONE_LETTER = 2.0

_EVERYDAY = 10_000
"""So often stand some five thousand words, each six times or more in a million."""


@cache
def _counted() -> bytes:
    """All words with their counts, one a line: a mapping of them would take ten times the memory."""
    file = resources.files("spellchecker").joinpath("resources", "en.json.gz")
    return b"\n" + b"\n".join(b" ".join(pair) for pair in _COUNTED.findall(gzip.decompress(file.read_bytes())))


@lru_cache(10_000)
def _said(word: str) -> int:
    """How often a lower-case word stands in the subtitles; 0 for one of fewer than a hundred times."""
    lines = _counted()
    place = lines.find(f"\n{word} ".encode()) if word.isascii() and word.isalpha() else -1
    return int(lines[place + len(word) + 2 : place + len(word) + 14].split(b"\n")[0]) if place >= 0 else 0


def is_english(word: str) -> bool:
    """Whether a lower-case word is one of English, in either spelling: such a word is no slip of another."""
    return bool(_said(word) or _said(american(word)))


def is_everyday(word: str) -> bool:
    """Whether people use a lower-case word so much that it tells little about a paper."""
    return _said(word) >= _EVERYDAY


def everyday_rarity(word: str) -> float:
    """How rare a word is in talk: minus the logarithm of the share of talks as long as an abstract that have it."""
    if len(word) == 1:
        return _ONE_LETTER
    return -math.log(-math.expm1(-_LIKE_AN_ABSTRACT * max(_said(word), _RARELY) / _SPOKEN_WORDS))
