"""A library that another process prepares is the one that this process would have built."""

import gzip
import json
import os
import signal
from pathlib import Path

import pytest

from bot import app
from bot.app import _WORTH_A_PROCESS, prepare_library, read_library
from bot.config import CoreSections, CorpusSection, Settings
from bot.corpus import is_kept, parsing
from bot.corpus.formats.base import FileContent
from bot.errors import ConfigError, CorpusError


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


def killed_at(name: str, by: int, settings: Settings, parent: int) -> None:
    """What prepares, killed while it reads a file of this name."""
    original = parsing.read_file

    def read(file: parsing.CorpusFile) -> FileContent:
        if file.path.name == name:
            os.kill(os.getpid(), by)
        return original(file)

    parsing.read_file = read
    app_prepare(settings, parent)


app_prepare = app._prepare


def killed_at_b(settings: Settings, parent: int) -> None:
    killed_at("b.jsonl", signal.SIGKILL, settings, parent)


def told_to_end(settings: Settings, parent: int) -> None:
    killed_at("b.jsonl", signal.SIGTERM, settings, parent)


def killed_at_once(settings: Settings, parent: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def not_started(settings: Settings, parent: int) -> None:
    raise RuntimeError("no guard")


def second_file(folder: Path, words: str) -> None:
    (folder / "corpus" / "b.jsonl").write_text(json.dumps({"abstract": words}))


def test_a_file_that_kills_the_preparing_process_is_left_out_until_it_changes(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second_file(large, "We propose what is too much for any memory at all.")
    monkeypatch.setattr(app, "_prepare", killed_at_b)
    corpus = prepare_library(settings_in(large)).corpus
    assert len(corpus) == 300
    assert [fault.message.partition(",")[0] for fault in corpus.faults if "b.jsonl" in fault.file] == [
        "ended the process that read it"
    ]
    assert len(read_library(settings_in(large)).corpus) == 300
    monkeypatch.undo()
    second_file(large, "We propose a little less than was too much before.")
    assert len(prepare_library(settings_in(large)).corpus) == 301
    assert list((large / "state" / "parsed").glob("*.fatal")) == []


def test_a_file_that_kills_it_keeps_its_earlier_content(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    second_file(large, "We propose what was read quite well before it changed.")
    assert len(prepare_library(settings_in(large)).corpus) == 301
    second_file(large, "We propose what is too much for any memory at all.")
    monkeypatch.setattr(app, "_prepare", killed_at_b)
    assert any("read quite well" in paper.text for paper in prepare_library(settings_in(large)).corpus)


@pytest.mark.parametrize(("how", "said"), [(told_to_end, "told to end"), (killed_at_once, "by signal 9")])
def test_a_process_that_ends_otherwise_is_not_replaced_by_this_one(
    large: Path, monkeypatch: pytest.MonkeyPatch, how: object, said: str
) -> None:
    second_file(large, "We propose what is too much for any memory at all.")
    monkeypatch.setattr(app, "_prepare", how)
    with pytest.raises(CorpusError, match=said):
        prepare_library(settings_in(large))
    assert list((large / "state").glob("parsed/*.fatal")) == []


def test_where_no_process_starts_it_is_built_here(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_prepare", not_started)
    assert len(prepare_library(settings_in(large)).corpus) == 300


def test_what_is_too_much_for_memory_is_not_tried_again(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = 0

    def too_much(file: parsing.CorpusFile) -> FileContent:
        nonlocal tries
        tries += 1
        raise MemoryError

    monkeypatch.setattr(parsing, "read_file", too_much)
    for _ in range(2):
        corpus = read_library(settings_in(large)).corpus
        assert len(corpus.faults) == 1
    assert tries == 1


def test_a_packed_file_counts_by_what_can_be_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"x" * 10_000_000))
    assert app._bytes_of([tmp_path]) > 10_000_000
