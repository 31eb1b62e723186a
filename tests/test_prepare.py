"""A library that another process prepares is the one that this process would have built."""

import json
from pathlib import Path

import pytest

from bot.app import _WORTH_A_PROCESS, prepare_library, read_library
from bot.config import CoreSections, CorpusSection, Settings
from bot.corpus import is_kept
from bot.errors import ConfigError


def settings_in(folder: Path, state: str = "state") -> Settings:
    return Settings(CoreSections(CorpusSection(str(folder / "corpus")), state=str(folder / state)), {}, folder, None)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder with a corpus that is worth a process."""
    (tmp_path / "corpus").mkdir()
    with (tmp_path / "corpus" / "a.jsonl").open("w") as file:
        for number in range(300):
            words = " ".join(f"word{(number * 7 + place) % 1000}" for place in range(220))
            file.write(
                json.dumps({"title": f"Paper {number}", "abstract": f"We propose number{number}. {words}."}) + "\n"
            )
        file.write("not json\n")
    assert (tmp_path / "corpus" / "a.jsonl").stat().st_size > _WORTH_A_PROCESS
    return tmp_path


def test_it_is_the_same_library(large: Path) -> None:
    prepared, read = prepare_library(settings_in(large)), read_library(settings_in(large, "other"))
    assert prepared.corpus == read.corpus
    assert len(prepared.corpus) == 300
    assert [str(fault).rpartition(":")[2] for fault in prepared.corpus.faults] == [
        str(fault).rpartition(":")[2] for fault in read.corpus.faults
    ]
    hit, *_ = prepared.index.search("number17")
    assert hit.paper.title_text == "Paper 17"


def test_what_is_kept_is_known_to_be_and_a_change_too(large: Path) -> None:
    settings = settings_in(large)
    assert not is_kept(settings.corpus_paths(), settings.state)
    prepare_library(settings)
    assert is_kept(settings.corpus_paths(), settings.state)
    with (large / "corpus" / "a.jsonl").open("a") as file:
        file.write(json.dumps({"title": "One more", "abstract": "We propose one more thing than before."}) + "\n")
    assert not is_kept(settings.corpus_paths(), settings.state)
    assert len(prepare_library(settings).corpus) == 301


def test_what_is_kept_but_damaged_is_not_taken(large: Path) -> None:
    settings = settings_in(large)
    prepare_library(settings)
    (settings.state / "corpus.json").write_bytes(b"\xff\xfe")
    assert not is_kept(settings.corpus_paths(), settings.state)


def test_a_fault_of_the_config_is_told_here(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no folder"):
        prepare_library(settings_in(tmp_path))


def test_where_nothing_can_be_kept_it_is_built_here(large: Path) -> None:
    (large / "file").write_text("x")
    assert len(prepare_library(settings_in(large, "file/state")).corpus) == 300
