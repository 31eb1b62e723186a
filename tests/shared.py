"""The one door to the shared material: tests that need it skip, with the reason, where it is absent."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


REASON = "of the shared material"


def shared_folder() -> Path:
    """Where the shared material is, if it is there."""
    return Path(os.environ.get("PAPERBOY_SHARED") or ROOT.parent / "shared")


def shared_path(name: str) -> Path:
    """The path of a shared file; skips the calling test where it is absent."""
    path = shared_folder() / name
    if not path.exists():
        pytest.skip(f"needs {name} {REASON}; set PAPERBOY_SHARED to its folder")
    return path
