"""Runs every benchmark here, one after another, each in a process of its own."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Exit status of the worst."""
    worst = 0
    for script in sorted(HERE.glob("*.py")):
        if script.name in {"run.py", "__init__.py"} or 'if __name__ == "__main__":' not in script.read_text():
            continue
        print(f"== {script.stem}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, str(script)], cwd=HERE.parent, check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
