"""What forms, exports and programs broke on the way, put back before a text is read."""

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import pairwise

from bot.corpus.markup import chars
from bot.corpus.markup.commands import known
from bot.corpus.markup.symbols import names
from bot.richtext import Inlines, map_text

_ESCAPES = {"\t": "t", "\r": "r", "\x0c": "f", "\x08": "b", "\x07": "a", "\x0b": "v"}
_EATEN = re.compile(
    "([\t\r\x0c\x08\x07\x0b])(imes|heta|au|ilde|ext(?:it|bf|tt|sc|sf|rm)?|frac|riangle|ightarrow|ho|ight|angle|ootnote|rac"
    "|orall|lat|eta|ar|oldsymbol|egin|inom|ullet|f|ig[lr]?|lpha|pprox|st|rg|ec|ert|arepsilon|arphi)(?![a-z])",
)
_EATEN_WHOLE = re.compile(
    r"(?<=[\w$)}]) (imes|ightarrow)(?![a-z])|(?<![A-Za-z\\])(ext(?:it|bf|tt|sc)|mph|ootnote)(?=\{)"
    r"|(?<![A-Za-z\\])(?<!backslash\$)(emph|text(?:bf|it|tt|sc|sf|rm)|math(?:bf|cal|bb|rm)|frac|sqrt|url|href|footnote|cite[pt]?)(?=\{)"
)
_CODE_SPAN = re.compile(f"{chars.CODE_OPEN}([^{chars.CODE_CLOSE}]*){chars.CODE_CLOSE}")
_CODE_MARKER = re.compile(f"[{chars.CODE_OPEN}{chars.CODE_CLOSE}]")
_CLOSED_OTHERWISE = re.compile(r"``([^`'\"“”\n]{1,200})(?:\"|”)")
_TWICE_OPENED = re.compile(r"``([^\W\d_](?:[\w\s,.’-]|'(?!')){0,200})``")
_OPENED_OTHERWISE = re.compile(r"(?<![\w\"`”])`?\"(?=[^\s])([^`\"“”']{1,200})''(?!')")
_DOUBLED = re.compile(r"\\\\(?=[%$&#_]|([A-Za-z]{2,}))")
_HEADING = re.compile(r"^ {0,3}#{1,6} +", re.MULTILINE)
_BULLET = re.compile(r"^ {0,3}[-*+] +(?=\S)", re.MULTILINE)


def restore_escapes(source: str) -> str:
    r"""The source with the commands whose backslash a program took for an escape (a tab and `imes` for `\times`)."""
    if " imes" in source or " ightarrow" in source or "{" in source:
        source = _EATEN_WHOLE.sub(_completed, source)
    if not any(control in source for control in _ESCAPES):
        return source
    return _EATEN.sub(_restored, source)


def _completed(eaten: re.Match[str]) -> str:
    if eaten[3]:
        return f"\\{eaten[3]}"
    rest = eaten[1] or eaten[2]
    first = "r" if rest == "ightarrow" else {"m": "e", "o": "f"}.get(rest[0], "t")
    return f"\\{first}{rest}"


def _restored(eaten: re.Match[str]) -> str:
    name = _ESCAPES[eaten[1]] + eaten[2]
    return f"\\{name}" if known(name) else eaten[0]


def restore_lines(source: str) -> str:
    """The source with Markdown's headings and bullets readable once its lines are one."""
    if "\n" not in source:
        return source
    if len(_BULLET.findall(source)) > 1:
        source = _BULLET.sub("• ", source)
    return _HEADING.sub("", source)


def restore_marks(text: str) -> str:
    """The marked text with quotes that Markdown read as code, quotes closed otherwise, and doubled backslashes."""
    if chars.CODE_OPEN in text:
        text = _CODE_SPAN.sub(lambda span: _CODE_MARKER.sub("``", span[0]) if "''" in span[1] else span[0], text)
    if "``" in text:
        text = _TWICE_OPENED.sub(r"“\1”", _CLOSED_OTHERWISE.sub(r"“\1”", text))
    if "''" in text and '"' in text:
        text = _OPENED_OTHERWISE.sub(r"“\1”", text)
    if "\\\\" in text:
        text = _DOUBLED.sub(lambda pair: "\\" if not pair[1] or known(pair[1]) else pair[0], text)
        if text.count("\\\\{") == text.count("\\\\}"):
            text = text.replace("\\\\{", "\\{").replace("\\\\}", "\\}")
        if text.count("\\\\|") % 2 == 0:
            text = text.replace("\\\\|", "\\|")
    if r"$\backslash$" in text:
        text = text.replace(r"$\backslash$", "\\").replace(r"{\{}", "{").replace(r"{\}}", "}")
    return text


# Words that a typesetter's line break left in two (`calibra- tion`), joined where the corpus knows the whole word.
# A hyphen before a space is far more often suspended (`short- and long-term`) than broken, so a pair is joined only
# when the joined word occurs elsewhere, and never before a conjunction; with its hyphen, when it occurs so.

_RUN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,40})[-\u2010] ([^\W\d_]{1,40})(?![^\W\d_])")
_CONJUNCTIONS = names(
    "and or to vs nor but versus plus either both und oder et ou y e o",
)


def vocabulary_of(texts: Iterable[str]) -> frozenset[str]:
    """The words of four letters or more that occur in plain texts, in lower case.

    One that is more often written with a hyphen is there with it (`fine-tuned`): joining its halves would misspell it.
    """
    tokens: Counter[str] = Counter()
    for text in texts:
        tokens.update(text.lower().split())
    words: Counter[str] = Counter()
    hyphened: Counter[str] = Counter()
    pairs: set[tuple[str, str]] = set()
    for token, count in tokens.items():
        for run in _RUN.findall(token):
            parts = run.split("-")
            for part in parts:
                words[part] += count
            for first, second in pairwise(parts):
                hyphened[first + second] += count
                pairs.add((first, second))
    whole = {word for word, count in words.items() if len(word) > 3 and count >= hyphened[word]}
    return frozenset(whole | {f"{first}-{second}" for first, second in pairs if first + second not in whole})


def join_broken(nodes: Inlines, vocabulary: AbstractSet[str]) -> Inlines:
    """The nodes with broken words joined where `vocabulary` (lower case) knows the whole; else the same object."""
    return map_text(nodes, lambda text: _join_text(text, vocabulary))


def _join_text(text: str, vocabulary: AbstractSet[str]) -> str:
    if "- " not in text and "\u2010 " not in text:
        return text

    def replace(pair: re.Match[str]) -> str:
        first, second = pair[1], pair[2]
        if second.islower() and second not in _CONJUNCTIONS:
            for whole in (first + second, f"{first}-{second}"):
                if whole.lower() in vocabulary:
                    return whole
        return pair[0]

    return _BROKEN.sub(replace, text)
