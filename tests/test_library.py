"""Corpus changes while running: picked up, swapped whole, and never the end of the old answers."""

import asyncio
import gc
import json
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.library import Library, LibraryHolder
from bot.papers import Paper
from bot.search import parse

ONE = "We propose Foldcache, a method that keeps only the cache entries that later tokens read, at equal accuracy."
TWO = "We introduce MolPivot, a framework that transfers labels between assays, better on nine of ten assays."


def write(folder: Path, name: str, *abstracts: str) -> None:
    (folder / name).write_text("\n".join(json.dumps({"abstract": abstract}) for abstract in abstracts))


def shelf_on(folder: Path, state: Path) -> LibraryHolder:
    def load() -> Library:
        return Library.of(load_corpus(folder, state=state), state / "index")

    return LibraryHolder(load(), load)


async def test_a_new_file_is_found_by_a_running_bot(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    write(folder, "a.jsonl", ONE)
    shelf = shelf_on(folder, tmp_path / "state")
    before = shelf()
    told: asyncio.Queue[list[str]] = asyncio.Queue()

    async def news(papers: Sequence[Paper]) -> None:
        await told.put([paper.handle for paper in papers])

    stopping = asyncio.Event()
    watching = asyncio.create_task(shelf.watch([folder], stopping, news))
    writing = asyncio.create_task(_write_until_told(folder, told))
    assert await asyncio.wait_for(writing, 60) == ["molpivot"]
    assert [hit.paper.handle for hit in shelf().index.search("molpivot")] == ["molpivot"]
    assert before.index.search("molpivot") == []
    assert before.index.search("foldcache")
    stopping.set()
    await asyncio.wait_for(watching, 30)


async def _write_until_told(folder: Path, told: "asyncio.Queue[list[str]]") -> list[str]:
    """The watcher may not be looking yet when the first write happens: write again until it is."""
    while True:
        write(folder, "b.jsonl", TWO)
        try:
            return await asyncio.wait_for(told.get(), 5)
        except TimeoutError:
            continue


async def test_a_reload_without_a_change_swaps_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", ONE)
    shelf = shelf_on(tmp_path, tmp_path / "state")
    before = shelf()
    assert await shelf.reload() == []
    assert shelf() is before


async def test_an_emptied_corpus_leaves_the_old_papers(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    write(folder, "a.jsonl", ONE)
    shelf = shelf_on(folder, tmp_path / "state")
    (folder / "a.jsonl").unlink()
    assert await shelf.reload() == []
    assert shelf().index.search("foldcache")


async def test_a_failing_load_leaves_the_old_papers(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", ONE)

    def broken() -> Library:
        raise OSError("the disk is gone")

    shelf = LibraryHolder(Library.of(load_corpus(tmp_path)), broken)
    assert await shelf.reload() == []
    assert shelf().index.search("foldcache")


def test_a_library_that_is_replaced_is_freed_although_no_collection_looks_at_it(tmp_path: Path) -> None:
    library = Library.of(load_corpus(default_corpus()), tmp_path)
    library.index.find(parse("kv cache"), 0, 5)
    assert library.suggester.suggest("xk", 3)
    parts: list[Callable[[], object]] = [
        weakref.ref(library.index), weakref.ref(library.index._reader), weakref.ref(library.suggester)
    ]  # fmt: skip
    gc.freeze()
    try:
        del library
        assert [part() for part in parts] == [None, None, None]
    finally:
        gc.unfreeze()


async def test_a_watch_that_fails_is_logged_once_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, "a.jsonl", ONE)
    old = Library.of(load_corpus(tmp_path))
    loads = 0

    def load() -> Library:
        nonlocal loads
        loads += 1
        if loads < 4:
            raise AttributeError("nobody thought of this")
        write(tmp_path, "b.jsonl", TWO)
        return Library.of(load_corpus(tmp_path))

    async def no_watch(*roots: object, **_: object) -> AsyncIterator[object]:
        if roots:
            raise OSError("no watches are left")
        yield roots

    monkeypatch.setattr("watchfiles.awatch", no_watch)
    monkeypatch.setattr("bot.library.RETRY_SECONDS", 0.01)
    stopping, told = asyncio.Event(), asyncio.Event()

    async def news(_: Sequence[Paper]) -> None:
        told.set()

    shelf = LibraryHolder(old, load)
    watching = asyncio.create_task(shelf.watch([tmp_path], stopping, news))
    await asyncio.wait_for(told.wait(), 60)
    stopping.set()
    await asyncio.wait_for(watching, 60)
    assert len(shelf().corpus) == 2
    said = [record.message.partition(":")[2][:32] for record in caplog.records if record.levelname == "ERROR"]
    assert sorted(said) == [" its files cannot be watched; th", " the change could not be loaded;"]


async def test_a_folder_that_is_gone_for_a_while_is_watched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.library.RETRY_SECONDS", 0.1)
    folder = tmp_path / "corpus"
    folder.mkdir()
    write(folder, "a.jsonl", ONE)
    shelf = shelf_on(folder, tmp_path / "state")
    told: asyncio.Queue[list[str]] = asyncio.Queue()

    async def news(papers: Sequence[Paper]) -> None:
        await told.put([paper.handle for paper in papers])

    stopping = asyncio.Event()
    (folder / "a.jsonl").unlink()
    folder.rmdir()
    watching = asyncio.create_task(shelf.watch([folder], stopping, news))
    await asyncio.sleep(0.3)
    folder.mkdir()
    assert await asyncio.wait_for(_write_until_told(folder, told), 60) == ["molpivot"]
    stopping.set()
    await asyncio.wait_for(watching, 30)


async def test_every_library_is_built_in_the_same_thread(tmp_path: Path) -> None:
    """What a library took stays with the thread that took it: with another thread each time that adds up."""
    write(tmp_path, "a.jsonl", ONE)
    threads: list[str] = []

    def load() -> Library:
        threads.append(threading.current_thread().name)
        return Library.of(load_corpus(tmp_path))

    shelf = LibraryHolder(load(), load)
    for _ in range(4):
        await asyncio.gather(*(asyncio.to_thread(len, "others are busy") for _ in range(8)), shelf.reload())
    assert threads[0] not in threads[1:], "the event loop goes on"
    assert len(set(threads[1:])) == 1
    assert not threads[1].startswith("asyncio"), "nor one of those that answers are made in"
