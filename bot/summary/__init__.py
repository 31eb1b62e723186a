"""Summaries in the abstract's own words."""

from bot.summary.extract import Line, Role, Summary, summarise, summarise_text

__all__ = ["Line", "Role", "Summary", "summarise", "summarise_text"]
