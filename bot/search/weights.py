"""How much each kind of match counts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """How much a match counts, by where and how it matches; a word in the text counts 1.

    Found by measuring on the judged collections of `bench/search.py`. Tantivy adds what the fields give, so a
    title that counts more than a little buries good abstracts.
    """

    title: float = 0.25
    name: float = 0.1
    inner: float = 0.6
    """A part of a coined word: `puzzle` in PuzzleMoE."""
    pair: float = 0.25
    """Two words of the query side by side."""
    compound: float = 0.7
    """`kvcache` for `kv cache`, and the other way round."""
    expansion: float = 0.3
    """Reinforcement learning for RL."""
    acronym: float = 0.4
    """RL for reinforcement learning."""
    synonym: float = 0.2
    """A word of the thesaurus for one of the query."""
    unknown_synonym: float = 0.5
    """A synonym of a word that no paper has."""
    coined: float = 1.3
    """A word typed with capitals or digits inside: somebody's name."""
    light: float = 0.5
    """A word that every text may have, such as `make`."""
    slip: float = 0.8
    """A common word, for a rare one that looks like a slip of it."""
    again: float = 0.6
    """What a further way to say the same adds, in parts of what it counts alone."""
    key: float = 0.2
    """A part of the query that is somebody's whole name."""
