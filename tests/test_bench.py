"""Benchmarks that read the shared material say that it is absent, instead of failing."""

import os
import subprocess
import sys

import pytest
from shared import ROOT


@pytest.mark.parametrize(
    "script",
    [
        ("bench/summary.py",),
        ("bench/typed.py",),
        ("bench/search.py", "quality", "untitled", "gate", "requests", "slips"),
    ],
    ids=lambda script: script[0],
)
def test_without_the_shared_material_it_is_skipped_with_the_reason(script: tuple[str, ...]) -> None:
    environment = {**os.environ, "PAPERBOY_SHARED": "/nowhere", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, *script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("skipped: no /nowhere/") == max(len(script) - 1, 1)


def test_every_benchmark_is_run() -> None:
    scripts = {path.stem for path in (ROOT / "bench").glob("*.py")} - {"run", "__init__"}
    for name in scripts:
        assert '\nif __name__ == "__main__":\n' in (ROOT / "bench" / f"{name}.py").read_text("utf-8"), name
