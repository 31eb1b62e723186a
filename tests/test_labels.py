"""The naming rules, one by one, on abstracts written for this test."""

import pytest

from bot.corpus.labels import Label, derive
from bot.corpus.markup import parse
from bot.richtext import Text


def label(abstract: str, title: str | None = None, links: tuple[str, ...] = ()) -> Label:
    return derive(parse(abstract), title=None if title is None else parse(title), links=links)


BACKGROUND = "Large Language Models (LLMs) are costly to serve, and Reinforcement Learning (RL) makes it worse. "
RESULTS = (
    " Experiments on GSM8K and MATH with Qwen3-8B show gains over LoRA and over strong baselines such as FooCache."
)


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("We propose Zorbix, a method that skips layers.", "Zorbix"),
        ("We introduce ZorbKV, which shares keys across layers.", "ZorbKV"),
        ("In this paper, we present **Zorb-Pruner**, a framework for pruning.", "Zorb-Pruner"),
        (r"To this end, we develop \textbf{zKV}, a cache for long prompts.", "zKV"),
        ("This paper introduces ZORB to shrink the cache of old tokens.", "ZORB"),
        ("We propose $\\omega$-routing, a rule that spreads the load.", "ω-routing"),
        ("We design and implement WormServe, a serving system for many models.", "WormServe"),
        ("We study how caches age and release Refractor, an open-source toolkit.", "Refractor"),
        ("We introduce ZORB-A*, an algorithm that searches all subsets.", "ZORB-A*"),
        ("We introduce fmzorbers, which replace the encoder.", "fmzorbers"),
        ("We present RoboZorb 2.0, a simulator of kitchens.", "RoboZorb 2.0"),
        ("We propose a novel framework called Zorbix that skips layers.", "Zorbix"),
        ("We propose a simple method, dubbed Zorbix, that skips layers.", "Zorbix"),
        ("We describe a new family of solvers which we refer to as Zorbix.", "Zorbix"),
        ("We bridge this gap with a unified framework, ZorbNet, which skips layers.", "ZorbNet"),
        ("To this end, our proposed ZorbRank method skips layers by rank.", "ZorbRank"),
        ("Our system, ZORBIT, skips layers and keeps the answers.", "ZORBIT"),
        ("ZorbGate (Zeroth-Order Routing by Gates) is proposed to skip layers.", "ZorbGate"),
        ("We propose a zero-shot layer skipper (ZeroSkip) for old hardware.", "ZeroSkip"),
        ("We propose Layer Precedence Tables, which record which layer came first.", "Layer Precedence Tables"),
    ],
)
def test_a_named_system_is_found_in_the_sentence_that_introduces_it(sentence: str, name: str) -> None:
    found = label(BACKGROUND + sentence + RESULTS)
    assert (found.name, found.phrase) == (name, False)


@pytest.mark.parametrize(
    ("sentence", "name", "alias"),
    [
        ("We propose Gated Layer Skipping (GLS), a method.", "Gated Layer Skipping", "GLS"),
        ("We propose **Gated Layer Skipping (GLS)**, a method.", "Gated Layer Skipping", "GLS"),
        ("We propose PIXA (Private and Isolated Cross Adaptation), a method.", "PIXA",
         "Private and Isolated Cross Adaptation"),
        ("We propose Gated Layer Skipping via Optimal Transport Maps (GLOT), a method.", "GLOT",
         "Gated Layer Skipping via Optimal Transport Maps"),
        ("We introduce Reinforcement Learning (RL) with Adaptive Puzzle Worlds (RLAPW), an approach.", "RLAPW",
         "Reinforcement Learning with Adaptive Puzzle Worlds"),
        ("We propose **ZISA** (**Z**eroth-order and **I**solated **S**plit **A**daptation), a method.", "ZISA",
         "Zeroth-order and Isolated Split Adaptation"),
        ("We propose ForecastZorb (FoZo), a memory for agents.", "ForecastZorb", "FoZo"),
    ],
)  # fmt: skip
def test_an_acronym_and_its_expansion_belong_together(sentence: str, name: str, alias: str) -> None:
    found = label(BACKGROUND + sentence + RESULTS)
    assert found.name == name
    assert alias in found.aliases


def test_an_acronym_whose_letters_do_not_fit_is_not_its_neighbours_expansion() -> None:
    found = label("We propose Gated Layer Skipping (see XQZ for details) to save time." + RESULTS)
    assert "XQZ" not in (found.name, *found.aliases)


