"""From files to papers: `load_corpus(paths)` gives a `Corpus`."""

from bot.corpus.load import load_corpus

__all__ = ["load_corpus"]
