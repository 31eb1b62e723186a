"""Corpus files: formats, encodings, sidecars, and what happens to what is wrong in them."""

import gzip
import json
from pathlib import Path

import pytest

from bot.corpus.decode import clean, decode, read_bytes
from bot.corpus.formats import all_formats, format_of
from bot.corpus.formats.base import FileContent
from bot.corpus.parsing import CorpusFile, find_files, read_file
from bot.errors import CorpusError, Fault

SENTENCE = "We propose a way to do a thing that nobody has done before."


def reading(name: str, text: str) -> FileContent:
    entry = format_of(name)
    assert entry is not None
    return entry.read(text, name)


def test_formats_are_found_by_their_value() -> None:
    assert [entry.name for entry in all_formats()] == ["json lines", "markdown", "text"]
    assert format_of("a.JSONL.gz") is format_of("b.ndjson")
    assert format_of("paper.pdf") is None


def test_text_file_has_a_heading_then_an_abstract_a_paragraph() -> None:
    content = reading("a.txt", f"ICML 2026 Papers\n\n{SENTENCE} One.\n\n\n{SENTENCE}\nTwo.\n")
    assert [(r.position, r.line, r.venue, r.year) for r in content.records] == [
        (1, 3, "ICML", 2026),
        (2, 6, "ICML", 2026),
    ]
    assert content.records[1].abstract.endswith("Two.")
    assert not content.faults


def test_text_file_without_heading_loses_no_abstract() -> None:
    content = reading("a.txt", f"{SENTENCE}\n\n{SENTENCE} More.")
    assert len(content.records) == 2
    assert "no heading" in content.notices[0].message


def test_short_paragraph_is_a_fault_and_keeps_its_position() -> None:
    content = reading("a.txt", f"Heading\n\n{SENTENCE}\n\nstray words\n\n{SENTENCE} More.")
    assert [r.position for r in content.records] == [1, 3]
    assert content.faults[0].line == 5


def test_empty_text_file_is_a_fault() -> None:
    assert "holds no abstract" in reading("a.txt", "").faults[0].message


def test_json_lines_keeps_known_and_unknown_fields() -> None:
    line = {
        "id": 7,
        "title": "A Title",
        "abstract_html": "<p>Text.</p>",
        "authors": "Ann Lee, Bo Ek",
        "url": "https://openreview.net/forum?id=abc",
        "venue": "ICML",
        "session": "s1",
        "year": "2026",
        "topics": ["a", "b"],
        "code": "https://github.com/x/y",
        "decision": "oral",
    }
    record = reading("a.jsonl", json.dumps(line)).records[0]
    assert (record.record_id, record.title, record.abstract) == ("7", "A Title", "<p>Text.</p>")
    assert record.authors == ("Ann Lee", "Bo Ek")
    assert (record.year, record.topics, record.code) == (2026, ("a", "b"), ("https://github.com/x/y",))
    assert record.extra == {"decision": "oral"}
    assert record.title_source == "file"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 5000, "not JSON"),
        ("[1]", "not an object"),
        ('{"title": "x"}', "no `abstract`"),
        ('{"abstract": ""}', "no `abstract`"),
        ('{"abstract": 7.5, "year": "soon"}', "`year`"),
        ('{"abstract": ["x"]}', "`abstract`"),
    ],
)
def test_bad_json_line_is_skipped_with_line_and_reason(line: str, reason: str) -> None:
    good = json.dumps({"abstract": SENTENCE})
    content = reading("a.jsonl", f"{good}\n{line}\n{good}\n")
    assert len(content.records) == 2
    assert [(fault.file, fault.line) for fault in content.faults] == [("a.jsonl", 2)]
    assert reason in content.faults[0].message


def test_an_empty_abstract_beside_a_title_is_a_paper_that_is_found_by_it() -> None:
    record = reading("a.jsonl", '{"title": "On Caches", "abstract": ""}').records[0]
    assert (record.title, record.abstract) == ("On Caches", "On Caches")


def test_records_without_an_abstract_are_counted_in_a_notice(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(
        '{"title": "A", "abstract": "Words."}\n{"title": "B", "abstract": ""}\n{"title": "C", "abstract": ""}\n'
    )
    content = read_file(CorpusFile(file, "a.jsonl"))
    assert len(content.records) == 3
    assert [(notice.line, notice.message.split()[0]) for notice in content.notices] == [(2, "2")]


def test_json_escapes_smuggle_nothing() -> None:
    record = reading("a.jsonl", '{"abstract": "a\\u0000b\\ud800c", "title": "t\\u0007"}').records[0]
    assert record.abstract == "ab?c"
    assert record.title == "t"
    assert clean("x\x00y") == "xy"


def test_markdown_with_front_matter() -> None:
    text = f"---\ntitle: 'On X: more'\nauthors: [Ann, Bo]\nyear: 2025\nmood: calm\n---\n\n{SENTENCE}\nMore of it.\n"
    record = reading("p.md", text).records[0]
    assert (record.title, record.authors, record.year) == ("On X: more", ("Ann", "Bo"), 2025)
    assert record.abstract == f"{SENTENCE} More of it."
    assert (record.line, record.extra) == (8, {"mood": "calm"})


def test_markdown_heading_gives_a_missing_title() -> None:
    record = reading("p.md", f"---\nyear: 2025\n---\n# The Title\n\n{SENTENCE}").records[0]
    assert (record.title, record.abstract) == ("The Title", SENTENCE)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("just text", 1, "no front matter"),
        ("---\ntitle: x\n", 1, "no front matter"),
        ("---\ntitle: [\n---\nbody", 3, "not valid YAML"),
        ("---\na: &x 1\nb: *x\n---\nbody", 3, "aliases"),
        ("---\ntitle: x\ntitle: y\n---\nbody", 3, "stands twice"),
        ("---\n- a\n---\nbody", 2, "not `field: value`"),
        ("---\ntitle: x\n---\n", 4, "no `abstract`"),
    ],
)
def test_bad_markdown_names_line_and_reason(text: str, line: int, reason: str) -> None:
    content = reading("p.md", text)
    assert not content.records
    assert content.faults[0].line == line
    assert reason in content.faults[0].message


