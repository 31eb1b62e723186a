"""Finding papers: the query language, the index, suggestions while typing."""

from bot.search.index import SearchIndex
from bot.search.plan import matching
from bot.search.query import Hit, Problem, Query, Results, parse

__all__ = ["Hit", "Problem", "Query", "Results", "SearchIndex", "matching", "parse"]
