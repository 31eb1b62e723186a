"""What CI adds to the tests, and what `make` says before there are any."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SKIPPING = """
import pytest

@pytest.mark.parametrize("reason", {reasons})
def test_it(reason):
    if reason:
        pytest.skip(reason)
"""
SHARED = "needs data/x of the shared material; set PAPERBOY_SHARED to its folder"


def run(folder: Path, reasons: list[str], *more: str, ci: str, shared: bool) -> tuple[int, str]:
    (folder / "test_skipping.py").write_text(SKIPPING.format(reasons=reasons))
    if shared:
        (folder / "shared").mkdir()
    environment = {
        **os.environ, "CI": ci, "PAPERBOY_SHARED": str(folder / "shared"), "PYTHONPATH": str(ROOT / "tests"),
    }  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", "-p", "skips", "-p", "no:cacheprovider", *more, str(folder)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("more", [(), ("-n", "2")], ids=["one process", "workers"])
def test_in_ci_a_skip_fails_the_run_and_is_listed(more: tuple[str, ...], tmp_path: Path) -> None:
    status, said = run(tmp_path, ["", "no PostgreSQL answers", SHARED], *more, ci="true", shared=True)
    assert status == 1
    assert "test_skipping.py::test_it[no PostgreSQL answers]: Skipped: no PostgreSQL answers" in said
    assert f"Skipped: {SHARED}" in said


@pytest.mark.parametrize(
    ("reasons", "ci", "shared", "status"),
    [
        ([""], "true", True, 0),
        ([SHARED], "true", False, 0),  # CI that has not got the material
        ([SHARED, "no PostgreSQL answers"], "true", False, 1),
        ([SHARED, "no PostgreSQL answers"], "", True, 0),
    ],
)
def test_what_may_be_skipped(reasons: list[str], ci: str, shared: bool, status: int, tmp_path: Path) -> None:
    assert run(tmp_path, reasons, ci=ci, shared=shared)[0] == status


# make

OLD = """#!{python}
import os, sys
if sys.argv[1:2] == ["-c"]:
    sys.version_info = (3, 10, 14, "final", 0)
    sys.version = "3.10.14 (main)"
    sys.argv.pop(1)
    exec(sys.argv[1])
elif sys.argv[1:2] in (["-V"], ["--version"]):
    print("Python 3.10.14")
else:
    open(os.path.join(os.path.dirname(__file__), "went on"), "w").close()
"""


def made(folder: Path, python: str, target: str) -> subprocess.CompletedProcess[str]:
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, folder)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--no-print-directory", f"PYTHON={python}", target]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", ["run", "test", "check"])
def test_an_older_python_is_one_line_before_anything_is_made(target: str, tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text(OLD.format(python=sys.executable))
    old.chmod(0o755)
    done = made(tmp_path, str(old), target)
    assert done.returncode != 0
    (line,) = (done.stdout + done.stderr).splitlines()
    assert "Paperboy needs Python 3.11 or newer" in line
    assert "3.10.14" in line
    assert not (tmp_path / ".venv").exists()
    assert not (tmp_path / "went on").exists()


def test_a_python_that_is_missing_is_one_line_too(tmp_path: Path) -> None:
    done = made(tmp_path, "no-such-python", "run")
    assert done.returncode != 0
    (line,) = (done.stdout + done.stderr).splitlines()
    assert "Paperboy needs Python 3.11 or newer" in line
    assert "no-such-python" in line
    assert not (tmp_path / ".venv").exists()
