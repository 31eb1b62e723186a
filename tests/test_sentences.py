"""Where sentences end, and abstracts cut into paragraphs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.richtext import Code, Emphasis, Inline, Inlines, LineBreak, Link, Mark, Math, Strong, Text, plain
from bot.summary.sentences import paragraphs, spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in spans(text)]


@pytest.mark.parametrize(
    "parts",
    [
        ["One stop.", "Another one."],
        ["We handle tasks, e.g. symbolic ones, well.", "They are hard."],
        ["We handle tasks (e.g., NPCs that interact).", "They are hard."],
        ["The roles (e.g. A. B. and C.) differ.", "This matters."],
        ["Liao et al. proposed it.", "We follow Xiao et al. (2018) and Wu et al.", "Our code is short."],
        ["We compare 4.8 vs. 1.2 and LoRA vs. DoRA.", "The first wins."],
        ["That is the loss, i.e. the risk.", "It falls."],
        ["It has batching, lazy penalties, rewards, etc. for training.", "That helps."],
        ["It has batching, shaping for signals, etc.", "ThetaEvolve is the first."],
        ["See Fig. 2 and Eq. 3, cf. Sec. 4.", "Then read on."],
        ["It is convex w.r.t. Q and linear resp. P.", "We prove both."],
        ["We gain 89.29% at 1.5B.", "It costs $.5 a run.", "Prices fell."],
        ["It uses A*.", "A* is optimal.", "So is SCHUR-A*."],
        ["It is up to 4.23× faster.", "Memory falls by 3.5×.", "Good."],
        ["GPT-4.1 beats v2.0.1 on Qwen2.5-7B.", "o3 does not."],
        ["J. R. Smith and D. E. Knuth wrote it.", "We read it."],
        ["Data is at https://example.org/a.b/c?d=e.f.", "Code is at www.example.org.", "Enjoy."],
        ["It says “Stop. Go on.” and ends.", "We stop."],
        ["They call it a “Ratchet Effect.”", "We explain it."],
        ['It is "good enough."', "We disagree."],
        ["It works (mostly.)", "We show why."],
        ["We test Yahoo! Answers and Jeopardy! questions.", "Both are old."],
        ["What makes a trace good?", "We ask this!", "Then we answer."],
        ["We wait... and see.", "It ends...", "We go on."],
        ["One, two, … 10 runs.", "Enough."],
        ["This is our method.", "We test it."],
        ["Caches are large.", "xKV achieves more.", "τ-Bench is an example.", "vLLM serves it."],
        ["We add (1) a loss; (2) a cache.", "Both help."],
        ["It appears as (1) a first kind.", "It recurs.", "(2) A second kind exists."],
        ["We find: 1. It works.", "2. It is fast."],
        ["The U.S. census is used in the U.S. economy.", "It is large."],
        ["Samples are i.i.d. draws.", "We drop i.i.d.", "This is hard."],
        ["Prof. Lee met Dr. No.", "They talked."],
        ["It gains roughly 10 pp.", "We stop here."],
        ["We study VS.", "In sum, it is good."],
        ["Let f map X to Y.", "Leveraging this, we act."],
        ["It improves reward.[3]", "We repeat it."],
        ["Die Methode ist gut。", "然后继续。"],
        ["No stop at the end"],
    ],
)
def test_each_sentence_is_found(parts: list[str]) -> None:
    assert sentences(" ".join(parts)) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("It is our method.We test it.", ["It is our method.", "We test it."]),
        ("It costs much.However, it works.", ["It costs much.", "However, it works."]),
        ("It gains 5%.Experiments show more.", ["It gains 5%.", "Experiments show more."]),
        ("We use Node.js and torch.nn.Linear here.", ["We use Node.js and torch.nn.Linear here."]),
        ("The U.S.A. and DR.Q differ.", ["The U.S.A. and DR.Q differ."]),
        ("  Spaces around.  \n And a new line. ", ["Spaces around.", "And a new line."]),
        ("One.\n\nτhird starts small.", ["One.", "τhird starts small."]),
        ("At https://anonymous.4open. science/r/J/README.md it is.", None),
        ("", []),
        (" . ", ["."]),
        ("1. 2. 3.", ["1. 2. 3."]),
        ("An unclosed (bracket. It goes on. So it does.", ["An unclosed (bracket.", "It goes on.", "So it does."]),
        ("An unclosed “quote. It goes on.", ["An unclosed “quote.", "It goes on."]),
    ],
)
def test_odd_texts(text: str, parts: list[str] | None) -> None:
    assert sentences(text) == ([text] if parts is None else parts)


_PIECES = st.sampled_from([
    "We", "show", "that", "e.g.",
    "i.e.,", "et al.", "vs.", "4.23×", "A*", "xKV", "GPT-4.1", "(see", "Fig.", "2)", "“odd", "end.”",
    "end.", "why?",
    "stop!", "U.S.", "J.", "https://example.org/a.b", "...", "…", '"', "(", ")", "1.", "method.We", "τ", "。", "\n",
])  # fmt: skip
_TEXTS = st.lists(_PIECES, max_size=40).map(" ".join) | st.text(max_size=200)


@given(_TEXTS)
def test_spans_cover_the_text_in_order(text: str) -> None:
    at = 0
    for start, end in spans(text):
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@given(_TEXTS)
def test_sentences_lose_nothing(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_a_long_hostile_text_is_cut_in_one_pass() -> None:
    for text in ("(" * 50_000 + ")" * 50_000, '"a. ' * 30_000, "1. " * 30_000, "[(" * 30_000 + "])" * 30_000):
        assert "".join("".join(sentences(text)).split()) == "".join(text.split())


_LEAVES = st.one_of(
    _TEXTS.filter(bool).map(Text),
    st.sampled_from(
        [Code("a. B"), Math("x. Y", "$x. Y$"), LineBreak(), Link("https://example.org", (Text("One. Two."),))]
    ),
)
_INLINES = st.lists(
    st.recursive(
        _LEAVES,
        lambda inner: st.builds(
            lambda kind, children: kind(tuple(children)),
            st.sampled_from([Strong, Emphasis, Mark]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        max_leaves=6,
    ),
    max_size=6,
).map(tuple)


def _styled(nodes: Inlines, style: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    """Each character that is not white space with the styles around it."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for node in nodes:
        match node:
            case Strong(inner) | Emphasis(inner) | Mark(inner):
                found.extend(_styled(inner, (*style, type(node).__name__)))
            case Link(url, inner):
                found.extend(_styled(inner, (*style, url)))
            case _:
                leaf = () if isinstance(node, Text) else (repr(node),)
                found.extend((one, (*style, *leaf)) for one in plain((node,)) if not one.isspace())
    return found


