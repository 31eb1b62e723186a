"""The figures of the house are counted as they say, and its page names what is there."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import house  # noqa: E402 - found beside the tests

PAGE = (ROOT / "docs" / "architecture.md").read_text()

PROTOCOL = """
from typing import Protocol
class Poster(Protocol):
    def send(self) -> None: ...
"""
SENDS = "class Posts:\n    def send(self) -> None: ...\n"
MUTE = "class Posts:\n    def recv(self) -> None: ...\n"


def product(folder: Path, files: dict[str, str]) -> dict[str, house.Module]:
    """A product of these modules; `a/b` is `bot/a/b.py`."""
    for name, source in files.items():
        path = folder / "bot" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return house.modules(folder)


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ({"a": "class One: ...", "b": "class Two: ..."}, {}),
        ({"a": "class One: ...", "b": "class One: ..."}, {"One": ["bot/a.py", "bot/b.py"]}),
        ({"a": "def f():\n    class _One: ...", "b": "class _One: ..."}, {"_One": ["bot/a.py", "bot/b.py"]}),
        ({"port": PROTOCOL, "adapters/slack/a": SENDS, "adapters/discord/b": SENDS}, {}),
        (
            {"port": PROTOCOL, "adapters/slack/a": SENDS, "adapters/slack/b": SENDS},
            {"Posts": ["bot/adapters/slack/a.py", "bot/adapters/slack/b.py"]},
        ),
        (
            {"port": PROTOCOL, "adapters/slack/a": SENDS, "adapters/discord/b": MUTE},
            {"Posts": ["bot/adapters/discord/b.py", "bot/adapters/slack/a.py"]},
        ),
        (
            {"adapters/slack/a": SENDS, "adapters/discord/b": SENDS},
            {"Posts": ["bot/adapters/discord/b.py", "bot/adapters/slack/a.py"]},
        ),
        ({"port": PROTOCOL, "a": SENDS, "b": SENDS}, {"Posts": ["bot/a.py", "bot/b.py"]}),
    ],
)
def test_a_name_stands_twice_unless_each_platform_has_its_own_of_a_protocol(
    tmp_path: Path, sources: dict[str, str], found: dict[str, list[str]]
) -> None:
    assert house.twice(product(tmp_path, sources)) == found


def test_an_import_is_told_by_when_it_is_made(tmp_path: Path) -> None:
    source = """
from typing import TYPE_CHECKING
import bot.b
from bot.folder import c, NAME
try:
    from bot.d import thing
except ImportError:
    pass
if TYPE_CHECKING:
    from bot.e import Type
def late():
    import bot.f
"""
    others = dict.fromkeys(("b", "d", "e", "f", "folder/__init__", "folder/c"), "")
    made = house.imports(product(tmp_path, {"a": source, **others}))
    assert {(one.what, one.when) for one in made} == {
        ("bot.b", house.When.LOADING),
        ("bot.folder.c", house.When.LOADING),
        ("bot.folder", house.When.LOADING),
        ("bot.d", house.When.LOADING),
        ("bot.e", house.When.TYPES),
        ("bot.f", house.When.LATE),
    }


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ("ab bc", []),
        ("ab ba", ["ab"]),
        ("ab bc ca cd", ["abc"]),
        ("ab bc ca cd de ed", ["abc", "de"]),
        ("ab ac bd cd", []),
        ("aa", ["a"]),
    ],
)
def test_cycles_are_found(edges: str, found: list[str]) -> None:
    assert house.rings((pair[0], pair[1]) for pair in edges.split()) == [list(ring) for ring in found]


def test_a_figure_over_its_limit_says_so() -> None:
    assert house.Figure("rooms", 3, 3).well
    assert not house.Figure("rooms", 4, 3).well
    assert house.Figure("rooms", 4).well
    assert str(house.Figure("rooms", 4, 3, ("hall",))) == "rooms: 4  (at most 3)  TOO MANY\n    hall"


def test_no_platform_imports_another() -> None:
    found = house.modules()
    crossing = [
        (one.of, one.what)
        for one in house.imports(found)
        if len({name for name in map(house.platform, (found[one.of], found[one.what])) if name}) > 1
    ]
    assert crossing == []


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?:bot|tools|bench|docs)/[^`]*)`", PAGE))))
def test_what_the_page_names_is_there(name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.parametrize(
    ("heading", "what"), [("The path of a query", "A query"), ("The path of a digest", "A digest")]
)
def test_the_paths_are_ten_steps_through_files_that_the_trace_passes(heading: str, what: str) -> None:
    steps = re.split(r"^\d+\. ", section(heading), flags=re.MULTILINE)[1:]
    assert len(steps) == 10
    (passed,) = re.findall(rf"- {what} goes through \d+ files: (.*?)\.\n(?:-|<)", PAGE, re.DOTALL)
    files = {
        f"{folder}{name}.py"
        for folder, names in re.findall(r"`(\S+)`\s([^;]+)", passed)
        for name in names.replace(",", " ").split()
    }
    named = set(re.findall(r"`(bot/[^`]+\.py)`", "".join(steps)))
    assert named
    assert named <= files
