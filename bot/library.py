"""A corpus with everything that answers questions about it: one value, replaced whole when the corpus changes."""

from dataclasses import dataclass
from pathlib import Path

from bot.papers import Corpus
from bot.pauses import no_collection
from bot.search import SearchIndex
from bot.search.suggest import Suggester


@dataclass(frozen=True, slots=True)
class Library:
    """What commands look things up in."""

    corpus: Corpus
    index: SearchIndex
    suggester: Suggester

    @classmethod
    def of(cls, corpus: Corpus, directory: Path | None = None) -> "Library":
        """Index a corpus; `directory` keeps the index for the next start."""
        with no_collection():
            return cls(corpus, SearchIndex.build(corpus, directory), Suggester(corpus))
