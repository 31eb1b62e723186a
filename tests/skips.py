"""In CI a test that is skipped is a test that fails, unless it needs the shared material and that is not there."""

import os

import pytest
from shared import REASON, shared_folder


class NoSkips:
    """Fails the run, and lists what was skipped and why."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._note(report.nodeid, report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._note(report.nodeid, report.longrepr)

    def _note(self, test: str, place: object) -> None:
        reason = str(place[2] if isinstance(place, tuple) else place)
        if shared_folder().is_dir() or REASON not in reason:
            self.found.append(f"{test}: {reason}")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.found:
            terminalreporter.section("skipped in CI, where everything runs", red=True)
            for one in self.found:
                terminalreporter.line(one)


def pytest_configure(config: pytest.Config) -> None:
    """Watches in the process that reports, under `CI`."""
    if os.environ.get("CI") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(NoSkips(), "no-skips")