@given(_INLINES, st.integers(0, 120))
def test_paragraphs_keep_every_character_and_its_style(abstract: Inlines, longest: int) -> None:
    parts = paragraphs(abstract, longest)
    assert [one for part in parts for one in _styled(part)] == _styled(abstract)
    assert all(plain(part).strip() == plain(part) != "" for part in parts)


@given(_INLINES, st.integers(0, 120))
def test_a_paragraph_is_short_or_one_piece(abstract: Inlines, longest: int) -> None:
    for part in paragraphs(abstract, longest):
        whole = any(isinstance(node, Code | Math | Link) for node in _flat(part))
        assert len(plain(part)) <= longest or len(sentences(plain(part))) <= 1 or whole


def _flat(nodes: Inlines) -> list[Inline]:
    return [
        one
        for node in nodes
        for one in (_flat(node.children) if isinstance(node, Strong | Emphasis | Mark) else [node])
    ]


def test_paragraphs_cut_inside_of_styled_text() -> None:
    abstract = (
        Text("It is old. We propose "),
        Strong((Text("X. It is"), Emphasis((Text(" new. So"),)))),
        Text(" it is."),
    )
    assert paragraphs(abstract, 15) == [
        (Text("It is old."),),
        (Text("We propose "), Strong((Text("X."),))),
        (Strong((Text("It is"), Emphasis((Text(" new."),)))),),
        (Strong((Emphasis((Text("So"),)),)), Text(" it is.")),
    ]
    assert paragraphs(abstract, 1000) == [abstract]


def test_a_formula_or_link_is_never_cut() -> None:
    formula = Math("a. B", "$a. B$")
    assert paragraphs((Text("Let "), formula, Text(" hold. Then stop.")), 5) == [
        (Text("Let "), formula, Text(" hold.")),
        (Text("Then stop."),),
    ]
