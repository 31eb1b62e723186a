"""Sets of names written as one string, which reads better than a hundred quotation marks."""


def names(listed: str) -> frozenset[str]:
    """The names of a list that white space parts."""
    return frozenset(listed.split())