@pytest.mark.parametrize(
    "abstract",
    [
        "We identify a bottleneck, termed Layer Drift: depth hurts. We propose Zorbix, a method that skips layers.",
        "A key failure mode, **Depth Illusion**, makes models fail. We propose Zorbix, a method that skips layers.",
        "Via Centered Kernel Alignment (CKA), we see that layers agree. We propose Zorbix, a method that skips layers.",
        "AlphaZorb, a closed system, evolves code. We introduce Zorbix, an open framework that extends AlphaZorb.",
        "We propose Zorbix, which is trained by Supervised Fine-Tuning (SFT), then by Preference Optimization (PO).",
        "Unlike LayerDrop and DeepCut, we propose Zorbix, a method that skips layers on Llama-3-8B and Qwen2.5-7B.",
    ],
)
def test_what_a_paper_criticises_or_uses_is_not_its_name(abstract: str) -> None:
    assert label(abstract + RESULTS).name == "Zorbix"


def test_field_acronyms_alone_name_nothing() -> None:
    found = label("We study LLMs, RL and MoE models. We prove that routers waste capacity when experts are many.")
    assert found.phrase
    assert found.name not in {"LLM", "LLMs", "RL", "MoE"}


@pytest.mark.parametrize(
    ("sentence", "phrase"),
    [
        ("We propose memory-anchored decoding, a principled method that keeps facts.", "memory-anchored decoding"),
        ("We propose a layer-aligned (LA) token distillation method for chips.", "layer-aligned token distillation"),
        ("We propose a novel thought process based on table column pre-selection and show that it works.",
         "table column pre-selection"),
    ],
)  # fmt: skip
def test_without_a_name_the_contribution_is_a_short_phrase(sentence: str, phrase: str) -> None:
    found = label("Serving is slow on small devices. " + sentence + " Results improve on two tasks.")
    assert found.phrase
    assert found.name == phrase


def test_a_phrase_keeps_its_abbreviated_form_as_an_alias() -> None:
    found = label("We propose a layer-aligned (LA) token distillation method for small chips.")
    assert "LA token distillation" in found.aliases


def test_a_perspective_colours_the_subject() -> None:
    found = label(
        "Trust scores guide agents, and trust scores are gamed. We take this on from a causal perspective by proposing "
        "a factored representation learning framework. Trust scores then hold."
    )
    assert "causal trust score" in (found.name, *found.aliases)


def test_the_repository_names_a_paper_that_names_nothing() -> None:
    text = "We propose a gated reading model of claims. Code is at https://github.com/someone/ClaimScore."
    assert label(text).name == "ClaimScore"
    assert label("We propose a gated reading model.", links=("https://github.com/a/ClaimScore",)).name == "ClaimScore"


def test_the_repository_of_a_named_paper_is_an_alias_without_its_suffix() -> None:
    found = label("We propose Zorbix, a method. Code: https://github.com/someone/zorb-layers_official")
    assert found.name == "Zorbix"
    assert "zorb-layers" in found.aliases


def test_further_artefacts_are_aliases() -> None:
    found = label(
        "We introduce ZORB, an approach to worlds. To implement ZORB, we create ZORB-Gym, a suite of 400 worlds. "
        "We also develop the ZoLo loss, which reweights tokens."
    )
    assert found.name == "ZORB"
    assert {"ZORB-Gym", "ZoLo"} <= set(found.aliases)


def test_names_outside_ascii_have_an_ascii_alias() -> None:
    assert "tau-Zorb" in label("We introduce $\\tau$-Zorb, a benchmark of tools.").aliases
    assert "ZORB-A" in label("We introduce ZORB-A*, an algorithm that searches.").aliases


def test_the_title_prefix_decides_where_the_title_is_known() -> None:
    found = label("We propose Gated Layer Skipping (GLS), a method.", title="GLS: Gated Layers for Less")
    assert (found.name, found.title) == ("GLS", "GLS: Gated Layers for Less")
    assert "Gated Layer Skipping" in found.aliases


def test_a_title_prefix_that_is_no_name_does_not_rename() -> None:
    abstract = "We propose Zorbix, a method that skips layers."
    for title in (
        "Position: Layers Should Be Skipped",
        "Rethinking Depth: When Layers Hurt",
        "Why Skip? A Study: Notes",
    ):
        assert label(abstract, title=title).name == "Zorbix"


def test_the_form_in_the_title_is_the_name() -> None:
    abstract = "We propose VIRA (Verified Isolated Routing Adaptation), a method."
    assert label(abstract).name == "VIRA"
    assert label(abstract, title="Verified Isolated Routing Adaptation").name == "Verified Isolated Routing Adaptation"


def test_the_derived_title_is_one_line_cut_at_a_word() -> None:
    found = label(
        "We introduce ZINQ to augment every known quantizer with a second axis of scales, found by a fast iteration "
        "that normalizes the rows and the columns of a matrix."
    )
    assert found.title == "ZINQ: augment every known quantizer with a second axis of scales, found by a fast…"
    assert len(found.title) <= 90


@pytest.mark.parametrize(
    "text", ["", " ", "…", "(", "(((ABC", "We propose", "We propose (", "https://github.com/", "a", "A (A)"]
)
def test_scraps_have_a_name_and_a_title(text: str) -> None:
    found = derive((Text(text),))
    assert found.name.strip()
    assert found.title.strip()
