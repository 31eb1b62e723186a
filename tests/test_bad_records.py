"""A record, a file or a sidecar that nobody planned costs itself: the rest loads, and what is wrong is told."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.__main__ import main
from bot.config import MAX_EVENTS, read_yaml
from bot.corpus import decode, load, load_corpus, parsing
from bot.corpus.formats import Format, base, fields, format_of, jsonlines
from bot.corpus.formats.base import MOST_FAULTS, FileContent, Record
from bot.corpus.formats.fields import LONGEST, MOST, record_of
from bot.corpus.markup import commands, parse, symbols
from bot.corpus.topics import derive_topics
from bot.errors import CorpusError, YamlError
from bot.library import Library
from bot.papers import Corpus, Paper
from bot.richtext import Inlines, plain

SENTENCE = "We propose a way to do a thing that nobody has done before."
OTHER = "We study how rivers carry sand to the sea in years of little rain."


def lines(*records: object) -> str:
    return "\n".join(json.dumps(record) for record in records)


def loaded(folder: Path, **files: str | bytes) -> Corpus:
    """The corpus of these files (`a__jsonl` is a.jsonl), loaded twice: from the files, and from what was kept."""
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (corpus / name.replace("__", ".")).write_bytes(data)
    first = load_corpus(corpus, state=folder / "state")
    assert load_corpus(corpus, state=folder / "state") == first
    Library.of(first)
    return first


def texts(corpus: Corpus) -> list[str]:
    return [paper.text for paper in corpus]


def test_values_of_yaml_that_json_does_not_have_are_text(tmp_path: Path) -> None:
    matter = (
        "date: 2026-07-01\nat: 2026-07-01 10:00:00\nraw: !!binary aGk=\nset: !!set {b, a}\n"
        "pairs: !!omap [a: 2026-07-01]\nno: .nan\nbig: 0x" + "f" * 40 + "\n"
    )
    (paper,) = loaded(tmp_path, p__md=f"---\n{matter}---\n{SENTENCE}\n")
    assert paper.extra == {
        "date": "2026-07-01",
        "at": "2026-07-01T10:00:00",
        "raw": "hi",
        "set": ["a", "b"],
        "pairs": [["a", "2026-07-01"]],
        "no": ".nan",
        "big": "0x" + "f" * 40,
    }


@pytest.mark.parametrize(
    "value", ["!!int x", "!!int ''", "!!float x", "!!bool x", "!!timestamp x", "!!binary é", "2026-13-45", "? [a]\n: b"]
)
def test_a_yaml_value_that_is_none_is_a_fault_with_its_file(tmp_path: Path, value: str) -> None:
    corpus = loaded(tmp_path, a__md=f"---\nx: {value}\n---\n{OTHER}", b__txt=f"Heading\n\n{SENTENCE}")
    assert texts(corpus) == [SENTENCE]
    assert [fault.file.endswith("a.md") for fault in corpus.faults] == [True]


def test_half_a_character_is_mended_wherever_it_stands(tmp_path: Path) -> None:
    record = {"abstract": SENTENCE, "note": "\ud83d", "\ud83d": ["\udc00"], "authors": ["A\ud83d"], "venue": "V\ud83d"}
    (paper,) = loaded(tmp_path, a__jsonl=lines(record))
    assert paper.extra == {"note": "?", "?": ["?"]}
    assert (paper.authors, paper.venue) == (("A?",), "V?")


@pytest.mark.parametrize("sidecar", ["- a\n- b\n", "just words", "7", "papers: 7\n", "papers: {a: b}\n", "[", "x: y\n"])
def test_a_sidecar_that_is_none_costs_itself(tmp_path: Path, sidecar: str) -> None:
    corpus = loaded(tmp_path, a__txt=f"Heading\n\n{SENTENCE}", a__txt__meta__yaml=sidecar)
    assert texts(corpus) == [SENTENCE]
    assert [fault.file.endswith("a.txt.meta.yaml") for fault in corpus.faults] == [True]


def test_a_sidecar_in_no_encoding_or_without_sense_costs_itself(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, a__txt=f"Heading\n\n{SENTENCE}", a__txt__meta__yaml=b"\xff\xfea")
    assert texts(corpus) == [SENTENCE]


def test_one_bad_entry_of_a_sidecar_costs_itself(tmp_path: Path) -> None:
    side = (
        "venue: [x]\nyear: 2020\npapers:\n  - starts: 7\n  - starts: We propose\n    title: " + "x" * 5_000 + "\n"
        "    url: https://a.org/1\n  - starts: We study how\n    title: Rivers\n    code: 'javascript:x'\n"
    )
    corpus = loaded(tmp_path, a__txt=f"Heading\n\n{SENTENCE}\n\n{OTHER}", a__txt__meta__yaml=side)
    one, two = corpus
    assert (one.title_source, one.url, one.year) == ("derived", "https://a.org/1", 2020)
    assert (two.title_text, two.code) == ("Rivers", ())
    assert [fault.line for fault in corpus.faults] == [1, 4, 6]


def test_every_field_has_a_most(tmp_path: Path) -> None:
    long = {
        "title": "t" * (LONGEST["title"] + 1),
        "url": "https://a.org/" + "x" * LONGEST["url"],
        "venue": "v" * (LONGEST["venue"] + 1),
        "session": "s" * (LONGEST["session"] + 1),
        "id": "i" * (LONGEST["id"] + 1),
        "authors": ["A"] * (MOST["authors"][0] + 1),
        "topics": ["x" * (MOST["topics"][1] + 1)],
        "code": ["https://a.org"] * (MOST["code"][0] + 1),
        "fulltext": "x" * (fields.LONGEST_EXTRA + 1),
        "mood": "calm",
    }
    corpus = loaded(tmp_path, a__jsonl=lines({"abstract": OTHER}, {"abstract": SENTENCE, **long}))
    _, paper = corpus
    assert paper.title_source == "derived"
    assert (paper.url, paper.venue, paper.session, paper.record_id) == (None, None, None, None)
    assert (paper.authors, paper.topics, paper.code, paper.extra) == ((), (), (), {"mood": "calm"})
    left_out = {fault.message.split("`")[1] for fault in corpus.faults if fault.line == 2}
    assert left_out == long.keys() - {"mood"}


def test_unknown_fields_share_their_room() -> None:
    record = record_of({"abstract": SENTENCE, **{f"f{n}": "x" * 10_000 for n in range(20)}}, "f", 1, 1)
    assert isinstance(record, Record)
    assert len(record.extra) == 9
    assert len(record.left_out) == 11


def test_faults_of_one_file_are_counted_from_some_number_on(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, a__jsonl=lines({"abstract": SENTENCE}) + "\nx" * (MOST_FAULTS + 30))
    assert len(corpus) == 1
    assert len(corpus.faults) == MOST_FAULTS + 1
    assert corpus.faults[-1].message.startswith("30 more")


ARGUMENTS = ("", "{}", "{a}", "[b]{a}", "{a}{b}", "{a}{b}{c}", "{", "[", "*", "*{a}", " x", "^", "_", "^{", "{a}^")
AROUND = ("x \\{}{}", "$\\{}{}$", "\\(x_\\{}{}\\)", "\\textbf{{\\{}{}", "$\\frac{{\\{}{}}}$")


def test_every_command_takes_any_number_of_arguments() -> None:
    every = {*commands._names(), *symbols.ACCENTS, *commands.ACCENTS, *commands.ESCAPES, "over", "choose", "foo"}
    for name in sorted(every):
        for arguments in ARGUMENTS:
            for around in AROUND:
                parse(around.format(name, arguments))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"from \xrightarrow to", "from → to"),
        (r"$a \xleftarrow b$", "a ←^b"),
        (r"\stackrel and \overset and \underset end", "and and end"),
        (r"\textsuperscript and \textsubscript end", "and end"),
        (r"$\stackrel{a}$", "a"),
        (r"For $\bb$ and $\norm$", "For b and norm"),
    ],
)
def test_a_command_without_its_arguments(source: str, expected: str) -> None:
    assert plain(parse(source)) == expected


def test_a_lone_possessive_before_an_acronym(tmp_path: Path) -> None:
    abstract = "We use deep ’s learning (DL) on rivers and deep ’s learning (DL) on sand, all in little time."
    corpus = loaded(tmp_path, a__jsonl=lines({"abstract": abstract}, {"abstract": SENTENCE}))
    assert len(corpus) == 2
    assert derive_topics(["deep ’s learning (DL)", "’s", "x"]).by_text == ((), (), ())


def test_a_record_that_breaks_the_parser_is_a_fault_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(source: str) -> Inlines:
        if "rivers" in source:
            raise IndexError("list index out of range")
        return parse(source)

    monkeypatch.setattr("bot.corpus.parsing.parse", fails)
    corpus = loaded(tmp_path, a__jsonl=lines({"abstract": OTHER}, {"abstract": SENTENCE}))
    assert texts(corpus) == [SENTENCE]
    assert [(fault.line, "IndexError" in fault.message) for fault in corpus.faults] == [(1, True)]


@pytest.mark.parametrize("step", ["_fingerprint", "_draft", "join_broken", "derive_topics", "paper_to_json", "group"])
def test_a_record_that_breaks_what_puts_them_together_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    original = getattr(load, step)

    def fails(*arguments: object) -> object:
        if "rivers" in str(arguments):
            raise KeyError("x")
        return original(*arguments)

    monkeypatch.setattr(load, step, fails)
    corpus = loaded(tmp_path, a__jsonl=lines({"abstract": SENTENCE}, {"abstract": OTHER}))
    assert texts(corpus) == [SENTENCE]
    assert [fault.line for fault in corpus.faults] == [2]


def test_a_reader_that_fails_costs_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(text: str, file: str) -> FileContent:
        raise RuntimeError("no")

    def found(name: str) -> Format | None:
        return Format("broken", (".md",), fails) if name.endswith(".md") else format_of(name)

    monkeypatch.setattr("bot.corpus.parsing.format_of", found)
    corpus = loaded(tmp_path, a__md="x", b__txt=f"Heading\n\n{SENTENCE}")
    assert texts(corpus) == [SENTENCE]
    assert "RuntimeError" in corpus.faults[0].message


def test_a_file_name_that_is_no_text_is_read_all_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    name = b"a\xff\n\x1b[31m.txt"
    try:
        (folder / name.decode("utf-8", "surrogateescape")).write_text(f"Heading\n\n{SENTENCE}\n\nfew words")
    except OSError:
        pytest.skip("the file system takes no such name")
    corpus = load_corpus(folder, state=tmp_path / "state")
    assert texts(corpus) == [SENTENCE]
    assert "\\xff" in corpus.papers[0].sources[0].file or "\\udcff" in corpus.papers[0].sources[0].file


def test_the_state_may_be_named_by_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"Heading\n\n{SENTENCE}")
    assert texts(load_corpus(str(tmp_path / "a.txt"), state=str(tmp_path / "state"))) == [SENTENCE]
    assert (tmp_path / "state" / "corpus.json").exists()


def packed(*abstracts: str) -> bytes:
    return gzip.compress("".join(lines({"abstract": words}) + "\n" for words in abstracts).encode())


def many(count: int) -> list[str]:
    """Abstracts that do not pack well, so that a cut in the file is a cut in the middle of them."""
    return [
        f"We propose {hashlib.sha256(str(n).encode()).hexdigest()} for all that is numbered {n}." for n in range(count)
    ]


@pytest.mark.parametrize("cut", [12, 400, 3_000])
def test_a_damaged_gz_keeps_what_came_before_its_end(tmp_path: Path, cut: int) -> None:
    abstracts = many(200)
    whole = packed(*abstracts)
    corpus = loaded(tmp_path, a__jsonl__gz=whole[:-cut])
    assert texts(corpus) == abstracts[: len(corpus)]
    assert len(corpus) >= 200 - 1 - cut // 30
    assert "is damaged (it ends too early)" in [fault.message for fault in corpus.faults][-1]


def test_a_damaged_gz_keeps_what_came_before_a_bad_byte(tmp_path: Path) -> None:
    abstracts = many(400)
    whole = bytearray(packed(*abstracts))
    at = len(whole) // 2
    whole[at : at + 8] = b"\xff" * 8
    corpus = loaded(tmp_path, a__jsonl__gz=bytes(whole))
    assert len(corpus) > 150
    assert set(texts(corpus)[:150]) <= set(abstracts)
    assert any("is damaged" in fault.message for fault in corpus.faults)


def test_several_packed_parts_are_one_file_and_padding_is_none(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, a__jsonl__gz=packed(SENTENCE) + packed(OTHER) + b"\0" * 100)
    assert texts(corpus) == [SENTENCE, OTHER]
    assert corpus.faults == ()
    corpus = loaded(tmp_path, a__jsonl__gz=packed(SENTENCE) + b"rubbish", b__jsonl__gz=gzip.compress(b""))
    assert texts(corpus) == [SENTENCE]
    assert any("is damaged" in fault.message for fault in corpus.faults)


def test_one_bad_byte_does_not_change_the_encoding_of_a_file(tmp_path: Path) -> None:
    words = "Über naïve Schätzer für Größen, deren Häufigkeit fällt, wird hier berichtet."
    corpus = loaded(tmp_path, a__txt=f"Heading\n\n{words}\n\n{SENTENCE}".encode() + b" \xff.")
    assert texts(corpus) == [words, f"{SENTENCE} \ufffd."]
    assert (corpus.notices[-1].line, "UTF-8 but for 1" in corpus.notices[-1].message) == (5, True)


def test_what_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "MAX_BYTES", 100_000)
    monkeypatch.setattr(parsing, "MAX_BYTES", 100_000)
    bomb = tmp_path / "a.txt.gz"
    bomb.write_bytes(gzip.compress(b"\0" * 50_000_000))
    inflated: list[int] = []
    feed = decode._Unpacker.feed

    def counted(unpacker: decode._Unpacker, piece: bytes) -> None:
        try:
            feed(unpacker, piece)
        finally:
            inflated.append(len(unpacker.out))

    monkeypatch.setattr(decode._Unpacker, "feed", counted)
    with pytest.raises(CorpusError, match="split it"):
        decode.read_bytes(bomb)
    assert max(inflated) == 100_001
    large = tmp_path / "b.txt"
    with large.open("wb") as file:
        file.truncate(10**12)  # no byte of it is on the disk, and none is read
    corpus = load_corpus(tmp_path, state=tmp_path / "state")
    assert [("split it" in fault.message, len(corpus)) for fault in corpus.faults] == [(True, 0)] * 2


def test_a_list_of_a_million_is_not_read_as_yaml() -> None:
    with pytest.raises(YamlError, match="split it"):
        read_yaml("- a\n" * (MAX_EVENTS + 10), "a.meta.yaml")


def test_a_file_has_a_most_of_records_and_a_line_a_longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MOST_RECORDS", 2)
    monkeypatch.setattr(jsonlines, "LONGEST_LINE", 500)
    three = lines({"abstract": SENTENCE, "x": "y" * 500}, *({"abstract": f"{SENTENCE} {n}"} for n in range(3)))
    corpus = loaded(tmp_path, a__jsonl=three, b__txt="Heading\n\n" + "\n\n".join(f"{OTHER} {n}" for n in range(3)))
    assert len(corpus) == 4
    assert [fault.line for fault in corpus.faults] == [1, 4, 7]


def test_with_all_of_them_at_once_check_and_say_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.md").write_text(f"---\ndate: 2026-07-01\n---\n{SENTENCE}")
    (folder / "b.jsonl").write_text(lines({"abstract": r"Rivers \xrightarrow of sand", "note": "\ud83d"}) + "\n{")
    (folder / "b.jsonl.meta.yaml").write_text("- a\n")
    (folder / "c.jsonl").write_text(lines({"abstract": "Deep ’s learning (DL) of rivers and deep ’s learning (DL)."}))
    (folder / "d.txt.gz").write_bytes(gzip.compress(f"Heading\n\n{OTHER}\n\n{SENTENCE} More.\n".encode())[:-9])
    config = tmp_path / "config.yaml"
    config.write_text("corpus: {root: corpus}\n")
    assert main(["check", "--config", str(config)]) == 1
    said = capsys.readouterr()
    assert "corpus: 5 papers from 5 records in 4 file(s)" in said.out
    faults = [
        line.rpartition("corpus/")[2].split(": ")[0] for line in said.out.splitlines() if line.startswith("fault")
    ]
    assert faults == ["b.jsonl:2", "b.jsonl.meta.yaml:1", "d.txt.gz"]
    assert main(["say", "sand to the sea", "--config", str(config)]) == 0
    assert "1. Rivers carry sand" in capsys.readouterr().out


SCRAPS = [
    "---\n", "title: ", "x: ", "- a\n", "date: 2026-07-01\n", "!!binary ", "!!set {a}", "!!timestamp x", "\n\n", "\n",
    '{"abstract": "', '"}', "}", "{", "[", '"title": ', '"authors": [', "1e999", "NaN", "\\ud83d", "\\u0000", "null",
    ", ", "papers:\n", "  - starts: We\n", "’s (GPT)", r"\\xrightarrow", r"\stackrel", "$", "<b>", "<", "&", "\x00",
    "\x1b[31m", "\ufdd0", "\U000f0000", "words " * 9, SENTENCE, "é", "한", "%", "Deep ’s Learning (DL) ", "- ", "&a *a",
    "? [a]\n: b\n", "0x" + "f" * 30, '"year": 9e9', '"id": true', '"code": {}', '"topics": [[]]', "#", "# T\n",
]  # fmt: skip
contents = st.lists(st.one_of(st.sampled_from(SCRAPS), st.text(max_size=6)), max_size=25).map(
    lambda parts: "".join(parts).encode("utf-8", "replace")
)
anything = st.one_of(contents, st.binary(max_size=80), contents.map(gzip.compress).map(lambda packed: packed[:-9]))
ENDINGS = ["txt", "md", "jsonl", "txt.gz", "jsonl.gz", "md.gz", "txt.meta.yaml", "jsonl.meta.yaml"]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Paper]:
    folder = tmp_path_factory.mktemp("good")
    return {paper.id: paper for paper in load_corpus(_good_file(folder))}


def _good_file(folder: Path) -> Path:
    file = folder / "good.jsonl"
    abstracts = (SENTENCE, OTHER, r"We introduce **Foldcache**, which keeps $k \le n$ entries; 5% faster.")
    file.write_text(lines(*({"title": f"Title {n}", "abstract": words} for n, words in enumerate(abstracts))))
    return file


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(ENDINGS), anything), min_size=1, max_size=3))
def test_whatever_file_is_beside_it_a_good_file_is_there_whole(
    good: dict[str, Paper], tmp_path_factory: pytest.TempPathFactory, files: list[tuple[str, bytes]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    _good_file(folder)
    for ending, content in files:
        (folder / f"f.{ending}").write_bytes(content)
    corpus = load_corpus(folder, state=folder.with_name(folder.name + "-state"))
    for paper in good.values():
        found = corpus.get(paper.id)
        assert found is not None
        assert (found.title, found.abstract) == (paper.title, paper.abstract)
    json.dumps([dict(paper.extra) for paper in corpus]).encode()


plain_values: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.dates(),
    st.datetimes(),
    st.binary(max_size=4),
    st.sets(st.text(max_size=3), max_size=3),
)


def nested(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """These values, and such as hold them."""
    some = st.lists(inner, max_size=4)
    return st.one_of(inner, some, some.map(tuple), st.dictionaries(st.text(max_size=5), inner, max_size=4))


json_values = nested(nested(plain_values))
names = st.sampled_from([*fields.RecordFields.model_fields, "doi", "note"])


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(names, json_values, max_size=5))
def test_a_record_of_any_values_is_one_or_says_why_not(value: dict[str, object]) -> None:
    record = record_of({"abstract": SENTENCE, **value}, "f", 1, 1)
    if isinstance(record, Record):
        json.dumps(dict(record.extra)).encode()
        parsed = parsing.parse_record(record)
        assert not isinstance(parsed, str)
        "".join((*record.authors, *record.topics, record.venue or "", record.url or "")).encode()
    else:
        record.encode()
