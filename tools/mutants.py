"""Changes that do harm, each made in a copy: whether some test falls. `make mutants`, or with words to choose by.

A change that no test notices is printed as `survived`, and the exit status is 1. A change whose text is no longer in
its file is `stale`, and counts as well: the tables (tools/mutants_*.py) move with the code.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from mutant import Mutant
from mutants_answers import MUTANTS as ANSWERS
from mutants_deliver import MUTANTS as DELIVER
from mutants_ledger import MUTANTS as LEDGER
from mutants_platforms import MUTANTS as PLATFORMS

ROOT = Path(__file__).resolve().parent.parent
PARTS = (
    "bot",
    "tests",
    "tools",
    "bench",
    "docs",
    "seeds",
    "pyproject.toml",
    "README.md",
    "CONTRIBUTING.md",
    "Makefile",
)
SECONDS = 300
"""A change that makes a test wait for ever is caught too."""
AT_ONCE = 2
MUTANTS = (*ANSWERS, *LEDGER, *DELIVER, *PLATFORMS)


@contextmanager
def copies() -> Iterator[SimpleQueue[Path]]:
    """Copies of the project, of which each trial takes one and puts it back as it was."""
    with tempfile.TemporaryDirectory() as name:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(AT_ONCE):
            folder = Path(name) / str(number) / "paperboy"
            folder.mkdir(parents=True)
            for part in PARTS:
                source = ROOT / part
                if source.is_dir():
                    shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(source, folder / part)
            free.put(folder)
        yield free


def tried(mutant: Mutant, free: SimpleQueue[Path]) -> str:
    """`caught`, `survived` or `stale`."""
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    if text.count(mutant.before) < 1:
        return "stale"
    folder = free.get()
    changed = folder / mutant.file
    try:
        changed.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
        # what is compiled is kept from trial to trial, in the copy: files that were changed are told by their times
        others = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment = {**others, "PYTHONPATH": str(folder)}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *mutant.tests]
        ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "caught"
    else:
        # 1: a test fell; 2: it cannot be read at all. Another number is no finding but a fault of the table
        return {0: "survived", 1: "caught", 2: "caught"}.get(ended.returncode, "stale")
    finally:
        changed.write_text(text, encoding="utf-8")
        free.put(folder)


def main() -> int:
    """Try each that has one of the given words; 1 where one survived or is stale."""
    wanted = sys.argv[1:]
    chosen = [one for one in MUTANTS if not wanted or any(word in f"{one.file} {one.breaks}" for word in wanted)]
    outcomes: list[str] = []
    with copies() as free, ThreadPoolExecutor(AT_ONCE) as pool:
        for mutant, outcome in zip(chosen, pool.map(lambda one: tried(one, free), chosen), strict=True):
            outcomes.append(outcome)
            print(f"{outcome:8}  {mutant.breaks} ({mutant.file})", flush=True)
    caught = outcomes.count("caught")
    print(f"{caught} of {len(outcomes)} caught")
    return int(caught != len(outcomes))


if __name__ == "__main__":
    sys.exit(main())
