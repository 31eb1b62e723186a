"""Topics of a corpus whose papers declare none: the noun phrases that its abstracts share."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from bot.corpus.labels.candidates import expansion_start
from bot.corpus.labels.lexicon import FUNCTION, INTRODUCES, VERBS, word_set

MAX_TEXT = 8_000
"""Characters read of a text."""

MAX_PER_TEXT = 8
"""Topics of one paper: those that it says most often."""

_TOKEN = re.compile(r"https?://\S+|[^\W_][\w’'+]*|[^\w\s-]")
_ACRONYM = re.compile(r"(?<= )\(([A-Za-z]{0,3}[A-Z][A-Za-z]{0,5}[A-Z]s?)\)")
_LOOKED_BACK = 100
_CLAUSE = re.compile(r"[^\w\s’'-]")
_INNER = word_set("of to")
_SHOWN_EXPANSION = 3
_LOOKED_AT = 60
_BREAK = ""

_DULL = word_set(
    """
    upper percentage generated held tuned behavior dense pass frontier early late rather sample heavy tailed
    spatio temporal pretraining experiment experimental result code available state art extensive paper novel
    existing recent significant performance method approach framework work empirical empirically empiricall
    baseline improvement effectiveness evaluation analysis problem task setting challenge strong better best
    good different various many new current key main important critical crucial higher lower large-scale real
    world practical effective efficient simple general specific publicly source codebase github com http https
    project page website study literature researcher community researchers application domain scenario case
    example issue limitation advantage benefit potential capability ability success progress advance
    contribution insight finding evidence understanding knowledge way number range variety set series type form
    level degree amount time cost order term part end hand wide broad diverse multiple single two three four
    five first second third one zero several full research promising remarkable notable substantial considerable
    competitive superior comparable consistent consistently robust scalable comprehensive systematic rigorous
    principled unified proposed demonstrated achieved widely commonly highly fully directly effectively
    efficiently significantly solution technique strategy procedure mechanism component module stage process
    pipeline quality accuracy benchmark dataset data-set input output model's paradigm perspective view gap
    trade-off tradeoff trade off need lack hard easy difficult well known state-of-the-art percent times average
    total overall magnitude small big fixed given target original additional future previous prior standard
    common popular traditional conventional modern increasingly based driven aware free wise oriented per such
    other same similar theoretical implication high-quality low-quality al ground truth failure black box white
    base batch rate size parameter processing instruction annotated aligning downstream across cross use user
    coarse grained end-to-end plug play post
    """
)
"""Words that no topic has: they tell how papers are written, not what they are about."""

_WEAK_ENDS = word_set(
    """
    high based large deep learned neural trained human more less natural artificial linear non multi pre post
    self long short fine open low world state small single inference-time
    """
)
_NOT_ALONE = word_set(
    "SOTA AI ML KL KV MLP MSE MAE RMSE SWE ID IID OOD GT NN DNN SD ASR API UI CPU GPU US NLP IF TTS AUC"
)
"""Acronyms too broad or too thin to be a topic by themselves; `KV cache` is one."""

_BROAD = {
    ("natural", "language"),
    ("fine", "tuning", "LLM"),
    ("AI", "system"),
    ("AI", "model"),
    ("weight", "space"),
    ("vision", "language"),
    ("data", "distribution"),
}
_PREFIXES = word_set("multi high low self open in non cross real large small")
_WEAK_ALONE = word_set(
    "model language learning training data network system inference neural deep machine test generation"
)
_IRREGULAR = {"analyses": "analysis", "matrices": "matrix", "bias": "bias", "biases": "bias", "series": "series"}

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TopicModel:
    """The topics of a corpus, most frequent first, and those of each text, in the order of the texts."""

    topics: tuple[str, ...]
    by_text: tuple[tuple[str, ...], ...]


def derive_topics(texts: Sequence[str], *, at_least: int | None = None, at_most: int | None = None) -> TopicModel:
    """Topics of plain-text abstracts.

    `at_least` is the number of texts that a topic needs (two; a large corpus needs four in a thousand), `at_most` the
    number of topics (grows slowly: 20 for 40 texts, 120 for 10,000).
    """
    least = max(2, round(len(texts) * 0.004)) if at_least is None else at_least
    most = round(20 * (max(len(texts), 40) / 40) ** 0.33) if at_most is None else at_most
    pairs = _acronyms(texts, 2 if len(texts) < 1_000 else 5)
    documents = [_contract([_folded(word) for word in _words(text)], pairs) for text in texts]
    uses, holders = _count(documents, set(pairs.values()) - _NOT_ALONE, least)
    chosen = _select(uses, holders, most)
    names = _names(chosen, texts, holders, {acronym: key for key, acronym in pairs.items()})
    chosen.sort(key=lambda key: (-len(holders[key]), key))
    by_text: list[list[tuple[int, int]]] = [[] for _ in texts]
    for rank, key in enumerate(chosen):
        for index, count in holders[key].items():
            by_text[index].append((-count, rank))
    return TopicModel(
        tuple(names[key] for key in chosen),
        tuple(tuple(names[chosen[rank]] for _, rank in sorted(found)[:MAX_PER_TEXT]) for found in by_text),
    )


def _words(text: str) -> list[str]:
    return _TOKEN.findall(text[:MAX_TEXT].replace("–", "-"))


@lru_cache(maxsize=262144)
def _folded(word: str) -> str:
    """A word for counting: singular, and lower case but for acronyms (`MAP` is no map); punctuation is a break."""
    if _is_acronym(bare := word.removesuffix("s")):
        return bare.upper()
    low = word.casefold().removesuffix("'s").removesuffix("’s")
    if not low[:1].isalpha() or low.startswith("http"):
        return _BREAK
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if len(low) > 3 and low.endswith("ies"):
        return low[:-3] + "y"
    if len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is")):
        return low[:-1]
    return low


def _is_acronym(word: str) -> bool:
    return len(word) < 8 and word.isalpha() and sum(letter.isupper() for letter in word) > 1


def _acronyms(texts: Sequence[str], least: int) -> dict[_Key, str]:
    """Expansions (folded) of the acronyms that at least so many texts spell out: `reinforcement learning` to `rl`."""
    found: Counter[tuple[str, str]] = Counter()
    for text in texts:
        for bracket in _ACRONYM.finditer(text[:MAX_TEXT]):
            before = _CLAUSE.split(text[max(0, bracket.start() - _LOOKED_BACK) : bracket.start()])[-1]
            found[" ".join(before.split()[-6:]), bracket[1].removesuffix("s")] += 1
    votes: dict[str, Counter[_Key]] = {}
    for (words, acronym), count in found.items():
        spelled = words.split()
        start = expansion_start(acronym, spelled)
        if start is not None:
            key = tuple(_folded(part) for part in "-".join(spelled[start:]).split("-") if part)
            votes.setdefault(_folded(acronym), Counter())[key] += count
    pairs: dict[_Key, str] = {}
    for acronym, keys in sorted(votes.items()):
        key, count = max(keys.items(), key=lambda item: (item[1], item[0]))
        if count >= least and len(key) > 1 and count * 2 > keys.total():
            pairs.setdefault(key, acronym)
    return pairs


def _contract(words: list[str], pairs: Mapping[_Key, str]) -> list[str]:
    """Words with expansions replaced by their acronym, so that both count as one."""
    heads = _heads(tuple(pairs))
    result: list[str] = []
    done = 0
    for at in [place for place, word in enumerate(words) if word in heads]:
        if at < done:
            continue
        for key in heads[words[at]]:
            if tuple(words[at : at + len(key)]) == key:
                result += words[done:at]
                result.append(pairs[key])
                done = at + len(key)
                break
    return result + words[done:] if done else words


@lru_cache(maxsize=4)
def _heads(keys: tuple[_Key, ...]) -> dict[str, list[_Key]]:
    """Expansions by their first word, longest first."""
    heads: dict[str, list[_Key]] = {}
    for key in sorted(keys, key=lambda key: (-len(key), key)):
        heads.setdefault(key[0], []).append(key)
    return heads


def _count(
    documents: Sequence[list[str]], acronyms: set[str], least: int
) -> tuple[dict[_Key, int], dict[_Key, dict[int, int]]]:
    """Uses in all, and by text, of acronyms and of phrases of two or three words that enough texts hold."""
    telling = _Telling()
    pairs: Counter[_Key] = Counter()
    for words in documents:
        pairs.update({pair for pair in pairwise(words) if telling[pair[0]] and telling[pair[1]]})
    frequent = {pair for pair, count in pairs.items() if count >= least}
    holders: dict[_Key, dict[int, int]] = {}
    for index, words in enumerate(documents):
        for key, count in Counter(_keys(words, acronyms, frequent, telling)).items():
            holders.setdefault(key, {})[index] = count
    kept = {key: found for key, found in holders.items() if len(found) >= least}
    return {key: sum(found.values()) for key, found in kept.items()}, kept


class _Telling(dict[str, bool]):
    """Whether a word can start or end a topic, remembered."""

    def __missing__(self, word: str) -> bool:
        fits = (
            len(word) > 1
            and word not in _DULL
            and word not in FUNCTION
            and word not in VERBS
            and word not in INTRODUCES
            and not word.endswith("ly")
        )
        self[word] = fits
        return fits


def _keys(words: list[str], acronyms: set[str], frequent: set[_Key], telling: _Telling) -> Iterator[_Key]:
    """The acronyms, pairs, triples, and pairs around `of` or `to` of one text, as often as it has them."""
    yield from ((word,) for word in words if word in acronyms)
    previous = -2
    for at in [place for place, pair in enumerate(pairwise(words)) if pair in frequent]:
        yield (words[at], words[at + 1])
        if at == previous + 1:
            yield (words[previous], words[at], words[at + 1])
        previous = at
    for at in [place for place, word in enumerate(words) if word in _INNER]:
        if 0 < at < len(words) - 1 and telling[words[at - 1]] and telling[words[at + 1]]:
            yield (words[at - 1], words[at], words[at + 1])


def _select(uses: Mapping[_Key, int], holders: Mapping[_Key, Mapping[int, int]], most: int) -> list[_Key]:
    """The most telling phrases: said again and again by the texts that hold them, and not just part of others."""
    inside: dict[_Key, int] = {}
    for key in holders:
        for part in (key[:2], key[1:]):
            if len(key) > len(part) > 1:
                inside[part] = max(inside.get(part, 0), len(holders[key]))
    scores: dict[_Key, float] = {}
    for key, found in holders.items():
        if (
            key in _BROAD
            or all(word in _WEAK_ALONE for word in key)
            or key[-1] in _WEAK_ENDS
            or (len(key) == 2 and key[0] in _PREFIXES)
        ):
            continue
        own = len(found) - inside.get(key, 0)
        if own * 3 < len(found):
            continue
        again = uses[key] / len(found) - 1.0
        scores[key] = own * again * (1.0 if len(key) < 3 else 1.3)
    return sorted(scores, key=lambda key: (-scores[key], key))[:most]


def _names(
    chosen: Sequence[_Key],
    texts: Sequence[str],
    holders: Mapping[_Key, Mapping[int, int]],
    expansions: Mapping[str, _Key],
) -> dict[_Key, str]:
    """How topics are written: as most texts write them; an acronym spelled out where that is short."""
    names: dict[_Key, str] = {}
    for key in chosen:
        spelled = expansions.get(key[0]) if len(key) == 1 else key
        written = spelled if spelled is not None and len(spelled) <= _SHOWN_EXPANSION else key
        names[key] = _written(written, [texts[index] for index in list(holders[key])[:_LOOKED_AT]])
    return names


def _written(key: _Key, texts: Sequence[str]) -> str:
    """The commonest spelling of a phrase, capitals of sentences and headings left out where one without is used."""
    pattern = re.compile(r"(?<![\w-])" + r"[\s-]+".join(_stem(word) for word in key) + r"(?![\w-])", re.IGNORECASE)
    seen: Counter[str] = Counter()
    for text in texts:
        seen.update(" ".join(found.split()) for found in pattern.findall(text[:MAX_TEXT]))
    if not seen:
        return " ".join(key)
    groups: Counter[str] = Counter()
    for form, count in seen.items():
        groups[form.casefold()] += count
    best = max(groups, key=lambda form: (groups[form], form))
    forms = [form for form in seen if form.casefold() == best]
    return min(
        forms, key=lambda form: (sum(_capitalised(word) for word in re.split(r"[\s-]", form)), -seen[form], form)
    )


def _capitalised(word: str) -> bool:
    return word[:1].isupper() and word[1:].islower()


def _stem(word: str) -> str:
    """A pattern for a folded word in any number."""
    if word.endswith("y"):
        return re.escape(word[:-1]) + "(?:y|ies)"
    return re.escape(word) + "s?"
