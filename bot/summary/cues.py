"""Phrases that give away what a sentence of an abstract is for. The trained model and the rules read the same ones."""

import re

from bot.summary.lexicon import words

_ADVERBS = r"(?: (?:\w+ly|also|first|then|here|thus|therefore|further|next|now|instead|hence|then|moreover|too)){0,2}"
_AUTHORS = r"\b(?:we|i|the authors|(?:this|the|our)(?: \w+)? (?:paper|work|article|study|thesis|survey|manuscript|report|note))"


def _said(verbs: str) -> str:
    """The authors as subject of one of these verbs, in the present or past."""
    return rf"{_AUTHORS}{_ADVERBS} (?:{verbs})(?:e?s|e?d)?\b"


_PROPOSE = "|".join(
    (
        "propose|introduce|present|develop|design|devise|formulate|build|built|create|construct|contribute|release",
        "describe|put forward|advocate|offer|unveil|craft|implement|instantiate|curate|establish|advance",
    )
)
_STUDY = "|".join(
    (
        "study|studie|investigate|analyze|analyse|examine|explore|ask|revisit|consider|address|tackle|aim|focus|argue",
        "conduct|characterize|characterise|formalize|formalise|review|survey|discuss|question|rethink|seek|attempt|extend",
        "prove|derive|provide|give|solve|bridge|close|resolve|generalize|generalise|adapt|apply|use|leverage|train|view",
    )
)
_SHOW = "|".join(
    (
        "show|shown|demonstrate|find|found|observe|identify|identifie|reveal|report|evaluate|discover|uncover|validate",
        "verify|verifie|compare|test|illustrate|benchmark|confirm|highlight|establish",
    )
)

CUES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("propose", _said(_PROPOSE)),
        ("study", _said(_STUDY)),
        ("show", _said(_SHOW)),
        (
            "also",
            r"\bwe (?:also|additionally|further|furthermore)\b|^(?:additionally|furthermore|moreover|besides|in addition)",
        ),
        ("named", r"\b(?:called|termed|dubbed|named|coined|namely|referred to as|short for)\b"),
        (
            "passive",
            r"\b(?:is|are|was|were) (?:proposed|introduced|presented|developed|described|investigated|studied)\b",
        ),
        (
            "problem",
            (
                r"^(?:however|yet|but|unfortunately|nevertheless|nonetheless|still|despite|although)\b|\b(?:remains?|challeng\w+|"
                r"limit(?:s|ed|ation|ations)|suffers?|fails?|struggles?|lacks?|overlooks?|bottlenecks?|hinder\w*|costly|expensive)\b"
            ),
        ),
        (
            "prior",
            r"\b(?:existing|prior|previous|current|recent|traditional|conventional|most) (?:\w+ ){0,2}(?:methods?|approach\w*|work\w*|stud\w+|models?|systems?|techniques?|benchmarks?|algorithms?)\b",
        ),
        (
            "result",
            (
                r"\b(?:outperform\w*|surpass\w*|state-of-the-art|sota|achiev\w+|improv\w+|reduc\w+|speedups?|faster|higher|"
                r"competitive|superior\w*|gains?|accuracy)\b"
            ),
        ),
        (
            "evaluated",
            r"\b(?:experiments?|evaluations?|results?|empirically|simulations?|ablations?|benchmarks?|extensive)\b",
        ),
        ("gain", r"\d(?:\.\d+)?\s?(?:%|×|x\b|percent|points?|times|-fold)"),
        (
            "code",
            r"https?://|\b(?:code|codes|implementation|data|dataset|models?|weights|benchmark|project page)\b.{0,60}\b(?:available|released?|open[- ]sourced?|public\w*)\b",
        ),
        (
            "back",
            r"^(?:it|this|these|those|they|such|that|both|here|building on|based on|in particular|specifically|concretely)\b",
        ),
        ("means", r"\b(?:by|via|through|using|leverag\w+|consists?|comprises?|combin\w+|integrat\w+|employs?)\b"),
        (
            "suggest",
            r"\b(?:suggests?|highlights?|implications?|insights?|paves?|promising|overall|underscores?|opens?)\b",
        ),
    )
)
