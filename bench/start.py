"""Start-up: process to first answer on the seeds, memory of a chat, and a whole conference loaded cold and warm.

python bench/start.py [corpus file]
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))
RUNS = 7

_PEAK = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"

_LOAD = """
import json, resource, sys, time
from pathlib import Path
started = time.perf_counter()
from bot.corpus import load_corpus
from bot.library import Library
if __name__ == "__main__":
    state = Path(sys.argv[2])
    corpus = load_corpus(sys.argv[1], state=state, workers=2)
    loaded = time.perf_counter()
    library = Library.of(corpus, state / "index")
    ready = time.perf_counter()
    print(json.dumps({
        "papers": len(corpus), "records": sum(len(paper.sources) for paper in corpus), "faults": len(corpus.faults),
        "load": loaded - started, "index": ready - loaded,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }))
"""


def timed(command: list[str], typed: str, config: Path) -> tuple[float, int]:
    """Seconds from start to the end of a process that answers `typed`, and the largest child's memory in MB so far."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, *command, "--config", str(config)],
        cwd=ROOT,
        input=typed,
        text=True,
        capture_output=True,
        check=True,
    )
    return time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


def seeds(folder: Path) -> None:
    """The figures a newcomer feels."""
    config = folder / "config.yaml"
    config.write_text(f"corpus: {{root: {ROOT / 'seeds'}}}\nstate: {folder / 'state'}\n")
    cold, _ = timed(["-m", "bot", "say", "-"], "kv cache\n", config)
    warm = [timed(["-m", "bot", "say", "-"], "kv cache\n", config)[0] for _ in range(RUNS)]
    bare = []
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", _PEAK], capture_output=True, check=True)
        bare.append(time.perf_counter() - started)
    _, peak = timed(["-m", "bot", "chat"], "kv cache\ntldr 1\nsimilar 1\ntopics\n", config)
    floor = statistics.median(bare)
    print(f"seeds: first answer, nothing built   {cold:6.2f} s")
    ratio = statistics.median(warm) / floor
    print(f"seeds: first answer, index built     {statistics.median(warm):6.2f} s  ({ratio:.0f} x a bare Python start)")
    print(f"seeds: peak memory of a chat         {peak:6d} MB")


def conference(corpus: Path, folder: Path) -> None:
    """The figures of a whole conference, each in a process of its own."""
    script = folder / "load.py"
    script.write_text(_LOAD)
    for name in ("cold", "warm"):
        result = subprocess.run(
            [sys.executable, str(script), str(corpus), str(folder / "conference")],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        got = json.loads(result.stdout)
        print(
            f"conference, {name}: {got['records']} records, {got['papers']} papers, {got['faults']} faults; "
            f"corpus {got['load']:.2f} s, index {got['index']:.2f} s, all {got['load'] + got['index']:.2f} s; "
            f"peak {got['mb']} MB"
        )


def main() -> int:
    """Print the table."""
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "data" / "icml2026.jsonl.gz"
    folder = Path(tempfile.mkdtemp(prefix="paperboy-bench-"))
    try:
        seeds(folder)
        if corpus.exists():
            conference(corpus, folder)
        else:
            print(f"conference: skipped, {corpus} is not there")
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
