"""The command line as a process: what it prints, and its exit status."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
KEYS = {"command", "ok", "papers", "page", "total", "searched_for", "text", "private", "notes", "error"}
PAPER_KEYS = {"id", "handle", "name", "aliases", "title", "title_source", "links", "sources", "score"}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    file = folder / "config.yaml"
    file.write_text(f"corpus: {{root: {ROOT / 'seeds'}}}\n")
    return file


def paperboy(
    *arguments: str, typed: str | None = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        cwd=ROOT,
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
    )


def test_say_json_has_the_documented_fields(config: Path) -> None:
    result = paperboy("say", "search kv cache", "--as", "json", "--config", str(config))
    assert result.returncode == 0, result.stderr
    (line,) = result.stdout.splitlines()
    answer = json.loads(line)
    assert set(answer) == KEYS
    assert answer["command"] == "search"
    assert answer["ok"] is True
    assert answer["error"] is None
    assert answer["page"] == 1
    first = answer["papers"][0]
    assert set(first) == PAPER_KEYS
    assert (first["handle"], first["name"], first["title_source"]) == ("xkv", "xKV", "sidecar")
    assert first["sources"] == [{"file": "000_8a138b6fc828a50f.txt", "position": 10, "record_id": None}]
    assert first["links"] == ["https://github.com/abdelfattah-lab/xKV", "https://openreview.net/forum?id=XDb69lykA8"]
    assert first["score"] > 0


def test_say_documentation_names_every_field() -> None:
    page = (ROOT / "docs" / "say.md").read_text()
    for key in KEYS | PAPER_KEYS:
        assert f"`{key}`" in page


def test_say_reads_a_command_a_line_and_answers_each(config: Path) -> None:
    result = paperboy(
        "say", "-", "--as", "json", "--config", str(config), typed="kv cache\ntldr 1\n\nshow nothing-like-it\n"
    )
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["command"] for answer in answers] == ["search", "tldr", "help", "show"]
    assert answers[1]["papers"][0]["handle"] == "xkv"
    assert answers[3]["error"]["kind"] == "not_found"
    assert result.returncode == 0


def test_words_may_be_given_bare(config: Path) -> None:
    assert "xkv" in paperboy("say", "kv", "cache", "--config", str(config)).stdout


@pytest.mark.parametrize("arguments", [(), ("say",), ("sing",), ("say", "x", "--as", "xml"), ("check", "extra")])
def test_wrong_usage_is_2(arguments: tuple[str, ...]) -> None:
    assert paperboy(*arguments).returncode == 2


def test_a_wrong_config_is_2_with_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("state: x\nlgo:\n  level: info\n")
    result = paperboy("say", "x", "--config", str(file))
    assert result.returncode == 2
    assert f"{file}:2: `lgo` is not a setting: did you mean `log`?" in result.stderr


def test_check_prints_what_it_found(config: Path) -> None:
    result = paperboy("check", "--config", str(config))
    assert result.returncode == 0, result.stdout
    assert "38 papers from 38 records in 2 file(s)" in result.stdout


def test_check_exits_1_with_file_and_line_of_each_fault(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.jsonl").write_text(
        '{"abstract": "We propose a good thing that works."}\n{"title": "no abstract"}\nnot json\n'
    )
    file = tmp_path / "c.yaml"
    file.write_text("corpus: {root: corpus}\n")
    result = paperboy("check", "--config", str(file))
    assert result.returncode == 1
    assert f"fault: {corpus / 'a.jsonl'}:2: skipped: has no `abstract`" in result.stdout
    assert f"fault: {corpus / 'a.jsonl'}:3: skipped: not JSON" in result.stdout
    assert "1 papers" in result.stdout


def test_run_answers_a_pipe_and_exits(config: Path) -> None:
    result = paperboy("run", "--config", str(config), typed="show xkv\n")
    assert result.returncode == 0
    assert "Centered Kernel Alignment" in result.stdout


def test_run_without_anything_names_the_missing_settings(config: Path) -> None:
    result = paperboy("run", "--config", str(config), typed="")
    assert result.returncode == 2
    for setting in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "DISCORD_TOKEN"):
        assert setting in result.stderr


def test_chat_in_a_real_terminal(config: Path) -> None:
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "run", "--config", str(config)], cwd=ROOT, stdin=other, stdout=other, stderr=other
    )
    os.close(other)
    os.write(main, b"tldr xkv\nexit\n")
    seen = b""
    try:
        while chunk := os.read(main, 65536):
            seen += chunk
    except OSError:  # the terminal's other end closed: the process ended
        pass
    os.close(main)
    assert process.wait() == 0
    assert b"38 papers" in seen
    assert b"Approach" in seen


def test_a_state_folder_that_cannot_be_made_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    file = tmp_path / "c.yaml"
    file.write_text(f"corpus: {{root: {ROOT / 'seeds'}}}\nstate: file/state\n")
    result = paperboy("say", "kv cache", "--config", str(file))
    assert result.returncode == 0
    assert "xkv" in result.stdout
    assert "nothing is kept" in result.stderr


def test_a_reader_that_leaves_early_is_no_fault(config: Path) -> None:
    command = f"yes 'kv cache' | head -200 | {sys.executable} -m bot say - --config {config} | head -1"
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_answer_that_cannot_be_written_is_one_line_and_1(config: Path) -> None:
    command = f"{sys.executable} -m bot say 'kv cache' --config {config} > /dev/full"
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith("paperboy: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("written", ["parsed/*", "corpus.json*", "index/index-*", "index/current"])
def test_a_kill_while_the_state_is_written_leaves_it_usable(tmp_path: Path, written: str) -> None:
    state = tmp_path / "state"
    file = tmp_path / "config.yaml"
    file.write_text(f"corpus: {{root: {ROOT / 'seeds'}}}\nstate: {state}\n")
    command = [sys.executable, "-m", "bot", "say", "kv cache", "--config", str(file)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not any(state.glob(written)):
            pass
        process.kill()
    result = paperboy("say", "kv cache", "--config", str(file))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("1. xKV")
    assert paperboy("check", "--config", str(file)).returncode == 0


def test_the_wheel_of_the_cli_imports_no_platform_library(config: Path) -> None:
    script = (
        "import sys; from bot.__main__ import main; main(['say', 'kv', '--config', sys.argv[1]]);"
        "heavy = ('slack_bolt', 'slack_sdk', 'discord', 'sqlalchemy', 'aiohttp');"
        "print([name for name in heavy if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, str(config)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.stdout.rstrip().endswith("[]"), result.stdout[-300:] + result.stderr
