"""The naming rules: where an abstract gives a name to what it brings, and how much each sign counts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.corpus.labels.acronyms import expansion_start, fits, without_nested
from bot.corpus.labels.known import is_known
from bot.corpus.labels.lexicon import (
    FUNCTION,
    GERUNDS,
    HEADS,
    INTRODUCES,
    NAMED,
    PHENOMENA,
    PRAISE,
    REPORTED,
    STRONG_INTRODUCES,
    SUBJECT_VERBS,
    SUBJECTS,
)
from bot.corpus.labels.tokens import LOW, ODD, Flat, Run, Token, is_namey, joined, runs
from bot.corpus.labels.wordlist import word_set

_KEY = re.compile(r"[\W_]+")
_STOPS = word_set("that which who where to by using while whose when so because if since")
_DETERMINERS = word_set("a an the our two three")


def key_of(name: str) -> str:
    """A name reduced to its letters and digits, for comparing: `Flex-Rank` and `flexrank` are one."""
    return _KEY.sub("", name.casefold()) or name.casefold()


@dataclass(slots=True)
class Candidate:
    """One possible name, the forms it takes and what speaks for it."""

    name: str
    run: Run
    expansion: str = ""
    expansion_run: Run | None = None
    acronym_first: bool = False
    score: float = 0.0
    introduced: bool = False
    signs: list[str] = field(default_factory=list)
    gloss: int = -1
    """Token after which the words that explain it start; -1 where it is not explained."""
    mentions: list[int] = field(default_factory=list)

    def add(self, sign: str, weight: float) -> None:
        """Count one sign."""
        self.signs.append(f"{sign}{weight:+.1f}")
        self.score += weight


WEIGHTS = {
    "direct": 6.0, "determined": 3.0, "head": 2.0, "called": 6.0, "appositive": 4.0, "bracket": 5.0, "weak": 0.5,
    "part": -2.5, "our": 3.0, "proposed": 3.0, "defined": 3.5, "subject": 1.0, "mention": 0.6, "bold": 2.0,
    "italic": 0.7, "repository": 4.0, "odd": 1.5, "coined": 1.0, "known": -8.0, "early": -3.0, "phenomenon": -6.0, 
    "reported": -1.2,
    "adjective": -2.0, "expanded": 1.5, "first": 1.0,
}  # fmt: skip


def candidates(flat: Flat, links: Sequence[str]) -> list[Candidate]:
    """Every possible name with its score, best first."""
    table = _collect(flat)
    by_start: dict[int, Candidate] = {}
    for candidate in table.values():
        for start in candidate.mentions:
            by_start[start] = candidate
        if candidate.expansion_run is not None:
            by_start.setdefault(candidate.expansion_run.start, candidate)
    _introductions(flat, by_start)
    for candidate in table.values():
        _context(flat, candidate)
    _styles(flat, table)
    _repositories(links, table)
    return sorted(table.values(), key=lambda found: (-found.score, found.run.start, len(found.name)))


def _trimmed(tokens: Sequence[Token], run: Run) -> Run | None:
    start, end = run.start, run.end
    while start < end and (tokens[start].low in FUNCTION and tokens[start].kind != ODD):
        start += 1
    while end > start and not is_namey(tokens[end - 1]):
        end -= 1
    return Run(start, end) if start < end else None


def _collect(flat: Flat) -> dict[str, Candidate]:
    """Names by key: capitalised stretches, acronyms with their expansions, emphasised phrases."""
    tokens = flat.tokens
    table: dict[str, Candidate] = {}

    def put(run: Run) -> Candidate:
        name = flat.words(run.start, run.end)
        key = key_of(name)
        found = table.get(key)
        if found is None:
            found = table[key] = Candidate(name, run)
        found.mentions.append(run.start)
        return found

    stretches = [trimmed for run in runs(tokens) if (trimmed := _trimmed(tokens, run)) is not None]
    for run in stretches:
        put(run)
    for run in stretches:
        _expansions(flat, run, table)
    return table


def _expansions(flat: Flat, run: Run, table: dict[str, Candidate]) -> None:
    """Pairs an acronym with its expansion: `Expansion (ACR)` or `ACR (Expansion)`."""
    tokens = flat.tokens
    first = tokens[run.start]
    if "(" in first.gap and first.gap[-1] in "(“\"'‘":
        acronym = first.text
        if run.end - run.start > 1 or len(acronym) < 2:
            return
        low = max(0, run.start - 14)
        while low < run.start and tokens[low].sentence != first.sentence:
            low += 1
        span = list(range(low, run.start))
        # nested abbreviations (`Learning (RL) with`) and clauses before a comma are not part of it
        kept = [i for i in span if not _bracketed(flat, i)]
        for cut in range(len(kept) - 1, 0, -1):
            if any(mark in tokens[kept[cut]].gap for mark in ",;:—"):
                kept = kept[cut:]
                break
        start = expansion_start(acronym, [tokens[i].text for i in kept])
        if start is None:
            return
        begin = kept[start]
        candidate = table.get(key_of(acronym))
        if candidate is not None and not candidate.expansion:
            text = without_nested(flat.text[tokens[begin].start : tokens[run.start - 1].end])
            candidate.expansion = " ".join(text.split())
            candidate.expansion_run = Run(begin, run.start)
            twin = table.get(key_of(candidate.expansion))
            if twin is not None and twin is not candidate:
                candidate.mentions.extend(twin.mentions)
                candidate.mentions.sort()
                del table[key_of(candidate.expansion)]
        return
    after = flat.gap_after(run.end - 1)
    if "(" in after and run.end - run.start == 1 and run.end < len(tokens):
        close = flat.text.find(")", tokens[run.end].start, tokens[run.end].start + 160)
        if close < 0:
            return
        inside = flat.text[tokens[run.end].start : close]
        for lead in ("short for ", "i.e., ", "i.e. ", "for "):
            inside = inside.removeprefix(lead)
        candidate = table.get(key_of(first.text))
        if (
            candidate is not None
            and not candidate.expansion
            and fits(first.text, inside)
            and len(inside) > len(first.text) + 2
        ):
            candidate.expansion = " ".join(inside.split())
            candidate.acronym_first = True
            table.pop(key_of(candidate.expansion), None)


def _bracketed(flat: Flat, index: int) -> bool:
    token = flat.tokens[index]
    return "(" in token.gap and ")" in flat.gap_after(index)


def _introductions(flat: Flat, by_start: dict[int, Candidate]) -> None:
    tokens = flat.tokens
    seen = 0
    for index, token in enumerate(tokens):
        low = token.low
        if low in INTRODUCES or low in GERUNDS:
            strength = _strength(tokens, index)
            if strength:
                seen += 1
                _object(flat, index, strength, by_start, first=seen == 1)
        elif low in NAMED:
            _called(flat, index, by_start)
        elif low == "our" or (low == "proposed" and index and tokens[index - 1].low in {"the", "our"}):
            _ours(flat, index, by_start)


def _strength(tokens: Sequence[Token], index: int) -> float:
    """How surely a verb speaks of this paper's own work: 0 for not at all."""
    token = tokens[index]
    base = 1.0 if token.low in STRONG_INTRODUCES else 0.7
    if token.low in GERUNDS:
        base = 0.8
        return (
            base
            if (index and tokens[index - 1].low in {"by", "we", "address", "this", "and"})
            or not index
            or tokens[index - 1].sentence != token.sentence
            else 0.4
        )
    for back in range(1, 6):
        at = index - back
        if at < 0 or tokens[at].sentence != token.sentence:
            break
        word = tokens[at].low
        if word in SUBJECTS:
            return base
        if (
            word in {"and", "then", "also"}
            or word in INTRODUCES
            or word.endswith("ly")
            or word
            in {
                "further",
                "first",
                "next",
                "therefore",
                "thus",
                "hence",
                "here",
                "additionally",
                "now",
                "instead",
                "finally",
                "to",
                "in",
                "turn",
                "this",
                "end",
                "design",
            }
        ):
            continue
        break
    at = index - 1
    if at >= 0 and tokens[at].low == "and" and tokens[at].sentence == token.sentence:
        back = at
        while back >= 0 and tokens[back].sentence == token.sentence:
            if tokens[back].low == "we":
                return base * 0.8
            back -= 1
    return 0.0


