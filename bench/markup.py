"""The markup parser on a whole conference: time, words lost, and what is left of the markup, by class with samples.

python bench/markup.py [JSON Lines file, .gz too] [--limit N]

The file has a title and an abstract (`abstract_html`, `abstract` or `text`) a line. Words lost are counted against an
extraction that shares nothing with the parser: tags, commands and signs struck out with regular expressions.
"""

import argparse
import gzip
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared"))
SAMPLES = 5


def records(path: Path) -> Iterator[tuple[str, str]]:
    """Title and abstract of each line."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield record["title"], record.get("abstract_html") or record.get("abstract") or record.get("text") or ""


def main() -> int:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
    from residue import residue, struck_out, words  # noqa: PLC0415 - what it needs of the parser is small, and not its import

    options = argparse.ArgumentParser(description="Measures the markup parser.")
    options.add_argument("file", nargs="?", type=Path, default=SHARED / "data/icml2026.jsonl.gz")
    options.add_argument("--limit", type=int, default=None, help="only the first N records")
    chosen = options.parse_args()
    if not chosen.file.exists():
        print(f"skipped: no {chosen.file}; name a file, or set PAPERBOY_SHARED")
        return 0
    listed = list(records(chosen.file))[: chosen.limit]

    begun = time.perf_counter()
    from bot.corpus.markup import parse  # noqa: PLC0415 - the import is part of what is measured
    from bot.richtext import plain  # noqa: PLC0415 - see above

    parse(r"$\tau$ *a*")
    print(f"import and first parse    {(time.perf_counter() - begun) * 1e3:8.1f} ms")

    spent: list[float] = []
    texts: list[tuple[str, str]] = []
    begun = time.perf_counter()
    for title, abstract in listed:
        start = time.perf_counter()
        nodes = parse(abstract)
        spent.append((time.perf_counter() - start) * 1e3)
        texts.append((plain(parse(title)), plain(nodes)))
    total = time.perf_counter() - begun
    spent.sort()
    print(f"records                   {len(listed):8d}")
    print(f"titles and abstracts      {total:8.2f} s")
    print(f"an abstract: mean         {statistics.fmean(spent):8.3f} ms")
    print(f"             p50          {spent[len(spent) // 2]:8.3f} ms")
    print(f"             p99          {spent[int(len(spent) * 0.99)]:8.3f} ms")
    print(f"             worst        {spent[-1]:8.3f} ms")

    lost = [words(struck_out(abstract)) - words(text) for (_, abstract), (_, text) in zip(listed, texts, strict=True)]
    losing = [index for index, missing in enumerate(lost) if missing]
    print(f"words lost                {sum(sum(missing.values()) for missing in lost):8d} in {len(losing)} records")
    for index in losing[:SAMPLES]:
        print(f"    {listed[index][0][:60]!r}: {' '.join(lost[index])}")

    found: dict[str, list[tuple[str, list[str]]]] = {}
    touched: set[int] = set()
    for index, pair in enumerate(texts):
        for text in pair:
            for name, pieces in residue(text).items():
                found.setdefault(name, []).append((text, pieces))
                touched.add(index)
    share = len(touched) / max(1, len(listed))
    print(f"records with markup left  {len(touched):8d} ({share:.2%}; the aim is under 0.5%)")
    for name, cases in sorted(found.items()):
        print(f"  {name:12} {len(cases)}")
        for text, pieces in cases[:SAMPLES]:
            at = text.index(pieces[0])
            print(f"    …{text[max(0, at - 40) : at + 40]}…")
    return 0 if share < 0.005 else 1


if __name__ == "__main__":
    sys.exit(main())
