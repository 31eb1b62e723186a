"""Names, aliases and handles for papers whose title may be unknown, derived by general rules."""

from bot.corpus.labels.handles import Label, assign, handle_base
from bot.corpus.labels.naming import derive

LABELS_VERSION = 3
"""Changes whenever the rules do: labels kept from another version are derived anew."""

__all__ = ["LABELS_VERSION", "Label", "assign", "derive", "handle_base"]
