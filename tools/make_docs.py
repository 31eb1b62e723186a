"""Writes the pages that follow from the code: docs/commands.md. With --check, says what is stale and exits 1."""

import sys
from pathlib import Path

from bot.commands import all_commands
from bot.commands.base import Command

ROOT = Path(__file__).resolve().parent.parent
NOTE = "<!-- Made from the declarations in bot/commands by `make docs`: change those, not this page. -->"


def command_page() -> str:
    """The command reference."""
    parts = [
        NOTE,
        "# Commands",
        (
            "In Slack and Discord each begins with `/papers`; in the terminal it stands alone. Whatever is no command "
            "is a search. A paper is named by its handle, its id, part of its title, or its number in your last list; "
            "a number alone shows that paper."
        ),
    ]
    parts.extend(_one(command) for command in all_commands().all)
    return "\n\n".join(parts) + "\n"


def _one(command: Command) -> str:
    parts = [f"## `{command.usage}`", command.summary]
    if command.details:
        parts.append(command.details)
    if lines := [f"`{line}`" for line in command.said if line]:
        parts.append(f"Also, as the whole line: {', '.join(lines)}.")
    if command.parameters:
        rows = ["| parameter | what it is | kind |", "|---|---|---|"]
        for parameter in command.parameters:
            kind = parameter.kind.value + ("" if parameter.required else ", optional")
            if parameter.options_only:
                kind += ", only as an option"
            rows.append(f"| `{parameter.name}` | {parameter.summary} | {kind} |")
        parts.append("\n".join(rows))
    rows = []
    for example in command.examples:
        after = f" (after `{example.after}`)" if example.after else ""
        rows.append(f"- `{example.say}`: {example.meaning}{after}")
    parts.append("\n".join(rows))
    return "\n\n".join(parts)


PAGES = {"docs/commands.md": command_page}


def main() -> int:
    """Write the pages, or compare them."""
    stale = [name for name, page in PAGES.items() if _read(ROOT / name) != page()]
    if "--check" in sys.argv[1:]:
        for name in stale:
            print(f"{name} is stale: run `make docs`")
        return 1 if stale else 0
    for name in stale:
        (ROOT / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote {name}")
    return 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
