"""Topics of a corpus whose papers declare none: the noun phrases that its abstracts share."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TopicModel:
    """The topics of a corpus, most frequent first, and those of each text, in the order of the texts."""

    topics: tuple[str, ...]
    by_text: tuple[tuple[str, ...], ...]


def derive_topics(texts: Sequence[str]) -> TopicModel:
    """Topics of plain-text abstracts."""
    return TopicModel((), ((),) * len(texts))
