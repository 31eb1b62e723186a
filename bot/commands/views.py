"""Moved to bot.views."""

from bot.views import *  # noqa: F403 - for importers of the old place
