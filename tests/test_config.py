"""Config: typed, faults with lines, secrets out of sight."""

from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import get_type_hints

import pytest

from bot.adapters.base import all_adapters, secret
from bot.config import STRICT, CoreSections, Settings, default_corpus, load_settings, read_yaml
from bot.errors import ConfigError

EXAMPLE = Path(__file__).resolve().parent.parent / "config.example.yaml"


@dataclass(frozen=True, slots=True)
class Section:
    __pydantic_config__ = STRICT
    enabled: bool = True
    port: int = 3000


def faults_of(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings(file, {"slack": Section}, {})
    return [(fault.line, fault.message) for fault in caught.value.faults]


def test_no_file_means_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load_settings(None, {"slack": Section}, {})
    assert settings.corpus_paths() == [default_corpus()]
    assert settings.sections["slack"] == Section()
    assert settings.state == tmp_path / "state"


def test_paths_start_at_the_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("x")
    (tmp_path / "in" / "b.md").write_text("x")
    file = tmp_path / "c.yaml"
    file.write_text("corpus: {root: in, files: ['*.txt']}\nstate: kept\n")
    settings = load_settings(file, {}, {})
    assert settings.corpus_paths() == [tmp_path / "in" / "a.txt"]
    assert settings.state == tmp_path / "kept"


def test_the_environment_may_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("log: {level: debug}\n")
    assert load_settings(None, {}, {"PAPERBOY_CONFIG": str(file)}).core.log.level == "debug"


def test_the_example_is_valid_as_it_stands_and_says_the_defaults() -> None:
    sections = {name: adapter.section for name, adapter in all_adapters().items()}
    settings = load_settings(EXAMPLE, sections, {})
    defaults = load_settings(Path("/dev/null"), sections, {})
    assert settings.core.state == defaults.core.state
    assert settings.core.log == defaults.core.log
    assert settings.sections == defaults.sections


def keys_of(section: type, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, kind in get_type_hints(section).items():
        found.append((*path, name))
        if isinstance(kind, type) and is_dataclass(kind):
            found.extend(keys_of(kind, (*path, name)))
    return found


def test_the_example_has_every_key_and_explains_it() -> None:
    sections = {name: adapter.section for name, adapter in all_adapters().items()}
    keys = keys_of(CoreSections) + [key for name, section in sections.items() for key in keys_of(section, (name,))]
    text = EXAMPLE.read_text()
    document = read_yaml(text, "example")
    lines = text.splitlines()
    for key in keys:
        assert key in document.lines, f"{'.'.join(key)} is not in the example"
        above = document.lines[key] - 2
        while above >= 0 and lines[above].strip() and not lines[above].strip().startswith("#"):
            above -= 1
        assert lines[above].strip().startswith("#"), f"{'.'.join(key)} is not explained"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("corpsu:\n  root: x\n", 1, "did you mean `corpus`?"),
        ("state: x\ncorpus:\n  rooot: x\n", 3, "did you mean `root`?"),
        ("slack:\n  enabeld: yes\n", 2, "did you mean `enabled`?"),
        ("slack:\n  zzz: yes\n", 2, "known here: enabled, port"),
        ("slack:\n  port: many\n", 2, "`slack.port`"),
        ("log:\n  level: loud\n", 2, "'debug', 'info', 'warning' or 'error'"),
        ("corpus:\n  root: a\n  root: b\n", 3, "stands twice"),
        ("state: #here\n", 1, "has no value"),
        ("- a\n", 1, "`key: value`"),
        ("a: [", 1, "not valid YAML"),
        ("corpus:\n  files: a.txt\n", 2, "`corpus.files` is a list: write `[one, two]`"),
        ("digests:\n  a: {channels: [], time: 9am, zone: berlin}\n", 2, "`digests.a.channels` needs 1 or more"),
        ("digests:\n  a: {channels: [{channel: #papers}]}\n  b: 1\n", 3, "a # after a space starts a comment"),
    ],
)
def test_faults_name_line_and_remedy(tmp_path: Path, text: str, line: int, words: str) -> None:
    found = faults_of(tmp_path, text)
    assert any(at == line and words in message for at, message in found), found


def test_every_fault_is_reported_at_once(tmp_path: Path) -> None:
    assert [line for line, _ in faults_of(tmp_path, "stat: x\nlog:\n  level: loud\nslack:\n  port: x\n")] == [1, 3, 5]


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "a/../../b"])
def test_patterns_cannot_leave_the_root(tmp_path: Path, pattern: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(f"corpus: {{root: ., files: ['{pattern}']}}\n")
    with pytest.raises(ConfigError, match="leaves"):
        load_settings(file, {}, {}).corpus_paths()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(tmp_path / "gone.yaml", {}, {})


def test_secrets_come_from_environment_or_file_and_do_not_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "token").write_text("from-file\n")
    settings: Settings = load_settings(None, {}, {"A": "plain-secret", "B_FILE": str(tmp_path / "token")})
    assert secret(settings, "A") == "plain-secret"
    assert secret(settings, "B") == "from-file"
    assert secret(settings, "C") is None
    assert "plain-secret" not in repr(settings)
