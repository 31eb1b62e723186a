"""From files to papers: `load_corpus(paths)` gives a `Corpus`."""

from bot.corpus.load import is_kept, load_corpus

__all__ = ["is_kept", "load_corpus"]
