"""Documentation that goes stale fails here: generated pages, the README's transcript, the library example."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

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


PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]


@pytest.mark.parametrize("page", PAGES)
def test_local_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target


@pytest.mark.parametrize("target", re.findall(r"`make ([a-z-]+)`", (ROOT / "README.md").read_text()))
def test_make_targets_in_the_readme_exist(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
