"""The one door to the shared material: tests that need it skip, with the reason, where it is absent."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_path(name: str) -> Path:
    """The path of a shared file; skips the calling test where it is absent."""
    path = Path(os.environ.get("PAPERBOY_SHARED", ROOT.parent / "shared")) / name
    if not path.exists():
        pytest.skip(f"needs {name} of the shared material; set PAPERBOY_SHARED to its folder")
    return path
