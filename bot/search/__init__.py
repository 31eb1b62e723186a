"""Finding papers: the query language, the index, suggestions while typing."""

from bot.search.index import Hit, Problem, Results, SearchIndex
from bot.search.query import Query, parse

__all__ = ["Hit", "Problem", "Query", "Results", "SearchIndex", "parse"]
