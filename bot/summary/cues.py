"""Phrases that give away what a sentence of an abstract is for. The trained model and the rules read the same ones."""

import re

from bot.summary.lexicon import either

_AUTHORS = (
    r"\b(?:we|i|the authors|"
    r"(?:this|the|our)(?: \w+)? (?:paper|work|article|study|thesis|survey|manuscript|report|note))"
)
_ADVERBS = r"(?: (?:\w+ly|also|first|then|here|thus|therefore|further|next|now|instead|hence|moreover|too)){0,2}"

_PROPOSE = either("""
    propose introduce present develop design devise formulate build built create construct contribute release describe
    put_forward advocate offer unveil craft implement instantiate curate advance
""")
_STUDY = either("""
    study studie investigate analyze analyse examine explore ask revisit consider address tackle aim focus argue conduct
    characterize characterise formalize formalise review survey discuss question rethink seek attempt extend prove
    derive provide give solve bridge close resolve generalize generalise adapt apply use leverage train view perform
""")
_SHOW = either("""
    show shown demonstrate find found observe identify identifie reveal report evaluate discover uncover validate verify
    verifie compare test illustrate benchmark confirm highlight establish
""")
_HARD = either(r"""
    remains? challeng\w+ limit(?:s|ed|ations?)? suffers? fails? struggles? lacks? overlooks? bottleneck\w* hinder\w*
    costly expensive prohibitive\w* degrad\w+ inefficien\w+ unclear underexplored brittle
""")
_KINDS = either(
    "methods? approach\\w* works? stud\\w+ models? systems? techniques? benchmarks? algorithms? frameworks?"
)
_SHARED = either("""
    code codes codebase implementation data dataset datasets models? weights checkpoints? benchmark demo toolkit library
    project_page project_website homepage source_code website
""")
_GIVEN = either(r"available released? open[-\ ]?sourced? public\w* provided accessible found_at")


def _said(verbs: str) -> str:
    """The authors as subject of one of these verbs, in the present or past."""
    return rf"{_AUTHORS}{_ADVERBS} (?:{verbs})(?:e?s|e?d)?\b"


_PATTERNS = {
    "propose": _said(_PROPOSE) + r"|(?:^|, )our proposed ",
    "study": _said(_STUDY),
    "show": _said(_SHOW),
    "also": r"\bwe (?:also|additionally|further|furthermore)\b"
    r"|^(?:additionally|furthermore|moreover|besides|in addition)\b",
    "named": r"\b(?:called|termed|dubbed|named|coined|namely|referred to as|short for)\b",
    "passive": r"\b(?:is|are|was|were) (?:proposed|introduced|presented|developed|described|investigated|studied)\b",
    "contrast": r"^(?:however|yet|but|unfortunately|nevertheless|nonetheless|still|despite|although)\b",
    "hard": rf"\b(?:{_HARD})\b",
    "prior": rf"\b(?:existing|prior|previous|current|recent|traditional|conventional|most) (?:[\w–-]+ ){{0,2}}(?:{_KINDS})\b",
    "result": r"\b(?:outperform\w*|surpass\w*|state-of-the-art|sota|achiev\w+|improv\w+|reduc\w+|speedups?|faster|higher"
    r"|competitive|superior\w*|gains?|accuracy)\b",
    "evaluated": r"\b(?:experiments?|evaluations?|results?|empirically|simulations?|ablations?|benchmarks?|extensive)\b",
    "gain": r"\d(?:\.\d+)?\s?(?:%|×|x\b|percent|points?|times|-fold)",
    "code": rf"https?://|\b(?:{_SHARED})\b.{{0,60}}\b(?:{_GIVEN})\b|\bwe (?:\w+ )?(?:release|open-source)\b",
    "back": r"^(?:it|this|these|those|they|such|that|both|here|building on|based on|in particular|specifically|concretely"
    r")\b",
    "means": r"\b(?:by|via|through|using|leverag\w+|consists?|comprises?|combin\w+|integrat\w+|employs?)\b",
    "outlook": r"\b(?:suggests?|highlights?|implications?|insights?|paves?|promising|overall|underscores?|opens?)\b",
}

CUES: tuple[tuple[str, re.Pattern[str]], ...] = tuple((name, re.compile(line)) for name, line in _PATTERNS.items())
"""Each cue with the pattern that finds it in a sentence in lower case."""
