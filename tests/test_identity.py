"""Papers keep their identity: duplicates become one, corrections keep id and handle, handles are never reused."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.corpus import load_corpus
from bot.corpus.identity import NEAR_EQUAL, CandidateIndex, Fingerprint, group, similarity
from bot.papers import Corpus, normalised, paper_id

LONG = (
    "Large models are slow to serve because every request reads the whole cache. We propose Foldcache, a method that "
    "keeps only the entries that later tokens read. On five benchmarks Foldcache halves memory at equal accuracy."
)
OTHER = (
    "Graph learning on molecules suffers from scarce labels in most laboratories. We introduce MolPivot, a framework "
    "that transfers labels between assays. MolPivot improves over strong baselines on nine of ten assays."
)


def load(
    folder: Path, records: list[dict[str, object]], previous: Corpus | None = None, name: str = "a.jsonl"
) -> Corpus:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n".join(json.dumps(record) for record in records))
    return load_corpus(folder, previous=previous)


def corrected(text: str) -> str:
    return text.replace("halves memory at equal accuracy", "halves memory without loss of accuracy")


def test_id_is_of_the_words_alone() -> None:
    assert paper_id("We  propose **X**.") == paper_id("we propose X")
    assert len(paper_id("x")) == 12


def test_same_abstract_becomes_one_paper_with_every_source(tmp_path: Path) -> None:
    corpus = load(tmp_path, [{"id": "a", "abstract": LONG}, {"id": "b", "abstract": LONG.upper(), "year": 2026}])
    assert len(corpus) == 1
    assert [source.record_id for source in corpus.papers[0].sources] == ["a", "b"]
    assert corpus.papers[0].year == 2026


def test_same_title_and_near_equal_text_is_one_paper(tmp_path: Path) -> None:
    corpus = load(tmp_path, [{"title": "T", "abstract": LONG}, {"title": "t.", "abstract": corrected(LONG)}])
    assert len(corpus) == 1


def test_same_title_with_another_text_stays_two(tmp_path: Path) -> None:
    corpus = load(tmp_path, [{"title": "T", "abstract": LONG}, {"title": "T", "abstract": OTHER}])
    assert len(corpus) == 2
    assert len({paper.handle for paper in corpus}) == 2


def test_same_openreview_id_and_near_equal_text_is_one_paper(tmp_path: Path) -> None:
    url = "https://openreview.net/forum?id=abc"
    corpus = load(
        tmp_path,
        [{"title": "T", "url": url, "abstract": LONG}, {"title": "Another", "url": url, "abstract": corrected(LONG)}],
    )
    assert len(corpus) == 1


def test_corrected_text_keeps_id_and_handle_and_old_id_finds_it(tmp_path: Path) -> None:
    for number, key in enumerate(
        (
            {"url": "https://openreview.net/forum?id=x1"},
            {"doi": "10.1000/1"},
            {"arxiv": "2601.00001"},
            {"id": "r-1"},
            {"title": "T"},
        )
    ):
        folder = tmp_path / str(number)
        before = load(folder, [{**key, "abstract": LONG}, {"abstract": OTHER}])
        after = load(folder, [{"abstract": OTHER}, {**key, "abstract": corrected(LONG)}], before)
        old, new = before.papers[0], after.papers[1]
        assert (new.id, new.handle) == (old.id, old.handle), key
        assert "without loss" in new.text
        assert after.get(paper_id(corrected(LONG))) is new
        again = load(folder, [{**key, "abstract": corrected(LONG)}], after)
        assert again.papers[0].id == old.id


def test_untitled_correction_is_recognised_by_its_text(tmp_path: Path) -> None:
    before = load(tmp_path, [{"abstract": LONG}])
    after = load(tmp_path, [{"abstract": corrected(LONG)}], before)
    assert after.papers[0].id == before.papers[0].id


def test_record_id_alone_makes_no_paper_of_another_text(tmp_path: Path) -> None:
    before = load(tmp_path, [{"id": "1", "title": "On caches", "abstract": LONG}])
    after = load(tmp_path, [{"id": "1", "title": "On molecules", "abstract": OTHER}], before)
    assert after.papers[0].id != before.papers[0].id
    assert after.papers[0].handle != before.papers[0].handle


def test_a_handle_is_never_given_to_another_paper(tmp_path: Path) -> None:
    before = load(tmp_path, [{"abstract": LONG}])
    handle = before.papers[0].handle
    rival = OTHER.replace("MolPivot", "Foldcache")
    without = load(tmp_path, [{"abstract": rival}], before)
    assert without.papers[0].handle != handle
    back = load(tmp_path, [{"abstract": rival}, {"abstract": LONG}], without)
    assert back.papers[1].handle == handle
    assert back.papers[0].handle == without.papers[0].handle


def test_identities_survive_a_restart(tmp_path: Path) -> None:
    folder, state = tmp_path / "corpus", tmp_path / "state"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps({"id": "r-1", "title": "T", "abstract": LONG}))
    before = load_corpus(folder, state=state)
    (folder / "a.jsonl").write_text(json.dumps({"id": "r-1", "title": "T", "abstract": corrected(LONG)}))
    after = load_corpus(folder, state=state)
    assert after.papers[0].id == before.papers[0].id
    assert after.papers[0].former_ids == (paper_id(corrected(LONG)),)
    assert load_corpus(folder, state=state) == after


def test_renaming_and_reordering_change_no_id(tmp_path: Path) -> None:
    before = load(tmp_path / "one", [{"abstract": LONG}, {"abstract": OTHER}])
    after = load(tmp_path / "two", [{"abstract": OTHER}, {"abstract": LONG}], name="z.jsonl")
    assert {paper.id for paper in before} == {paper.id for paper in after}


def test_a_damaged_state_is_rebuilt(tmp_path: Path) -> None:
    folder, state = tmp_path / "corpus", tmp_path / "state"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps({"abstract": LONG}))
    first = load_corpus(folder, state=state)
    for file in [state / "corpus.json", *(state / "parsed").glob("*.json")]:
        file.write_text(file.read_text()[:50])
    assert load_corpus(folder, state=state).papers == first.papers


@pytest.mark.parametrize(
    "cut", [lambda lines: lines[:-1], lambda lines: [*lines, lines[-1]], lambda lines: [*lines[:-1], "{"]]
)
def test_a_state_that_lacks_a_paper_is_not_taken_for_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, cut: Callable[[list[str]], list[str]]
) -> None:
    folder, state = tmp_path / "corpus", tmp_path / "state"
    load(folder, [{"abstract": LONG}, {"abstract": OTHER}])
    first = load_corpus(folder, state=state)
    kept = state / "corpus.json"
    kept.write_text("\n".join(cut(kept.read_text().splitlines())) + "\n")
    assert load_corpus(folder, state=state).papers == first.papers
    assert "is not readable" in caplog.text
    caplog.clear()
    assert load_corpus(folder, state=state).papers == first.papers
    assert not caplog.text


def test_a_state_in_another_form_is_said_in_a_few_words(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder, state = tmp_path / "corpus", tmp_path / "state"
    load(folder, [{"abstract": LONG}])
    first = load_corpus(folder, state=state)
    kept = state / "corpus.json"
    head, *papers = map(json.loads, kept.read_text().splitlines())
    kept.write_text(json.dumps(head | {"papers": papers, "retired": []}))
    assert load_corpus(folder, state=state).papers == first.papers
    (record,) = [record for record in caplog.records if "is not readable" in record.getMessage()]
    assert LONG[:20] not in record.getMessage()


def test_one_bad_record_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f"{{\n{json.dumps({'abstract': LONG})}\n")
    (tmp_path / "b.txt").write_bytes(b"\xff\xfeb")
    corpus = load_corpus(tmp_path)
    assert len(corpus) == 1
    assert [(Path(fault.file).name, fault.line) for fault in corpus.faults] == [("a.jsonl", 1), ("b.txt", 0)]


def test_similarity_is_the_jaccard_index() -> None:
    assert similarity(frozenset("abc"), frozenset("bcd")) == 0.5
    assert similarity(frozenset(), frozenset()) == 1.0


def test_group_is_transitive_over_duplicates() -> None:
    text = normalised(LONG)
    prints = [
        Fingerprint("1", frozenset(), frozenset(), "t", text),
        Fingerprint("2", frozenset(), frozenset(), "t", text + " indeed"),
        Fingerprint("2", frozenset(), frozenset(), "u", text + " indeed"),
        Fingerprint("3", frozenset(), frozenset(), "u", normalised(OTHER)),
    ]
    assert group(prints) == [[0, 1, 2], [3]]


def test_cached_papers_equal_parsed_ones(tmp_path: Path) -> None:
    folder, state = tmp_path / "corpus", tmp_path / "state"
    folder.mkdir()
    text = "We propose **Foo-Bar**, with $\\tau \\leq 4$ and `code`, see https://github.com/x/y. " + LONG
    (folder / "a.jsonl").write_text(json.dumps({"abstract": text, "title": "*Foo*", "extra": {"deep": [1]}}))
    fresh = load_corpus(folder, state=state)
    stored = load_corpus(folder, state=state)
    assert stored == fresh
    assert replace(stored, fingerprint="") == replace(load_corpus(folder), fingerprint="")


def test_a_file_that_goes_bad_keeps_its_earlier_content_and_is_reported(tmp_path: Path) -> None:
    folder, state = tmp_path / "corpus", tmp_path / "state"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps({"abstract": LONG}))
    (folder / "b.jsonl").write_text(json.dumps({"abstract": OTHER}))
    before = load_corpus(folder, state=state)
    (folder / "a.jsonl").write_text("{ half a record")
    (folder / "b.jsonl").write_text(json.dumps({"abstract": OTHER + " It is free."}))
    bad = load_corpus(folder, state=state)
    assert [paper.id for paper in bad] == [paper.id for paper in before]
    assert bad.papers[1].text.endswith("It is free.")
    assert any("earlier content stays" in fault.message for fault in bad.faults)
    (folder / "a.jsonl").write_text(json.dumps({"abstract": corrected(LONG)}))
    mended = load_corpus(folder, state=state)
    assert mended.papers[0].text == corrected(LONG)
    assert not mended.faults
    (folder / "a.jsonl").unlink()
    assert len(load_corpus(folder, state=state)) == 1


WORD_SETS = st.frozensets(st.integers(0, 30).map(str), max_size=30)


@given(base=WORD_SETS, others=st.lists(st.tuples(WORD_SETS, st.integers(0, 30)), min_size=1, max_size=12))
def test_the_index_misses_no_near_equal_text(base: frozenset[str], others: list[tuple[frozenset[str], int]]) -> None:
    sets = [base - {str(dropped)} | (extra if dropped % 3 == 0 else frozenset()) for extra, dropped in others]
    candidates = CandidateIndex([base, *sets], NEAR_EQUAL)
    for index, words in enumerate(sets):
        candidates.add(index, words)
    near = {index for index, words in enumerate(sets) if len(words & base) >= NEAR_EQUAL * len(words | base) > 0}
    assert near <= set(candidates.candidates(base))


@pytest.mark.parametrize("size", [1, 5, 15, 35, 140])
def test_the_index_finds_a_text_at_the_very_bound(size: int) -> None:
    one = frozenset(f"w{number:03}" for number in range(size))
    lost = frozenset(sorted(one)[: size - -(-size * 4 // 5)])  # what leaves exactly four fifths, rounded up
    candidates = CandidateIndex([one, one - lost], NEAR_EQUAL)
    candidates.add(0, one - lost)
    assert candidates.candidates(one) == [0]


def test_hundreds_of_records_under_one_title_merge_as_pairs_do() -> None:
    texts = [f"{LONG} {name} {name}one {name}two" for name in ("alpha", "beta")]
    others = [" ".join(f"{word}{number}" for word in OTHER.split()) for number in range(300)]
    prints = [
        Fingerprint(paper_id(text), frozenset(), frozenset(), "untitled", normalised(text))
        for text in [*texts, *others]
    ]
    assert group(prints) == [[0, 1], *([index] for index in range(2, 302))]
