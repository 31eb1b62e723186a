"""A short part of tools/chaos.py, seeded: real processes, real clients, both doubles, both databases."""

import asyncio
import re
import sys
from pathlib import Path

import pytest
from databases import database_url

TOOL = Path(__file__).resolve().parents[1] / "tools" / "chaos.py"


@pytest.mark.parametrize(
    ("kind", "scenario", "happened"),
    [
        ("sqlite", "killed", "killed at random"),
        ("postgresql", "killed", "killed at random"),
        ("postgresql", "stopped-at-sending", "stopped"),
        ("sqlite", "500-after-accepting-unread", ""),
    ],
)
async def test_every_date_is_posted_once_whatever_happens_to_the_workers(
    kind: str, scenario: str, happened: str, tmp_path: Path
) -> None:
    async with database_url(kind, tmp_path):
        pass  # skips where there is no PostgreSQL
    command = [sys.executable, str(TOOL), "--scenario", scenario, "--only", kind, "--seconds", "6", "--seed", "7"]
    done = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await done.communicate()
    found = re.fullmatch(
        rf"{scenario} {kind} missed 0 doubled 0 unconfirmed (\d+) \(at most (\d+)\)", out.decode().strip()
    )
    assert found, f"{out.decode()}\n{err.decode()}"
    assert int(found[1]) <= int(found[2])
    assert ("unread" in scenario) == (int(found[2]) > 0)
    said = re.search(rf"{scenario} {kind}: (\d+) expected, 0 late; (.*)", err.decode())
    assert said
    assert int(said[1]) == 24 + 6  # 4 channels a second, every fourth with a thread
    assert happened in said[2]
    assert done.returncode == 0
