"""A short part of the kill tests, seeded: real processes, real clients, both doubles, both databases."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest
from databases import database_url

TOOL = Path(__file__).resolve().parents[1] / "tools" / "chaos.py"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_killed_again_and_again_every_date_is_posted_once(kind: str, tmp_path: Path) -> None:
    async with database_url(kind, tmp_path):
        pass  # skips where there is no PostgreSQL
    command = [sys.executable, str(TOOL), "--only", kind, "--kills", "15", "--seconds", "8", "--seed", "7"]
    done = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = await done.communicate()
    line = out.decode().strip().splitlines()[-1]
    found = re.fullmatch(rf"{kind} kills (\d+) expected (\d+) missed 0 doubled 0 unconfirmed 0 late 0", line)
    assert found, f"{line}\n{err.decode()}"
    assert int(found[1]) >= 15
    assert int(found[2]) == 32 + 8  # 4 channels a second, every fourth with a thread
    assert done.returncode == 0
