"""One state of the index to ask: how rare terms are, and the smallest questions about them."""

import math
from functools import lru_cache

import tantivy

from bot.search.documents import Knowledge, schema
from bot.search.wordlists import STOP_WORDS

_REMEMBERED = 20_000


class Reader:
    """A searcher with what was learnt from its papers. The state never changes, so answers are remembered."""

    def __init__(self, searcher: tantivy.Searcher, knowledge: Knowledge) -> None:
        self.searcher = searcher
        self.knowledge = knowledge
        self.schema = schema()
        self.papers: int = searcher.num_docs
        self.count = lru_cache(_REMEMBERED)(searcher.doc_freq)
        self.term = lru_cache(_REMEMBERED)(self._term)
        self.together = lru_cache(_REMEMBERED)(self._together)

    def frequency(self, stemmed: str) -> int:
        """The number of papers with this stem in their text, else in a name, else inside a word."""
        return self.count("body", stemmed) or self.count("name", stemmed) or self.count("inner", stemmed)

    def known(self, stemmed: str) -> bool:
        """True when a search for this stem finds something, if only by another way to write it."""
        return (
            self.frequency(stemmed) > 0
            or stemmed in self.knowledge.splits
            or stemmed in self.knowledge.acronyms.expansions
        )

    def rarity(self, papers: int) -> float:
        """What a term in this many papers is worth: BM25's inverse document frequency, as Tantivy computes it."""
        return math.log(1 + (self.papers - papers + 0.5) / (papers + 0.5))

    def _term(self, field: str, stemmed: str, weight: float) -> tantivy.Query | None:
        """Asks for a term in a field; None when no paper has it there."""
        if weight <= 0 or not self.count(field, stemmed):
            return None
        return boosted(tantivy.Query.term_query(self.schema, field, stemmed, "freq"), weight)

    def _together(self, run: tuple[str, ...], weight: float) -> tantivy.Query | None:
        """Asks for stems that stand side by side in the text, function words aside."""
        content = [stemmed for stemmed in run if stemmed not in STOP_WORDS]
        if len(content) < 2:
            return self.term("body", content[0], weight) if content else None
        if weight <= 0 or not all(self.count("body", stemmed) for stemmed in content):
            return None
        return boosted(tantivy.Query.phrase_query(self.schema, "body", list(content)), weight)


def boosted(query: tantivy.Query, weight: float) -> tantivy.Query:
    """A question whose answers count `weight` times as much."""
    return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)
