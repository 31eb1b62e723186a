"""Lists as files that other programs read."""

import csv
import io
from dataclasses import replace

from test_pick import paper

from bot.commands.exports import export_papers
from bot.richtext import Text

ONE = replace(
    paper(1),
    handle="tau-bench",
    title=(Text("τ-Bench: 100% of A_B & {C} [draft]"),),
    authors=("Ann Lee", "Bo Ek"),
    venue="ICML",
    year=2026,
    url="https://openreview.net/forum?id=x_1",
    code=("https://github.com/x/y",),
)


def test_csv_reads_back_and_runs_no_formula() -> None:
    rows = list(csv.reader(io.StringIO(export_papers([ONE, replace(ONE, title=(Text("=1+1"),))], "csv"))))
    assert rows[1][:3] == ["tau-bench", "τ-Bench: 100% of A_B & {C} [draft]", "Ann Lee; Bo Ek"]
    assert rows[2][1] == "'=1+1"


def test_markdown_links_and_escapes() -> None:
    line = export_papers([ONE], "markdown")
    title = r"[τ-Bench: 100% of A\_B & {C} \[draft\]](https://openreview.net/forum?id=x_1)"
    assert line == f"- {title}, ICML 2026 (`tau-bench`)\n"
