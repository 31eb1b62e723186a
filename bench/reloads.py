"""What thirty reloads leave behind: memory, threads and maps of deleted files of one process.

python bench/reloads.py [corpus file] [reloads]

Each reload takes one more paper, as a running bot does it: loaded and indexed anew, held, left out of collections,
asked once. Exit status 1 where memory grows by more than a tenth from the fifth reload to the last, or where threads or
maps of deleted files grow at all.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT)]  # not this folder, in which "search" is a file

from bot.corpus import load_corpus  # noqa: E402
from bot.corpus.load import leave_out_of_collections  # noqa: E402
from bot.library import Library  # noqa: E402
from bot.search import parse  # noqa: E402

SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))
CORPUS = SHARED / "data" / "icml2026.jsonl.gz"
WATCHER_SECONDS = 1.0
"""The engine looks at the files of an index from a thread, which notices within half a second that it is closed."""


def figures() -> tuple[int, int, int]:
    """Memory in MB, threads, maps of deleted files."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    threads = len(list(Path("/proc/self/task").iterdir()))
    deleted = sum(line.rstrip().endswith("(deleted)") for line in Path("/proc/self/maps").read_text().splitlines())
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20, threads, deleted


def main() -> int:
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    reloads = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    if not source.exists():
        print(f"skipped: no {source}; name a file, or set PAPERBOY_SHARED")
        return 0
    seen: list[tuple[int, int, int]] = []
    held: Library | None = None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(reloads):
            record = {"title": f"One more {number}", "abstract": f"We count the reloads of a corpus, now at {number}."}
            (folder / "more.jsonl").write_text(json.dumps(record) + "\n")
            corpus = load_corpus([source, folder / "more.jsonl"], state=folder / "state")
            held = Library.of(corpus, folder / "state" / "index")
            del corpus
            leave_out_of_collections()
            held.index.find(parse("kv cache"), 0, 5)
            time.sleep(WATCHER_SECONDS)
            seen.append(figures())
            print(f"{number + 1:3d}  {seen[-1][0]:5d} MB  {seen[-1][1]:3d} threads  {seen[-1][2]:3d} maps", flush=True)
    first, last = seen[min(4, len(seen) - 1)], seen[-1]
    grown = last[0] > 1.1 * first[0] or last[1] > first[1] or last[2] > first[2]
    print(f"from the fifth to the last: {first[0]} to {last[0]} MB{', which is too much' if grown else ''}")
    return int(grown)


if __name__ == "__main__":
    sys.exit(main())
