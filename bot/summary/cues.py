"""Phrases that give away what a sentence of an abstract is for. The trained model and the rules read the same ones."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bot.summary.lexicon import either, words

LONGEST = 1500
"""Characters of a sentence that are looked at: no sentence needs more to show what it is for."""

_TOKEN = re.compile(r"[a-z]+(?:-[a-z]+)*|\d+(?:[.,]\d+)*%?|\?")
_AUTHORS_ACT = re.compile(
    r"\b(?:we|i|the authors|"
    r"(?:this|the|our)(?: \w+)? (?:paper|work|article|study|thesis|survey|manuscript|report|note))"
    r"(?: (?:\w+ly|also|first|then|here|thus|therefore|further|next|now|instead|hence|moreover|too)){0,2}"
    r" ([a-z]+)(?= (forward)?)"
)
_ACTS = {
    "propose": words("""
        propose introduce present develop design devise formulate build create construct contribute release describe
        put advocate offer unveil craft implement instantiate curate advance
    """),
    "study": words("""
        study investigate analyze analyse examine explore ask revisit consider address tackle aim focus argue
        conduct characterize characterise formalize formalise review survey discuss question rethink seek attempt
        extend prove derive provide give solve bridge close resolve generalize generalise adapt apply use leverage
        train view perform adopt employ combine integrate incorporate frame cast define
    """),
    "show": words("""
        show demonstrate find observe identify reveal report evaluate discover uncover validate verify compare test
        illustrate benchmark confirm highlight establish
    """),
}
_IRREGULAR = {"built": "build", "shown": "show", "found": "find", "gave": "give", "sought": "seek"}

_BY_WORD = {
    name: re.compile(either(line))
    for name, line in {
        "named": "called termed dubbed named coined namely",
        "hard": r"""
            remains? challeng\w+ limit(?:s|ed|ations?)? suffers? fails? struggles? lacks? overlooks? bottleneck\w*
            hinder\w* costly expensive prohibitive\w* degrad\w+ inefficien\w+ unclear under-?explored brittle cannot
            ignor\w+ neglect\w* impractical intractable insufficient\w* inadequate\w* unreliabl\w+ poorly scarc\w+
            difficult\w* hard strained crisis vulnerab\w+ redundan\w+ ambigu\w+ conflat\w+ overlooking lacking
            failing suffering undermin\w+ unstable instability intensive unknown unexplored untested
        """,
        "result": r"""
            outperform\w* surpass\w* state-of-the-art sota achiev\w+ improv\w+ reduc\w+ speedups? faster higher
            competitive superior\w* gains? accuracy
        """,
        "evaluated": "experiments? evaluations? results? empirically simulations? ablations? benchmarks? extensive",
        "means": r"by via through using leverag\w+ consists? comprises? combin\w+ integrat\w+ employs?",
        "outlook": "suggests? highlights? implications? insights? paves? promising overall underscores? opens",
    }.items()
}
_KINDS = either(r"methods? approach\w* works? stud\w+ models? systems? techniques? benchmarks? algorithms? frameworks?")
_SHARED = either("""
    code codes codebase implementations? scripts? data datasets? models? weights checkpoints? benchmark demos? toolkit
    library materials? package repository repo resources artifacts? page website link everything all pipelines?
    evaluators? harness suite
""")
_GIVEN = either(r"""
    available released? open[-\ ]?sourced? public(?:ly)?\b found_(?:at|in|on) provided_(?:at|in|on|with|here|as)
    accessible hosted made_public here
