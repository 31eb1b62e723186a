"""Names, aliases and handles for papers whose title may be unknown, derived by general rules."""

from bot.corpus.labels.handles import assign, handle_base
from bot.corpus.labels.naming import derive
from bot.corpus.labels.values import Label

__all__ = ["Label", "assign", "derive", "handle_base"]
