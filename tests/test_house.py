"""Rules of the house that no linter knows: who may read the wall clock."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

WALL = {
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns", "time.localtime",
    "time.gmtime", "time.ctime", "time.strftime", "time.clock_gettime",
}  # fmt: skip

MAY = {
    "tests/clocks.py": "the one helper",
    "bot/schedule/clock.py": "`system_clock`, which stands wherever no clock is given",
    "bot/adapters/slack/socket.py": "when an answer began, which slack_bolt subtracts from its own reading",
    "bot/digest/deliver.py": "the scheduler's first run, which its library compares with its own reading",
}


def readings(source: str) -> Iterator[tuple[int, str]]:
    """Where a module reads the wall clock: line and name, also by another name that an import gave it."""
    tree = ast.parse(source)
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in {"datetime", "time"}:
            for one in node.names:
                names[one.asname or one.name] = f"time.{one.name}" if node.module == "time" else one.name
                if names[one.asname or one.name] in WALL:
                    yield node.lineno, names[one.asname or one.name]
        elif isinstance(node, ast.Import):
            names.update({one.asname: one.name for one in node.names if one.asname})
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            short = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
            if (name := f"{names.get(short, short)}.{node.attr}") in WALL:
                yield node.lineno, name


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from datetime import datetime\ndatetime.now()", [(2, "datetime.now")]),
        ("from datetime import datetime as d\nd.utcnow()", [(2, "datetime.utcnow")]),
        ("import datetime\ndatetime.datetime.now(datetime.UTC)", [(2, "datetime.now")]),
        ("import datetime as dt\ndt.date.today()", [(2, "date.today")]),
        ("import time\nf = time.time", [(2, "time.time")]),
        ("import time as t\nt.time_ns()", [(2, "time.time_ns")]),
        ("from time import time", [(1, "time.time")]),
        ("from time import time as seconds", [(1, "time.time")]),
        ("import time\ntime.monotonic()\ntime.perf_counter()", []),
        ("from datetime import datetime, time\ntime(9)\ndatetime(2026, 7, 1)", []),
        ("moment.now()\nself.clock.now", []),
    ],
)
def test_a_reading_is_found_in_every_spelling(source: str, found: list[tuple[int, str]]) -> None:
    assert list(readings(source)) == found


@pytest.mark.parametrize("folder", ["tests", "bot"])
def test_nothing_reads_the_wall_clock_but_what_may(folder: str) -> None:
    found = [
        f"{name}:{line}: {what}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (name := path.relative_to(ROOT).as_posix()) not in MAY
        for line, what in readings(path.read_text())
    ]
    assert found == [], "take a clock (tests/clocks.py, `bot.schedule.clock.Clock`) or a monotonic reading"


@pytest.mark.parametrize("name", sorted(MAY))
def test_what_may_read_it_does(name: str) -> None:
    assert list(readings((ROOT / name).read_text()))


def test_every_error_of_ours_stands_in_the_tree() -> None:
    from bot import errors  # noqa: PLC0415 - read as text elsewhere here

    ours = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert errors.__doc__ is not None
    assert {name for name in ours if name not in errors.__doc__} == set()
    elsewhere = [
        f"{file.relative_to(ROOT)}: {node.name}"
        for file in sorted((ROOT / "bot").rglob("*.py"))
        if file.name != "errors.py"
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ClassDef)
        if any(ast.unparse(base).rpartition(".")[2].endswith(("Error", "Exception")) for base in node.bases)
    ]
    assert elsewhere == []