""")
_GIVES = (
    re.compile(
        rf"\b(?:{_SHARED})\b(?: \([^)]{{0,60}}\))?(?: \w+){{0,3}}? "
        rf"(?:is|are|will be|can be|has been|have been|was|were)(?: \w+){{0,3}}? (?:{_GIVEN})"
    ),
    re.compile(
        r"\b(?:we|and|will|plan to|aim to|intend to) (?:(?:also|will|further|have|publicly|fully|then) ){0,2}"
        r"(?:release|publish) "
        r"(?:our|the|all|both|a|an|its|this|these|everything|code|data|models?|pre-?trained|\w+bench)\b"
    ),
    re.compile(r"\bwe (?:(?:also|will|further|publicly|fully|then) ){0,2}(?:release|open[- ]source) "),
    re.compile(r"\b(?:we will|will|plan to|aim to|intend to) (?:(?:also|publicly|fully) ){0,2}open[- ]source "),
    re.compile(r"\b(?:we|will)(?: \w+){0,2} make (?:[^\s.]+ ){1,10}(?:available|public|accessible|open)"),
    re.compile(
        r"\bwe (?:also )?provide (?:[^\s,.]+ ){0,5}(?:code|implementation|package|library|toolkit|repository)\b"
    ),
)
_GIVING = (
    "availab",
    "releas",
    "open-sourc",
    "open sourc",
    "public",
    "accessib",
    "found ",
    "provide",
    "publish",
    " here",
)
"""Parts of words, one of which every statement of availability holds."""
_ON_CONDITION = re.compile(
    r"\b(?:when|where|if|whether|once|unless|only|often|rarely|never|not|abundantly|increasingly|readily|become|becomes)\b"
)
_CODE = re.compile(r"\b(?:code|codes|codebase|source)\b")


_BY_PHRASE = {
    name: re.compile(line)
    for name, line in {
        "propose": r", our proposed ",
        "also": r"we (?:also|additionally|further|furthermore|then|next|finally|subsequently)\b",
        "passive": r"\b(?:is|are|was|were) "
        r"(?:proposed|introduced|presented|developed|described|investigated|studied)\b",
        "prior": r"\b(?:existing|prior|previous|current|recent|traditional|conventional|most) "
        rf"(?:[\w–-]+ ){{0,2}}(?:{_KINDS})\b",
        "gain": r"\d(?:\.\d+)?\s?(?:%|×|x\b|percent|points?|times|-fold)",
    }.items()
}
_BY_OPENING = {
    name: re.compile(line)
    for name, line in {
        "propose": r"our proposed ",
        "also": r"(?:additionally|furthermore|moreover|besides|in addition)\b",
        "contrast": r"(?:however|yet|but|unfortunately|nevertheless|nonetheless|still)\b",
        "concede": r"(?:despite|although|though|while|even though)\b",
        "hope": r"(?:\w+, )?(?:we|i) (?:hope|believe|conclude|encourage|expect|close|end|call (?:for|on|upon))\b",
        "back": r"(?:it|this|these|those|they|such|that|both|here|building on|based on|in particular|specifically"
        r"|concretely)\b",
        "code": r"\W{0,3}(?:(?:our|the|source|anonymous|project) ){0,3}"
        r"(?:code|codes|page|website|github|demo|repository|repo|homepage|data|dataset)\b"
        r"(?:[^.:&]{0,30}(?:: |&)|[^.,]{0,30} (?:available|at:? https?))",
    }.items()
}


def tokens(sentence: str) -> list[str]:
    """The words of a sentence in lower case, `#` for a number and `#%` for a percentage."""
    found = _TOKEN.findall(sentence[:LONGEST].lower())
    return [("#%" if token[-1] == "%" else "#") if token[0].isdigit() else token for token in found]


def cues(sentence: str, its_tokens: Sequence[str]) -> frozenset[str]:
    """The names of the cues that a sentence holds; `its_tokens` are its `tokens`."""
    low = sentence[:LONGEST].lower()
    held = {name for name, pattern in _BY_PHRASE.items() if pattern.search(low)}
    held.update(name for name, pattern in _BY_OPENING.items() if pattern.match(low))
    if _address(low) or (any(hint in low for hint in _GIVING) and _gives(low)):
        held.add("code")
    held.update(*map(_of_word, its_tokens))
    held.update(_acts(low))
    return frozenset(held)


def _address(low: str) -> bool:
    return "://" in low or "www." in low or ".github.io" in low


def _gives(low: str) -> bool:
    """Whether the sentence says where code or data is, or that it is there, and not when it would be."""
    return any(pattern.search(low) for pattern in _GIVES) and (
        _ON_CONDITION.search(low) is None or _CODE.search(low) is not None
    )


def _acts(low: str) -> Iterator[str]:
    """What the authors do as subject of a verb, in the present or past."""
    for found in _AUTHORS_ACT.finditer(low):
        verb = found.group(1)
        if verb == "put" and not found.group(2):
            continue
        for name, verbs in _ACTS.items():
            if any(form in verbs for form in _plain_forms(verb)):
                yield name


@lru_cache(maxsize=4096)
def _plain_forms(verb: str) -> tuple[str, ...]:
    forms = [verb, _IRREGULAR.get(verb, verb)]
    for ending, plain in (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", "")):
        if verb.endswith(ending):
            forms.append(verb[: -len(ending)] + plain)
    return tuple(forms)


@lru_cache(maxsize=16384)
def _of_word(token: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _BY_WORD.items() if pattern.fullmatch(token))
