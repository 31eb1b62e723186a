"""The naming rules together: every possible name of an abstract, best first."""

from collections.abc import Sequence

from bot.corpus.labels.candidates import Candidate, survey
from bot.corpus.labels.introductions import introductions
from bot.corpus.labels.mentions import mentions, repositories, shape, stems, styles
from bot.corpus.labels.tokens import Flat


def candidates(flat: Flat, repository_names: Sequence[str]) -> list[Candidate]:
    """Every possible name with its score, best first."""
    field = survey(flat)
    introductions(field)
    for candidate in field.table.values():
        mentions(field, candidate)
        shape(field, candidate)
    styles(field)
    repositories(repository_names, field)
    stems(field)
    return sorted(field.table.values(), key=lambda found: (-found.score, found.run.start, len(found.name)))
