"""Documentation that goes stale fails here: generated pages, the README's transcript, the library example."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot.adapters.terminal import CHANNEL, USER
from bot.commands import all_commands
from bot.commands.base import Command, CommandSet
from bot.commands.dispatch import Dispatcher
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.corpus.formats import Format
from bot.library import Library

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, input=typed, capture_output=True, text=True, check=False
    )


def fenced(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


def test_generated_pages_are_fresh() -> None:
    result = run("tools/make_docs.py", "--check")
    assert result.returncode == 0, result.stdout


def test_readme_transcript_is_what_the_bot_says() -> None:
    (transcript,) = fenced("README.md", "console")
    turns = re.split(r"^papers> (.*)\n", transcript, flags=re.MULTILINE)[1:]
    said, answers = turns[::2], turns[1::2]
    assert len(said) >= 3
    result = run("-m", "bot", "say", "-", typed="\n".join(said) + "\n")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "\n\n".join(answer.strip() for answer in answers)


def test_library_example_runs() -> None:
    (example,) = fenced("docs/library.md", "python")
    result = run("-c", example)
    assert result.returncode == 0, result.stderr
    assert "38 papers, 0 faults" in result.stdout
    assert "xkv" in result.stdout


async def test_the_command_of_the_contributors_page_works() -> None:
    command = contributed("COMMAND")
    assert isinstance(command, Command)
    library = Library.of(load_corpus(default_corpus()))
    dispatcher = Dispatcher(lambda: library, CommandSet([*all_commands().all, command]))
    for example in command.examples:
        reply = await dispatcher.say(example.say, USER, CHANNEL)
        assert all(expected in reply.typed for expected in example.shows)


def test_the_format_of_the_contributors_page_works() -> None:
    table = contributed("FORMAT")
    assert isinstance(table, Format)
    content = table.read('title,abstract,year\nOne,"Words, and more.",2026\nTwo,,x\n"', "a.csv")
    assert [(r.title, r.abstract, r.year, r.position, r.line) for r in content.records] == [
        ("One", "Words, and more.", 2026, 1, 2)
    ]
    assert [fault.line for fault in content.faults] == [3, 4]


def contributed(name: str) -> object:
    """What the example that ends in this name makes, checked like our own code."""
    (example,) = (code for code in fenced("CONTRIBUTING.md", "python") if f"\n{name} = " in code)
    checked = run("-m", "ruff", "check", "--stdin-filename", "bot/example.py", "-", typed=example)
    assert checked.returncode == 0, checked.stdout
    scope: dict[str, object] = {"__name__": "example"}
    exec(compile(example, "CONTRIBUTING.md", "exec"), scope)  # noqa: S102 - our own page
    return scope[name]


PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]


@pytest.mark.parametrize("page", PAGES)
def test_local_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target


@pytest.mark.parametrize("target", re.findall(r"`make ([a-z-]+)`", (ROOT / "README.md").read_text()))
def test_make_targets_in_the_readme_exist(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
