"""Backups are consistent while the bot writes, and restore to the same."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from databases import database_url

from bot.errors import OperatorError
from bot.operate.backup import backup, restore
from bot.store.database import Database
from bot.store.inbound import InboundEvents

ROOT = Path(__file__).resolve().parent.parent


async def claimed(url: str) -> int:
    database = await Database.open(url)
    events = InboundEvents(database)
    count = 0
    while not await events.claim("slack", "T1", f"Ev{count}"):
        count += 1
    await database.close()
    return count


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_backup_while_writing_restores_a_prefix_of_what_was_written(kind: str, tmp_path: Path) -> None:
    async with database_url(kind, tmp_path) as url:
        database = await Database.open(url)
        events = InboundEvents(database)
        written = 0
        running = asyncio.create_task(asyncio.to_thread(backup, url, tmp_path / "copy"))
        while not running.done() or written < 50:
            await events.claim("slack", "T1", f"Ev{written}")
            written += 1
        await running
        await database.close()
        await asyncio.to_thread(restore, url, tmp_path / "copy")
        assert 0 <= await claimed(url) <= written


def test_what_cannot_be_backed_up_or_restored_is_said(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'gone.sqlite3'}"
    with pytest.raises(OperatorError, match="no store"):
        backup(url, tmp_path / "copy")
    (tmp_path / "text").write_text("no database at all, but long enough to look like one" * 40)
    with pytest.raises(OperatorError, match="no SQLite backup"):
        restore(url, tmp_path / "text")
    with pytest.raises(OperatorError, match="exists"):
        backup(url, tmp_path / "text")
    with pytest.raises(OperatorError, match="no backup"):
        restore(url, tmp_path / "nothing")


def test_by_command(tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("state: state\n")

    def db(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "bot", "db", *words, "--config", str(config)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            env=dict(os.environ),
        )

    assert db("upgrade").stdout == "up to date\n"
    assert db("backup", str(tmp_path / "copy")).returncode == 0
    assert db("backup").returncode == 2
    (tmp_path / "state" / "paperboy.sqlite3").unlink()
    assert "restored" in db("restore", str(tmp_path / "copy")).stdout


def modes_in(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_what_people_keep_is_for_the_owner_alone(kind: str, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        async with database_url(kind, tmp_path) as url:
            if kind == "sqlite":
                (tmp_path / "store.sqlite3").touch(mode=0o644)  # as an earlier version made it
            database = await Database.open(url)
            await InboundEvents(database).claim("slack", "T1", "Ev1")
            await asyncio.to_thread(backup, url, tmp_path / "copy")
            modes = modes_in(tmp_path)
            await database.close()
            await asyncio.to_thread(restore, url, tmp_path / "copy")
        modes |= {f"{name} restored": mode for name, mode in modes_in(tmp_path).items()}
        assert "copy" in modes
        assert kind == "postgresql" or {"store.sqlite3", "store.sqlite3-wal", "store.sqlite3 restored"} <= set(modes)
        assert set(modes.values()) == {0o600}
    finally:
        os.umask(before)
