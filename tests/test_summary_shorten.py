"""Sentences made shorter by deleting words: what goes, what stays, and what is never cut."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.summary.openings import main_clause, without_announcement, without_pointers
from bot.summary.shorten import finished, shorten, tails, without_asides, without_citations


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In this paper, we propose X.", "we propose X."),
        ("In this work we propose a new kind of thing.", "we propose a new kind of thing."),
        ("To address this challenge, we propose Y, a method.", "we propose Y, a method."),
        ("To bridge this gap, in this paper, we propose Z for it.", "we propose Z for it."),
        ("Motivated by this observation, xKV factorizes the cache.", "xKV factorizes the cache."),
        ("However, existing methods are slow on long inputs.", "existing methods are slow on long inputs."),
        ("Yet most benchmarks test them one by one.", "most benchmarks test them one by one."),
        ("To stabilize training, existing methods impose constraints.", None),
        ("By combining these parts, it learns faster than before.", None),
        ("To address this, they are trained on their own outputs.", None),
        ("In this paper, X.", None),
        ("We introduce G, a dual-graph system, to address both issues.", "We introduce G, a dual-graph system."),
    ],
)
def test_openings_that_point_back_go(sentence: str, expected: str | None) -> None:
    assert without_pointers(sentence) == (expected if expected is not None else sentence)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Experiments on the FormalGeo7k benchmark show that our method achieves 89.29% accuracy.",
            "our method achieves 89.29% accuracy.",
        ),
        (
            "Extensive evaluations demonstrate that Trifuse achieves strong performance everywhere.",
            "Trifuse achieves strong performance everywhere.",
        ),
        ("We find that models trained so diverge 6x less.", "models trained so diverge 6x less."),
        ("Experiments show that it is much better than each of the baselines.", None),
        ("We show that the length grows exponentially, and prove optimality of the bounds.", None),
        ("Experiments show that when trained longer, models overfit to their data.", None),
        ("The idea that models show that behaviour more often is old by now.", None),
        ("Experiments show that X is good.", None),
    ],
)  # fmt: skip
def test_announcements_go_where_the_finding_stands_alone(sentence: str, expected: str | None) -> None:
    assert without_announcement(sentence) == (expected if expected is not None else sentence)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We follow BTS (Prelec, 2004) here.", "We follow BTS here."),
        ("We follow it (see Smith and Lee, 2019; Wu, 2020), too.", "We follow it, too."),
        ("We follow GKW (Peeters et al., 2009), as others [3, 4] do.", "We follow GKW, as others do."),
        ("Gains are large (+1.25 points) in 2019 (Table 2).", None),
        ("It is inspired by the sketch of [Wu et al., 2016].", None),
        ("A score in [0, 1] and a range of [0.5, 2] stay.", None),
    ],
)
def test_citations_go(sentence: str, expected: str | None) -> None:
    assert without_citations(sentence) == (expected if expected is not None else sentence)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We propose SCOUT (Sub-Scale Collaboration On Unseen Tasks), a framework.", "We propose SCOUT, a framework."),
        ("We propose One-Way Policy Optimization (OWPO), a method.", None),
        ("Large Language Models (LLMs) are large.", "Large Language Models are large."),
        ("Large Language Models (LLMs) beat other LLMs.", None),
        ("We add (1) a loss and (2) a cache.", None),
        ("Code is here (https://example.org/a).", None),
        ("It sorts in O(n log n) time, f(x) aside.", None),
        ("A statistic — the failed-step fraction — that predicts", "A statistic that predicts"),
        ("A statistic—the FSF, a fraction—that predicts", "A statistic that predicts"),
        ("Nested (one (two) three) brackets.", "Nested brackets."),
    ],
)
def test_asides_go(sentence: str, expected: str | None) -> None:
    assert without_asides(sentence) == (expected if expected is not None else sentence)


@pytest.mark.parametrize(
    ("sentence", "start"),
    [
        ("To reach it, we go.", "we go."),
        ("To detect, track, and fix bugs, we propose X.", "we propose X."),
        ("Across many tasks, xKV wins.", "xKV wins."),
        ("We go.", "We go."),
        ("Training them costs much, as they are large.", "Training them costs much, as they are large."),
        ("In vision, language, and speech, models vary.", "In vision, language, and speech, models vary."),
    ],
)
def test_the_main_clause_is_found(sentence: str, start: str) -> None:
    assert sentence[main_clause(sentence) :] == start


@pytest.mark.parametrize(
    ("text", "never"),
    [
        # what would be left of it is no sentence, or says something else
        ("It learns both fast policies across tasks and slow ones, using two separate heads on top.", "across tasks"),
        ("We study environments where success depends, in the end, on coordinating tools.", "success depends."),
        ("We combine three signals for grounding: attention, OCR cues that help, and captions.", "OCR cues."),
        ("They reduce the cost of training, improve the accuracy of models, and generalize.", "of models."),
        ("We enable large language models to act as planners in many open worlds by themselves.", "language models."),
        ("The models find not a single answer but several, but only for problems that are easy.", "several."),
        ("This method relies in all of its parts on large and costly models that others train.", "parts."),
        ("We use a scheme with (1) a loss for the encoder, and (2) a cache for the decoder.", "encoder."),
    ],
)  # fmt: skip
def test_no_unsound_end(text: str, never: str) -> None:
    assert all(not shorter.endswith(never) for shorter, _ in tails(text))


@pytest.mark.parametrize(
    ("text", "among"),
    [
        (
            "Our method achieves 89.29% accuracy on the benchmark, substantially outperforming all baselines.",
            "Our method achieves 89.29% accuracy on the benchmark.",
        ),
        (
            "We propose xKV, a method that factorizes the cache into a subspace, and show that it works.",
            "We propose xKV, a method that factorizes the cache into a subspace.",
        ),
        (
            "SINQ reduces the gap by over 50% against baselines, incurs no overhead, and can be enhanced.",
            "SINQ reduces the gap by over 50% against baselines.",
        ),
        (
            "We design WarmServe, a multi-model serving system with three techniques: (1) a, (2) b, and (3) c.",
            "We design WarmServe, a multi-model serving system with three techniques.",
        ),
        (
            "Existing methods degrade the quality of long answers; the best of them needs much memory.",
            "Existing methods degrade the quality of long answers.",
        ),
    ],
)
def test_sound_ends(text: str, among: str) -> None:
    assert among in [shorter for shorter, _ in tails(text)]


@pytest.mark.parametrize(
    ("sentence", "longest", "expected"),
    [
        (
            ("To address this issue, we propose Theorem Precedence Graphs, which encode temporal dependencies as "
            "directed graphs, and impose topological constraints that effectively prune the search space."),
            120,
            "We propose Theorem Precedence Graphs, which encode temporal dependencies as directed graphs.",
        ),
        (
            "Motivated by this observation, we propose xKV, a compression method that jointly factorizes the cache.",
            160,
            "We propose xKV, a compression method that jointly factorizes the cache.",
        ),
        ("However, xKV achieves more.", 160, "xKV achieves more."),
        (
            "Agents fail by losing track of what they were asked to do; we ask whether drift shows early.",
            60,
            "We ask whether drift shows early.",
        ),
        ("However, τ-Bench is an example of this.", 160, "τ-Bench is an example of this."),
        ("Code is available at https://github.com/a/b-c_d.git.", 20, "Code is available at https://github.com/a/b-c_d.git."),
        ("What makes a reasoning trace good?", 160, "What makes a reasoning trace good?"),
    ],
)  # fmt: skip
def test_whole_sentences(sentence: str, longest: int, expected: str) -> None:
    assert shorten(sentence, longest) == expected


def test_a_claim_keeps_its_figure() -> None:
    sentence = (
        "Our experiments show that Pruner preserves performance more effectively than existing techniques, reducing "
        "the drop from the dense model by up to 93.8% over the strongest baseline on RoleBench, while still "
        "maintaining other capabilities of the model and its general knowledge."
    )
    prized = re.compile(r"\d+(?:\.\d+)?%")
    shorter = shorten(sentence, 160, prized, claim=True)
    assert "93.8%" in shorter
    assert len(shorter) < 190


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we go.", "We go."),
        ("xKV wins.", "xKV wins."),
        ("k-means wins.", "K-means wins."),
        ("“we” go.", "“We” go."),
        ("vLLM and o3.", "vLLM and o3."),
        ("τ rises.", "τ rises."),
        ("", ""),
    ],
)
def test_capitals(text: str, expected: str) -> None:
    assert finished(text) == expected


_CLAUSES = st.sampled_from(
    [
        "we propose X-Net, a framework that learns graphs",
        "it reduces memory by 4.23× and 50.5%",
        "outperforming all baselines",
        "to address this issue",
        "in this paper",
        "however",
        "which uses “odd, quoted words” inside",
        "experiments show that it works",
        "(Smith et al., 2020)",
        "(e.g., small MLPs, or none)",
        "(1) a first part; (2) a second",
        "via a [nested (pair) of] brackets",
        "and prove that p(a | v) holds",
        "while keeping O(n log n) cost",
        "across 3,000 tasks at https://example.org/a,b.c",
        "with both speed and accuracy",
        "not only fast but sound",
        "a dilemma: one fails, the other costs",
        "it is hard — or not — to say",
        "such as A*, B, and C",
        "using data in {1, 2, 3}",
        "because the model has 7B parameters",
        "where success depends on tools",
    ]
)
_SENTENCES = st.lists(_CLAUSES, min_size=1, max_size=9).flatmap(
    lambda parts: st.sampled_from([", ".join(parts) + ".", " ".join(parts) + ".", "; ".join(parts)])
)
_JOINT = re.compile(r"[\s—]+")


def _words(text: str) -> list[str]:
    return [stripped for word in _JOINT.split(text) if (stripped := word.strip("\"'“”.,;:!?()[]{}–-").lower())]


def _is_subsequence(short: list[str], full: list[str]) -> bool:
    rest = iter(full)
    return all(word in rest for word in short)


@settings(max_examples=300)
@given(_SENTENCES, st.integers(20, 220), st.booleans())
def test_only_words_are_deleted(sentence: str, longest: int, claim: bool) -> None:
    shorter = shorten(sentence, longest, claim=claim)
    assert _is_subsequence(_words(shorter), _words(sentence))
    assert shorter
    for opened, closed in (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”")):
        assert shorter.count(opened) == shorter.count(closed)
    assert set(re.findall(r"\d[\d.,]*\d|\d", shorter)) <= set(re.findall(r"\d[\d.,]*\d|\d", sentence))
    assert not re.search(r"[,;:(]\s*[.]?\Z|\s[,.;]|,,|\(\s*\)", shorter) or re.search(r"[,;:(]\s*\Z", sentence)


@given(st.text(max_size=300), st.integers(0, 200))
def test_any_text_at_all(sentence: str, longest: int) -> None:
    assert _is_subsequence(_words(shorten(sentence, longest)), _words(sentence))
