"""Every paper of a corpus on both platforms: runs both sweeps and ends with one line, `payloads N invalid I live L`.

python tools/sweep.py [corpus file]
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINE = re.compile(r"payloads (\d+) invalid (\d+) live (\d+)")


def main() -> int:
    """Run them one after the other; 1 where anything is invalid or live, or a sweep did not end."""
    totals = [0, 0, 0]
    for platform in ("slack", "discord"):
        command = [sys.executable, str(HERE / f"sweep_{platform}.py"), *sys.argv[1:]]
        done = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=False)
        print(f"== {platform}\n{done.stdout.rstrip()}", flush=True)
        found = LINE.findall(done.stdout)
        if not found:
            print(f"{platform}: the sweep did not end")
            return 1
        totals = [total + int(count) for total, count in zip(totals, found[-1], strict=True)]
    payloads, invalid, live = totals
    print(f"payloads {payloads} invalid {invalid} live {live}")
    return 1 if invalid or live else 0


if __name__ == "__main__":
    sys.exit(main())
