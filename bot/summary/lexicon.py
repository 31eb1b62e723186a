"""Word lists of English that the rules of this package share."""


def words(lines: str) -> frozenset[str]:
    """The words of a white-space separated list."""
    return frozenset(lines.split())