def _object(flat: Flat, verb: int, strength: float, by_start: dict[int, Candidate], *, first: bool) -> None:
    """Counts what stands as the object of an introducing verb."""
    tokens = flat.tokens
    at = verb + 1
    count = len(tokens)
    sentence = tokens[verb].sentence
    if at >= count or tokens[at].sentence != sentence:
        return
    determined = tokens[at].low in _DETERMINERS
    candidate = by_start.get(at)
    if candidate is not None and not determined:
        _introduce(candidate, at, "direct", strength, first=first)
        return
    walked = 0
    plain = True
    while at < count and tokens[at].sentence == sentence and walked < 26:
        token = tokens[at]
        gap = token.gap
        found = by_start.get(at)
        if found is not None:
            if "(" in gap:
                sign = "bracket"
            elif any(mark in gap for mark in ",:—–-“\"‘'`"):
                sign = "appositive"
            elif plain and walked <= 6:
                sign = "determined" if determined or walked <= 2 else "weak"
            else:
                sign = "weak"
            if sign == "determined" and _adjectival(flat, found, at):
                sign = "weak"
            _introduce(found, at, sign, strength, first=first)
            if sign != "weak":
                return
            plain = False
        if walked and token.low in _STOPS and not (token.low == "to" and walked < 2):
            return
        if walked and token.low in {"for", "of", "with", "in", "on", "based", "via", "from"}:
            plain = False
        if walked and token.low in NAMED:
            return
        at += 1
        walked += 1


