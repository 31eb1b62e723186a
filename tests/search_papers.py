"""A small corpus for the tests of search: invented papers in the style of real abstracts."""

from dataclasses import replace
from typing import TypedDict, Unpack

from bot.papers import Corpus, Paper, Source, paper_id
from bot.richtext import Text


class Known(TypedDict, total=False):
    """What a paper has besides its words."""

    name: str
    aliases: tuple[str, ...]
    topics: tuple[str, ...]
    venue: str
    year: int
    code: tuple[str, ...]


def paper(handle: str, title: str, abstract: str, **known: Unpack[Known]) -> Paper:
    """A paper whose name is its handle unless `known` says otherwise."""
    made = Paper(
        id=paper_id(abstract),
        handle=handle,
        title=(Text(title),),
        title_source="file",
        abstract=(Text(abstract),),
        sources=(Source("invented.jsonl", 1, 1, f"record-{handle}"),),
        name=handle,
        aliases=(),
        venue="ICML",
        year=2026,
    )
    return replace(made, **known)


PAPERS = (
    paper(
        "mosaicmoe",
        "MosaicMoE: Merging Experts Piece by Piece",
        "Mixture-of-Experts (MoE) models need much memory. We introduce MosaicMoE, which merges experts element by "
        "element, and show on GSM8K that a sparse MoE keeps 98.7% of its accuracy at half the size.",
        name="MosaicMoE",
        topics=("mixture of experts", "model compression"),
        code=("https://example.org/mosaicmoe",),
    ),
    paper(
        "kvfold",
        "KVFold: Sharing the KV-Cache Between Layers",
        "Long-context inference is bound by the KV-Cache. We propose KVFold, which factorises the KV-Cache of "
        "neighbouring layers into one shared low-rank subspace. KVFold needs no fine-tuning.",
        name="KVFold",
        topics=("long context", "model compression"),
    ),
    paper(
        "tau-shop",
        "τ-Shop: Agents That Serve Customers",
        "Conversational agents must look things up. We introduce τ-Shop, a benchmark in which agents serve naïve "
        "customers of a shop under the rules of its policy; frontier agents succeed in 31% of tasks.",
        name="τ-Shop",
        aliases=("tau-Shop",),
        topics=("agents",),
        year=2025,
    ),
    paper(
        "sqlweave",
        "SQLWeave: Component Rewards for Text-to-SQL",
        "Text-to-SQL models write a query token by token. SQLWeave gives them a reward for every matching part of "
        "the syntax tree, which improves execution accuracy on two datasets.",
        name="SQLWeave",
        topics=("reinforcement learning",),
        code=("https://example.org/sqlweave",),
        venue="NeurIPS",
    ),
    paper(
        "prune-a-star",
        "Prune-A*: Optimal Pruning by Search",
        "Pruning is a choice of what to leave out. Prune-A* finds the best choice with A* search, guided by an "
        "admissible bound, and proves that it is optimal.",
        name="Prune-A*",
        topics=("model compression",),
        year=2024,
    ),
    paper(
        "ripple",
        "RIPPLE: Quiet Rewards",
        "Reinforcement Learning (RL) from human feedback rewards length. RIPPLE is an RL method that subtracts what "
        "length explains from the reward. With RIPPLE the answers of a language model become shorter.",
        name="RIPPLE",
        topics=("reinforcement learning",),
    ),
    paper(
        "mentions-ripple",
        "A Study of Reward Baselines",
        "We compare RIPPLE, RIPPLE-2 and RIPPLE-XL. RIPPLE is fast, RIPPLE is small, and RIPPLE is cheap; where "
        "RIPPLE fails, RIPPLE-XL works. RIPPLE remains the strongest baseline of all that we study.",
        name="Reward Baselines",
        topics=("reinforcement learning",),
    ),
    paper(
        "halfbit",
        "HalfBit: Quantization Below Four Bits",
        "Quantization of weights loses accuracy at low precision. HalfBit adds a second scale for every column, so "
        "that modeling outliers costs nothing and calibration data is not needed.",
        name="HalfBit",
        topics=("model compression",),
    ),
    paper(
        "veritree",
        "Checking Claims Along a Graph",
        "Hallucinations are hard to find in long chains of thought. VeriTree verifies each claim against the claims "
        "that it rests on and sums up the lost information along the reasoning graph.",
        name="VeriTree",
        topics=("reasoning",),
    ),
    paper(
        "finetide",
        "FineTide: Finetuning in Small Steps",
        "Finetuning a language model on private data leaks it. FineTide splits the model between two parties, and "
        "neither sees what the other holds.",
        name="FineTide",
        topics=("privacy",),
    ),
)

CORPUS = Corpus(PAPERS, fingerprint="invented papers")
