"""One harmful change of the code, a row of the tables that tools/mutants.py tries; and names that they share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: what it breaks, in which file, what stands there and what would, and the tests that look at it."""

    breaks: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]


LEDGER, DELIVER, LEASES, STORE = (
    "bot/store/ledger.py", "bot/digest/deliver.py", "bot/store/leases.py", "bot/store/database.py",
)  # fmt: skip


def edge(*names: str) -> tuple[str, ...]:
    """Tests of tests/test_digest_edges.py."""
    return at("digest_edges", *names)


def at(file: str, *names: str) -> tuple[str, ...]:
    """Tests of another file."""
    return tuple(f"tests/test_{file}.py::test_{name}" for name in names)