def _adjectival(flat: Flat, candidate: Candidate, at: int) -> bool:
    """Whether a name only qualifies another noun (`a Transformer block`), with no head that makes it a name."""
    tokens = flat.tokens
    end = at + candidate.run.end - candidate.run.start
    if end < len(tokens) and joined(tokens[end]) and tokens[end].kind == LOW:
        low = tokens[end].low
        return low not in HEADS and low not in FUNCTION
    return False


def _introduce(candidate: Candidate, at: int, sign: str, strength: float, *, first: bool) -> None:
    weight = WEIGHTS[sign] * strength
    candidate.add(sign, weight)
    if sign != "weak":
        if first and not candidate.introduced:
            candidate.add("first", WEIGHTS["first"])
        candidate.introduced = True
        if candidate.gloss < 0:
            candidate.gloss = at


def _called(flat: Flat, index: int, by_start: dict[int, Candidate]) -> None:
    tokens = flat.tokens
    token = tokens[index]
    spoken = {tokens[i].low for i in range(max(0, index - 3), index)}
    if token.low in {"name", "call", "term", "dub", "coin", "denote"} and not {"we", "which"} & spoken:
        return
    for at in range(index + 1, min(index + 5, len(tokens))):
        if tokens[at].sentence != token.sentence:
            return
        candidate = by_start.get(at)
        if candidate is None:
            if tokens[at].low in {"as", "the", "a", "by", "it", "this", "method", "framework", "approach", "our"}:
                continue
            return
        low = max(0, index - 12)
        before = [tokens[i] for i in range(low, index) if tokens[i].sentence == token.sentence]
        nouns = [word.low for word in before][-8:]
        if any(word in PHENOMENA for word in nouns) and not any(word in HEADS for word in nouns[-4:]):
            candidate.add("phenomenon", WEIGHTS["phenomenon"])
            return
        candidate.add("called", WEIGHTS["called"])
        candidate.introduced = True
        if candidate.gloss < 0:
            candidate.gloss = at
        return


def _ours(flat: Flat, index: int, by_start: dict[int, Candidate]) -> None:
    """`our X method`, `our method, X,`, `the proposed X`, `our proposed method X`."""
    tokens = flat.tokens
    for at in range(index + 1, min(index + 5, len(tokens))):
        if tokens[at].sentence != tokens[index].sentence:
            return
        candidate = by_start.get(at)
        if candidate is not None:
            if _adjectival(flat, candidate, at):
                return
            candidate.add("our", WEIGHTS["our"])
            if at - index <= 2 or "," in tokens[at].gap or "(" in tokens[at].gap:
                candidate.introduced = True
            return
        if tokens[at].low not in HEADS and tokens[at].low not in PRAISE and tokens[at].low != "proposed":
            return


