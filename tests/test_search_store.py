import json
import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from search_papers import CORPUS, PAPERS

from bot.papers import Corpus
from bot.search import SearchIndex

CHANGED = Corpus((*PAPERS[1:], PAPERS[0]), fingerprint="another order")


def folders(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir() if path.is_dir())


def finds(index: SearchIndex) -> list[str]:
    return [hit.paper.handle for hit in index.search("kv cache")]


def test_an_index_is_used_again(tmp_path: Path) -> None:
    built = finds(SearchIndex.build(CORPUS, tmp_path))
    before = folders(tmp_path)
    assert finds(SearchIndex.build(CORPUS, tmp_path)) == built == ["kvfold"]
    assert folders(tmp_path) == before
    assert len(before) == 1


def test_a_stored_index_knows_what_a_new_one_knows(tmp_path: Path) -> None:
    SearchIndex.build(CORPUS, tmp_path)
    again, fresh = SearchIndex.build(CORPUS, tmp_path), SearchIndex.build(CORPUS)
    for text in ("quantizaton", "text2sql", "RL", "kvcache", "topic:rl", "venue:neurips", "year:2025", "model"):
        assert [hit.paper.id for hit in again.search(text)] == [hit.paper.id for hit in fresh.search(text)]


@pytest.mark.parametrize(
    "corpus", [CHANGED, replace(CORPUS, fingerprint="changed"), Corpus(PAPERS[:3], "invented papers")]
)
def test_another_corpus_gets_another_index(tmp_path: Path, corpus: Corpus) -> None:
    SearchIndex.build(CORPUS, tmp_path)
    before = folders(tmp_path)
    index = SearchIndex.build(corpus, tmp_path)
    assert finds(index) == ["kvfold"]
    assert folders(tmp_path) != before
    assert len(folders(tmp_path)) == 1  # the old one is swept away


def test_a_reader_outlives_the_swap(tmp_path: Path) -> None:
    old = SearchIndex.build(CORPUS, tmp_path)
    SearchIndex.build(CHANGED, tmp_path)
    assert finds(old) == ["kvfold"]


def test_an_index_of_another_format_is_built_anew(tmp_path: Path) -> None:
    SearchIndex.build(CORPUS, tmp_path)
    (stored,) = tmp_path.glob("index-*/knowledge.json")
    knowledge = json.loads(stored.read_text())
    stored.write_text(json.dumps(knowledge | {"stamp": "0 " + knowledge["stamp"]}))
    before = folders(tmp_path)
    assert finds(SearchIndex.build(CORPUS, tmp_path)) == ["kvfold"]
    assert folders(tmp_path) != before


@pytest.mark.parametrize("damage", ["knowledge.json", "meta.json"])
def test_a_damaged_index_is_built_anew(tmp_path: Path, damage: str) -> None:
    SearchIndex.build(CORPUS, tmp_path)
    (file,) = tmp_path.glob(f"index-*/{damage}")
    file.write_text("{")
    assert finds(SearchIndex.build(CORPUS, tmp_path)) == ["kvfold"]


def test_a_pointer_to_nowhere_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "current").write_text("../../somewhere/else")
    assert finds(SearchIndex.build(CORPUS, tmp_path)) == ["kvfold"]


KILLED = """
import sys
from pathlib import Path

from bot.search import SearchIndex
from bot.search.documents import Indexing
from search_papers import CHANGED

original = Indexing.document


def stopping(self, number, paper):
    if number == 5:
        print("half", flush=True)
        sys.stdin.read()
    return original(self, number, paper)


Indexing.document = stopping
SearchIndex.build(CHANGED, Path(sys.argv[1]))
""".replace("from search_papers import CHANGED", "from test_search_store import CHANGED")


def test_a_killed_build_leaves_the_old_index(tmp_path: Path) -> None:
    SearchIndex.build(CORPUS, tmp_path)
    before = folders(tmp_path)
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parent.parent)])
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": paths},
    )
    assert child.stdout
    assert child.stdout.readline() == b"half\n"
    assert len(folders(tmp_path)) == 2
    assert finds(SearchIndex.build(CORPUS, tmp_path)) == ["kvfold"]  # while the other is half built
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert finds(SearchIndex.build(CORPUS, tmp_path)) == ["kvfold"]
    assert set(before) <= set(folders(tmp_path))
    assert finds(SearchIndex.build(CHANGED, tmp_path)) == ["kvfold"]  # the dead builder's lock is free
    assert len(folders(tmp_path)) == 1


def build_here(directory: Path) -> list[str]:
    return finds(SearchIndex.build(CORPUS, directory))


def test_processes_that_build_at_once_share_one_index(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert pool.map(build_here, [tmp_path] * 6) == [["kvfold"]] * 6
    assert len(folders(tmp_path)) == 1


def test_a_build_that_fails_cleans_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SearchIndex.build(CORPUS, tmp_path)
    before = folders(tmp_path)

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("bot.search.documents.Indexing.document", fail)
    with pytest.raises(OSError, match="disk full"):
        SearchIndex.build(CHANGED, tmp_path)
    assert folders(tmp_path) == before
    assert finds(SearchIndex.build(CORPUS, tmp_path)) == ["kvfold"]
