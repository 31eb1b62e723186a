"""What holds for every test: helpers can be imported, the wall clock stands, in CI nothing is skipped unseen."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

from clocks import stop_wall_clock
from skips import pytest_configure

__all__ = ["pytest_configure"]

# a machine that is busy makes no example wrong
settings.register_profile("unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def _wall_clock_stands() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patches:
        stop_wall_clock(patches)
        yield
