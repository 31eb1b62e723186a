"""The log: JSON Lines that a program can sort by channel and reference, and lines for people."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from bot import logs
from bot.commands.base import Command, CommandSet, Context, Example, Invocation
from bot.commands.dispatch import Dispatcher
from bot.config import default_corpus
from bot.corpus import load_corpus
from bot.library import Library
from bot.message import ChannelRef, Reply, User, concerning

ROOT = Path(__file__).resolve().parent.parent
CHANNEL = ChannelRef("slack", "T1", "C1")


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """What the root logger writes as JSON while a test runs."""
    written: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(self.format(record))

    handler = logs.handler("json", Kept())
    root = logging.getLogger()
    root.addHandler(handler)
    yield written
    root.removeHandler(handler)


def broken(_context: Context, _invocation: Invocation) -> Reply:
    raise RuntimeError("the disk\nis gone")


async def test_a_failure_is_one_line_with_its_reference_and_place(lines: list[str]) -> None:
    library = Library.of(load_corpus(default_corpus()))
    command = Command("break", "Breaks.", broken, (Example("break", "it breaks", ()),))
    reply = await Dispatcher(lambda: library, CommandSet([command])).say("break", User("U1", "Ada"), CHANNEL)
    assert reply.error is not None
    (line,) = (line for line in lines if "break" in line)
    assert "\n" not in line
    told = json.loads(line)
    assert told["reference"] in reply.error.message
    assert {name: told[name] for name in ("level", "logger", "command", "platform", "workspace", "channel")} == {
        "level": "ERROR",
        "logger": "bot.commands.dispatch",
        "command": "break",
        "platform": "slack",
        "workspace": "T1",
        "channel": "C1",
    }
    assert "RuntimeError: the disk\nis gone" in told["exc_info"]
    assert datetime.fromisoformat(told["time"]).utcoffset() is not None
    assert "Ada" not in line


def test_lines_outside_of_any_channel_name_none(lines: list[str]) -> None:
    with concerning(CHANNEL):
        logging.getLogger("bot.inside").warning("in “%s”", "naïve")
    logging.getLogger("bot.outside").warning("out")
    inside, outside = map(json.loads, lines)
    assert (inside["channel"], inside["message"]) == ("C1", "in “naïve”")
    assert "naïve" in lines[0]
    assert outside.keys() == {"time", "level", "logger", "message"}


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_process_logs_in_the_configured_form(tmp_path: Path, form: str) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.jsonl").write_text('{"abstract": "Words that are enough."}\nno json\n')
    config = tmp_path / "config.yaml"
    config.write_text(f"corpus: {{root: corpus}}\nlog: {{format: {form}}}\n")
    result = subprocess.run(
        [sys.executable, "-m", "bot", "say", "words", "--config", str(config)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = result.stderr.splitlines()
    assert "a.jsonl:2" in line
    if form == "json":
        assert json.loads(line)["level"] == "WARNING"
    else:
        assert " WARNING bot.corpus.load: " in line


HOSTILE = "a.txt\n2026-07-01 00:00:00 ERROR bot.store: all is lost\x1b[31m\x9b2J\u202e\u2028x\ud83d"
ACTING = "\x1b\x9b\u202e\u2028\ud83d"


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_logged_cannot_look_like_another_line_or_act_on_a_terminal(form: logs.Form) -> None:
    out = logging.Handler()
    logs.handler(form, out)
    failed = (ValueError, ValueError(HOSTILE), None)
    record = logging.LogRecord("bot.corpus", logging.WARNING, __file__, 1, "corpus: %s", (HOSTILE,), failed)
    first, *others = out.format(record).split("\n")
    assert not set(ACTING) & {*first, *"".join(others)}
    assert "WARNING" in first
    assert "all is lost" in first
    if form == "json":
        assert others == []
        assert json.loads(first)["message"] == f"corpus: {HOSTILE}"
    else:
        assert others
        assert all(line.startswith("    ") for line in others)


def test_names_and_venues_at_the_terminal_forge_no_line(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    name = "x\nfault: all is lost\x1b[31m.jsonl"
    record = {"abstract": "Words of rivers that are enough.", "venue": "V\nforged: \x1b[31m\x9b", "title": "T"}
    (folder / name).write_text(json.dumps(record) + "\nno json\n")
    config = tmp_path / "config.yaml"
    config.write_text(f"corpus: {{root: corpus}}\nstate: {tmp_path / 'state'}\n")
    for words in (["check"], ["say", "show 1"], ["say", "search rivers"], ["say", "search rivers", "--as", "json"]):
        result = subprocess.run(
            [sys.executable, "-m", "bot", *words, "--config", str(config)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        lines = (result.stdout + result.stderr).split("\n")
        assert not any(line.startswith(("forged", "fault: all is lost")) for line in lines), lines
        assert not set("\x1b\x9b") & set("".join(lines))
        assert "Traceback" not in result.stderr
