"""Writes what follows from the code: docs/commands.md, and of docs/architecture.md the picture and the figures.

With --check, says what is stale and exits 1.
"""

import sys
import textwrap
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

import house
import trace_files

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


def architecture_page() -> str:
    """The page as somebody wrote it, with the picture and the figures of now."""
    page = _read(ROOT / "docs/architecture.md")
    paths = trace_files.traced()
    figures = (_counted("A query", paths.query), _counted("A digest", paths.digest))
    for name, made in (("picture", picture(house.ROOT)), ("figures", "\n".join(figures))):
        begin, end = f"<!-- {name}, made by `make docs` -->\n", f"<!-- end of the {name} -->"
        before, found, rest = page.partition(begin)
        _, ended, after = rest.partition(end)
        if not found or not ended:
            raise ValueError(f"docs/architecture.md has no place for the {name}")
        page = f"{before}{begin}{made}\n{end}{after}"
    return page


def picture(root: Path) -> str:
    """The packages and loose modules as boxes, in Mermaid: an arrow leads from what imports to what is imported."""
    found = house.modules(root)
    boxes = {name: _box(module) for name, module in found.items()}
    made = {
        (boxes[one.of], boxes[one.what])
        for one in house.imports(found)
        if one.when is not house.When.TYPES and house.PRODUCT not in {one.of, one.what}
    }
    arrows = sorted(_needed({(start, end) for start, end in made if start != end}))
    packages = sorted({box for name, box in boxes.items() if found[name].path.count("/") > 1})
    shapes = [f'    {_id(box)}[["{box}"]]' for box in packages]
    return "\n".join(
        ["```mermaid", "flowchart TD", *shapes, *(f"    {_id(start)} --> {_id(end)}" for start, end in arrows), "```"]
    )


def _id(box: str) -> str:
    return box.strip("_").replace("/", "_")


def _box(module: house.Module) -> str:
    """The package of a module below bot/, a platform's own within the adapters, or a loose module itself."""
    _, first, *rest = Path(module.path).with_suffix("").parts
    return f"{first}/{rest[0]}" if first == "adapters" and len(rest) > 1 else first


def _needed(arrows: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The arrows without those that lead where a way along others leads too. Raises ValueError where they go round."""
    if house.rings(arrows):
        raise ValueError(f"packages import each other: {house.rings(arrows)}")
    after: dict[str, set[str]] = defaultdict(set)
    for start, end in arrows:
        after[start].add(end)

    def reached(name: str) -> set[str]:
        return after[name].union(*map(reached, sorted(after[name])))

    return {(start, end) for start, end in arrows if not any(end in reached(other) for other in after[start])}


def _counted(what: str, files: Collection[str]) -> str:
    """How many files it goes through, and which, by folder: as one item of a list."""
    folders: dict[str, list[str]] = defaultdict(list)
    for file in sorted(files):
        folder, _, name = file.rpartition("/")
        folders[folder].append(name.removesuffix(".py"))
    named = "; ".join(f"of `{folder}/` {', '.join(names)}" for folder, names in sorted(folders.items()))
    return "\n".join(textwrap.wrap(f"- {what} goes through {len(files)} files: {named}.", 120, subsequent_indent="  "))


PAGES = {"docs/commands.md": command_page, "docs/architecture.md": architecture_page}


def main() -> int:
    """Write the pages, or compare them."""
    pages = {name: page() for name, page in PAGES.items()}
    stale = [name for name, page in pages.items() if _read(ROOT / name) != page]
    if "--check" in sys.argv[1:]:
        for name in stale:
            print(f"{name} is stale: run `make docs`")
        return 1 if stale else 0
    for name in stale:
        (ROOT / name).write_text(pages[name], encoding="utf-8")
        print(f"wrote {name}")
    return 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