@pytest.mark.parametrize(
    "content",
    [
        "naïve τ".encode(),
        b"\xef\xbb\xbf" + "naïve τ".encode(),
        "naïve τ".encode("utf-16"),
        b"\xfe\xff" + "naïve τ".encode("utf-16-be"),
    ],
)
def test_unicode_with_and_without_mark(content: bytes) -> None:
    decoded = decode(content, "a.txt")
    assert decoded.text == "naïve τ"
    assert not decoded.notices


def test_other_encodings_are_detected_and_reported() -> None:
    text = "Le modèle présente une méthode générale, évaluée à plusieurs échelles. " * 20
    decoded = decode(text.encode("cp1252"), "a.txt")
    assert "méthode générale" in decoded.text
    assert "not UTF-8" in decoded.notices[0].message


def test_line_ends_and_control_characters() -> None:
    decoded = decode(b"a\r\nb\rc\x00d\x07\n", "a.txt")
    assert decoded.text == "a\nb\ncd\n"
    assert decoded.notices[0].line == 3
    assert decoded.notices[0].message.startswith("2 control")


def test_half_a_utf16_file_is_refused() -> None:
    with pytest.raises(CorpusError, match="UTF-16"):
        decode(b"\xff\xfea", "a.txt")


def test_gzip_is_read_and_damage_reported(tmp_path: Path) -> None:
    good = tmp_path / "a.jsonl.gz"
    good.write_bytes(gzip.compress(json.dumps({"abstract": SENTENCE}).encode()))
    assert read_file(CorpusFile(good, "a")).records[0].abstract == SENTENCE
    good.write_bytes(good.read_bytes()[:9])
    with pytest.raises(CorpusError, match="cannot be read"):
        read_bytes(good)
    assert read_file(CorpusFile(good, "a")).faults[0].file == str(good)


def test_folders_are_searched_and_links_out_refused(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "b.txt").write_text("x")
    (inside / "sub").mkdir()
    (inside / "sub" / "a.jsonl").write_text("{}")
    (inside / "notes.pdf").write_text("x")
    (tmp_path / "secret.txt").write_text("x")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    faults: list[Fault] = []
    assert [file.label for file in find_files([inside], faults)] == ["b.txt", "sub/a.jsonl"]
    assert "leaves the corpus folder" in faults[0].message


def test_files_of_other_kinds_are_named_in_one_notice(tmp_path: Path) -> None:
    for name in ("a.txt", "a.txt.meta.yaml", "gone.txt.meta.yaml", "1.pdf", "2.pdf", "3.docx", ".hidden.pdf"):
        (tmp_path / name).write_text("x")
    notices: list[Fault] = []
    through_a_link = tmp_path.with_name("link")
    through_a_link.symlink_to(tmp_path)
    assert [file.label for file in find_files([through_a_link], [], notices)] == ["a.txt"]
    assert [notice.file for notice in notices] == [str(through_a_link)]
    assert notices[0].message.endswith("1.pdf, 2.pdf, 3.docx and 1 more")


def test_missing_and_unknown_files_are_faults(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_text("x")
    faults: list[Fault] = []
    assert find_files([tmp_path / "gone", tmp_path / "x.pdf"], faults) == []
    assert "does not exist" in faults[0].message
    assert ".jsonl" in faults[1].message


def test_sidecar_finds_its_abstract_wherever_it_moved(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(f"ICML 2026\n\nOther words begin this one, and there are enough of them.\n\n{SENTENCE}")
    side = tmp_path / "a.txt.meta.yaml"
    side.write_text(
        "venue: NeurIPS\npapers:\n  - starts: We propose a way to\n    title: A Way\n    url: https://x.org/1\n"
        "  - starts: Nothing begins so\n    title: Z\n"
    )
    content = read_file(CorpusFile(file, "a.txt"))
    assert [(r.title, r.title_source, r.venue, r.year) for r in content.records] == [
        (None, "derived", "NeurIPS", 2026),
        ("A Way", "sidecar", "NeurIPS", 2026),
    ]
    assert [(fault.file, fault.line) for fault in content.faults] == [(str(side), 6)]


def test_sidecar_typo_is_a_fault_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(f"ICML 2026\n\n{SENTENCE}")
    (tmp_path / "a.txt.meta.yaml").write_text("papers:\n  - starts: We\n    titel: A Way\n")
    content = read_file(CorpusFile(file, "a.txt"))
    assert content.faults[0].line == 3
    assert len(content.records) == 1