def _context(flat: Flat, candidate: Candidate) -> None:
    """What a name's mentions say: subject of a verb, said to be a method, or only reported."""
    tokens = flat.tokens
    count = len(tokens)
    size = candidate.run.end - candidate.run.start
    subject = reported = adjective = 0
    for at in candidate.mentions:
        end = at + size
        if end > count:
            continue
        following = tokens[end] if end < count else None
        if following is not None and following.sentence == tokens[at].sentence:
            low = following.low
            if joined(following):
                if low in SUBJECT_VERBS and (at == 0 or tokens[at - 1].low not in REPORTED):
                    subject += 1
                elif following.kind == LOW and low not in FUNCTION and low not in HEADS and not low.endswith("ly"):
                    adjective += 1
            gap = following.gap
            if any(mark in gap for mark in ",—–(:") and low in {"a", "an", "the", "our"} and _defines(tokens, end):
                candidate.add("defined", WEIGHTS["defined"])
                if candidate.gloss < 0:
                    candidate.gloss = at
            elif (
                joined(following)
                and low == "is"
                and end + 1 < count
                and tokens[end + 1].low in {"a", "an", "the"}
                and _defines(tokens, end + 1)
            ):
                candidate.add("defined", WEIGHTS["defined"] * 0.7)
                if candidate.gloss < 0:
                    candidate.gloss = at
        if at and tokens[at - 1].low in REPORTED and tokens[at - 1].sentence == tokens[at].sentence:
            reported += 1
    if subject:
        candidate.add("subject", WEIGHTS["subject"] * min(subject, 4))
    if len(candidate.mentions) > 1:
        candidate.add("mention", WEIGHTS["mention"] * min(len(candidate.mentions) - 1, 5))
    if reported:
        candidate.add("reported", WEIGHTS["reported"] * min(reported, 3))
    if adjective and adjective * 2 > len(candidate.mentions):
        candidate.add("adjective", WEIGHTS["adjective"])
    _shape(flat, candidate)


def _defines(tokens: Sequence[Token], at: int) -> bool:
    """Whether the words from here say what kind of thing a name is: `a novel two-stage framework …`."""
    for step in range(at + 1, min(at + 12, len(tokens))):
        if tokens[step].sentence != tokens[at].sentence:
            return False
        low = tokens[step].low
        if low in HEADS:
            return True
        if low in _STOPS or low in {"for", "of"} or any(mark in tokens[step].gap for mark in ",;:"):
            return False
    return False


def _shape(flat: Flat, candidate: Candidate) -> None:
    tokens = flat.tokens
    run = candidate.run
    words = tokens[run.start : run.end]
    if any(word.kind == ODD and not is_known(word.text) for word in words):
        candidate.add("odd", WEIGHTS["odd"])
        if any(c.islower() for w in words for c in w.text) and any(
            w.kind == ODD and w.text[:1] and sum(c.isupper() for c in w.text) > 1 for w in words
        ):
            candidate.add("coined", WEIGHTS["coined"])
    if is_known(candidate.name) or all(word.kind == LOW or is_known(word.text) for word in words):
        candidate.add("known", WEIGHTS["known"])
    if candidate.expansion:
        candidate.add("expanded", WEIGHTS["expanded"] if candidate.introduced else 0.0)
    if not candidate.introduced:
        first = min(candidate.mentions)
        if tokens[first].sentence <= 2 and len(candidate.mentions) < 3:
            candidate.add("early", WEIGHTS["early"])


def _styles(flat: Flat, table: dict[str, Candidate]) -> None:
    for start, end, bold in flat.styled:
        key = key_of(flat.text[start:end])
        candidate = table.get(key)
        if candidate is None:
            body = flat.text[start:end].split("(")[0]
            for other in table.values():
                if other.expansion and key_of(other.expansion) == key_of(body):
                    candidate = other
                    break
        if candidate is not None and not any(sign.startswith(("bold", "italic")) for sign in candidate.signs):
            candidate.add("bold" if bold else "italic", WEIGHTS["bold" if bold else "italic"])


_CLEAN = re.compile(r"[-_.]?(?:official|code|main|release|public|pytorch|repo|project|page)$", re.IGNORECASE)


def repository_names(links: Sequence[str]) -> list[str]:
    """Names of the repositories and project pages behind addresses: `github.com/owner/Name` gives `Name`."""
    names: list[str] = []
    for link in links:
        path = re.split(r"[?#]", link.removeprefix("https://").removeprefix("http://").rstrip(".,;)/"))[0].split("/")
        host = path[0].casefold()
        part = ""
        if host.endswith(("github.com", "gitlab.com")) and len(path) > 2:
            part = path[2]
        elif host.endswith(".github.io") and len(path) > 1:
            part = path[1]
        elif host.endswith("huggingface.co") and len(path) > 1:
            part = path[-1]
        elif host.endswith(".github.io"):
            part = host.removesuffix(".github.io")
        part = _CLEAN.sub("", part.removesuffix(".git"))
        if len(part) > 1 and part not in names:
            names.append(part)
    return names


def _repositories(links: Sequence[str], table: dict[str, Candidate]) -> None:
    for name in repository_names(links):
        key = key_of(name)
        for other, candidate in table.items():
            if other == key or (len(other) > 3 and (other in key or (len(key) > 3 and key in other))):
                candidate.add("repository", WEIGHTS["repository"] if other == key else WEIGHTS["repository"] / 2)
