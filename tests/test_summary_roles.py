"""The sentence model: its file, what it tells apart, and how well on annotated abstracts."""

import gzip
import json
import statistics
from functools import partial
from pathlib import Path

import pytest
from shared import shared_path

from bot.summary import roles


def _held(sentence: str) -> frozenset[str]:
    return roles.cues(sentence, roles.tokens(sentence))


@pytest.mark.parametrize(
    ("sentence", "among", "not_among"),
    [
        ("We propose X.", {"propose"}, {"study", "show", "code"}),
        ("In this work, we first carefully introduce X.", {"propose"}, {"show"}),
        ("This paper presents a survey.", {"propose"}, set()),
        ("We put forward a theory.", {"propose"}, set()),
        ("We put it last.", set(), {"propose"}),
        ("Our proposed FlexRank method helps.", {"propose"}, set()),
        ("We studied X.", {"study"}, {"propose"}),
        ("We found that it fails.", {"show", "hard"}, {"propose"}),
        ("They propose X.", set(), {"propose"}),
        ("However, existing methods suffer from it.", {"contrast", "hard", "prior"}, {"concede"}),
        ("While fast, it is limited.", {"concede", "hard"}, {"contrast"}),
        ("It improves accuracy by 3.5%.", {"result", "gain"}, {"evaluated"}),
        ("It is 4.23× faster.", {"result", "gain"}, set()),
        ("Extensive experiments confirm it.", {"evaluated"}, {"gain"}),
        ("We hope this inspires work.", {"hope"}, {"propose"}),
        ("Code is available at https://example.org/x.", {"code"}, set()),
        ("The models and data will be made publicly available.", {"code"}, set()),
        ("We release X to the public.", {"code"}, set()),
        ("Where data is available, it helps.", set(), {"code"}),
        ("We use 12 publicly available datasets.", set(), {"code"}),
        ("It beats open-source models.", set(), {"code"}),
        ("An early release of memory helps.", set(), {"code"}),
        ("It costs less.", set(), {"propose", "study", "show", "code", "hard", "gain"}),
    ],
)
def test_cues(sentence: str, among: set[str], not_among: set[str]) -> None:
    held = _held(sentence)
    assert among <= held
    assert not held & not_among


def test_numbers_are_one_word() -> None:
    assert roles.tokens("It gains 3.5% on 12 sets, at https://example.org?") == [
        "it", "gains", "#%", "on", "#", "sets", "at", "https", "example", "org", "?",
    ]  # fmt: skip


def test_the_model_file_is_small_and_whole() -> None:
    path = Path(roles.__file__).with_name("roles.json")
    assert path.stat().st_size < 150_000
    model = roles.model()
    assert len(model.rows) > 1000
    assert len(model.scales) == len(roles.ROLES) + 1
    assert model is roles.model()


def test_an_old_model_file_says_what_to_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "roles.json"
    path.write_text(json.dumps({"format": 0}))
    monkeypatch.setattr(roles, "_MODEL", path)
    roles.model.cache_clear()
    with pytest.raises(ValueError, match="train_roles"):
        roles.model()
    roles.model.cache_clear()


def test_packed_rows_add_up() -> None:
    # two rows of weights (1, -2, 3, 0, 127, -128) and (1, 2, -3, 0, -127, -128), packed by hand
    first = sum(weight + 128 << 20 * place for place, weight in enumerate((1, -2, 3, 0, 127, -128)))
    second = sum(weight + 128 << 20 * place for place, weight in enumerate((1, 2, -3, 0, -127, -128)))
    model = roles.Model({"a": first, "b": second}, (1.0, 1.0, 1.0, 1.0, 2.0, 0.5), ((1.0,) * 5,) * 5)
    assert model.scores(["a", "b", "unknown"]) == [2, 0, 0, 0, 0, -128.0]
    assert model.scores([]) == [0] * 6


_ABSTRACT = (
    "Caches are widely used in modern systems.",
    "However, existing methods remain slow.",
    "In this paper, we propose a novel method that predicts the next key.",
    "We train a small network on past requests.",
    "Experiments show that our method outperforms all baselines by 12%.",
)


def test_a_plain_abstract_is_read_as_a_person_would() -> None:
    readings = roles.read(_ABSTRACT)
    for reading in readings:
        total = reading.background + reading.objective + reading.method + reading.result + reading.other
        assert total == pytest.approx(1)
    assert sum(reading.contribution for reading in readings) == pytest.approx(1)
    assert readings[0].background > 0.8
    assert readings[1].background > 0.5
    assert max(readings, key=lambda reading: reading.contribution) is readings[2]
    assert readings[3].method > 0.5
    assert readings[4].result > 0.8


def test_no_sentences() -> None:
    assert roles.read([]) == []


def test_roles_on_annotated_abstracts() -> None:
    """Well above the commonest role (33.6%) and rules of cues alone (52%) on abstracts it was not trained on."""
    right: list[bool] = []
    with gzip.open(shared_path("data/csabstruct/dev.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            for reading, label in zip(roles.read(record["sentences"]), record["labels"], strict=True):
                right.append(max(roles.ROLES, key=partial(getattr, reading)) == label)
    assert statistics.mean(right) > 0.65
