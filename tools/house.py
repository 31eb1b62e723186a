"""Prints the figures of the house: how many rooms it has, how many a query and a digest go through, what stands twice.

python tools/house.py [--check]

With --check, exits 1 where a figure is over its limit.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = "bot"
ADAPTERS = f"{PRODUCT}/adapters/"
_LONGEST = 10


class When(Enum):
    """When an import is made."""

    LOADING = "as the module loads"
    LATE = "in a function"
    TYPES = "for types alone"


@dataclass(frozen=True, slots=True)
class Import:
    """One module of the product imports another. Both are dotted names."""

    of: str
    what: str
    when: When


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the product: its dotted name (a package's for `__init__.py`), its path from the root, its source."""

    name: str
    path: str
    source: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.source.splitlines())


def modules(root: Path = ROOT) -> dict[str, Module]:
    """Every module of the product by its dotted name."""
    found: dict[str, Module] = {}
    for file in sorted((root / PRODUCT).rglob("*.py")):
        path = file.relative_to(root)
        parts = path.with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        source = file.read_text(encoding="utf-8")
        found[name] = Module(name, path.as_posix(), source, ast.parse(source))
    return found


# who imports whom


def imports(found: Mapping[str, Module]) -> list[Import]:
    """Every import of one module by another, each once for each time at which it is made.

    That a module's packages are loaded before it is no import of theirs.
    """
    result: dict[Import, None] = {}
    for module in found.values():
        for node, when in _import_nodes(module.tree, When.LOADING):
            for name in _imported(node, found):
                if name != module.name:
                    result.setdefault(Import(module.name, name, when))
    return list(result)


def _import_nodes(node: ast.AST, when: When) -> Iterator[tuple[ast.Import | ast.ImportFrom, When]]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import() | ast.ImportFrom():
                yield child, when
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                yield from _import_nodes(child, When.LATE)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield from _import_nodes(child, When.TYPES)
            case _:
                yield from _import_nodes(child, when)


def _imported(node: ast.Import | ast.ImportFrom, found: Mapping[str, Module]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names if one.name in found)
        return
    if node.module is None or node.level:
        raise ValueError("the product imports by whole names")
    for one in node.names:
        name = f"{node.module}.{one.name}"  # a module of a package, or a name in a module
        if name in found:
            yield name
        elif node.module in found:
            yield node.module


def rings(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The groups of names that reach each other, in order: each is a cycle or several (Tarjan's components)."""
    after: dict[str, list[str]] = defaultdict(list)
    for start, end in edges:
        after[start].append(end)
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    result: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in after.get(name, ()):
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            at = stack.index(name)
            ring = stack[at:]
            del stack[at:]
            if len(ring) > 1 or name in after.get(name, ()):
                result.append(sorted(ring))

    for name in list(after):
        if name not in order:
            visit(name)
    return sorted(result)


# what stands twice


def classes(found: Mapping[str, Module]) -> dict[str, list[tuple[Module, ast.ClassDef]]]:
    """Every class by its name, wherever it stands."""
    result: dict[str, list[tuple[Module, ast.ClassDef]]] = defaultdict(list)
    for module in found.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                result[node.name].append((module, node))
    return result


def twice(found: Mapping[str, Module]) -> dict[str, list[str]]:
    """The names that more than one class has, each with the files in which they stand.

    Twins are excused where they are what each platform makes of one thing: each in the folder of another adapter, and
    all with every method that some protocol outside those folders asks for.
    """
    by_name = classes(found)
    asked = [_methods(node) for places in by_name.values() for module, node in places if _is_protocol(module, node)]
    return {
        name: [module.path for module, _ in places]
        for name, places in sorted(by_name.items())
        if len(places) > 1 and not _of_each_platform(places, asked)
    }


def _of_each_platform(places: list[tuple[Module, ast.ClassDef]], asked: list[set[str]]) -> bool:
    platforms = {platform(module) for module, _ in places}
    if None in platforms or len(platforms) < len(places):
        return False
    common = set[str].intersection(*(_methods(node) for _, node in places))
    return any(methods and methods <= common for methods in asked)


def platform(module: Module) -> str | None:
    """The platform in whose folder a module stands, or None."""
    rest = module.path.removeprefix(ADAPTERS)
    return rest.partition("/")[0] if rest != module.path and "/" in rest else None


def _is_protocol(module: Module, node: ast.ClassDef) -> bool:
    bases = {base.value if isinstance(base, ast.Subscript) else base for base in node.bases}
    return platform(module) is None and any(isinstance(base, ast.Name) and base.id == "Protocol" for base in bases)


def _methods(node: ast.ClassDef) -> set[str]:
    return {
        one.name
        for one in node.body
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and not one.name.startswith("_")
    }


# what is counted


@dataclass(frozen=True, slots=True)
class Figure:
    """One count: what of, the limit where there is one, and what was counted, where that is worth a list."""

    words: str
    count: int
    limit: int | None = None
    listed: tuple[str, ...] = ()

    @property
    def well(self) -> bool:
        """Whether it is within its limit."""
        return self.limit is None or self.count <= self.limit

    def __str__(self) -> str:
        limit = "" if self.limit is None else f"  (at most {self.limit})" + ("" if self.well else "  TOO MANY")
        return "\n".join([f"{self.words}: {self.count}{limit}", *(f"    {line}" for line in self.listed)])


def figures(root: Path = ROOT) -> list[Figure]:
    """All that follows from the source alone."""
    found = modules(root)
    loose = [one.path for one in found.values() if one.path.count("/") == 1 and one.name != PRODUCT]
    doubled = {name: f"{name}: {', '.join(paths)}" for name, paths in twice(found).items()}
    made = imports(found)

    def cycles(words: str, times: set[When], limit: int | None) -> Figure:
        found_rings = rings((one.of, one.what) for one in made if one.when in times)
        return Figure(words, len(found_rings), limit, tuple(" - ".join(ring) for ring in found_rings))

    late = sum(one.when is When.LATE for one in made)
    for_types = sum(one.when is When.TYPES for one in made)
    longest = sorted(found.values(), key=lambda one: -one.lines)[:_LONGEST]
    return [
        Figure("modules, every .py", len(found), 160),
        Figure("loose modules at the top, but __init__", len(loose), 14, (" ".join(Path(one).stem for one in loose),)),
        _listed("public class names that stand twice", [doubled[one] for one in doubled if one[0] != "_"], 0),
        _listed("private class names that stand twice", [doubled[one] for one in doubled if one[0] == "_"], 0),
        cycles("import cycles as modules load", {When.LOADING}, 0),
        cycles(f"with the {late} late imports, in functions", {When.LOADING, When.LATE}, None),
        cycles(f"with the {for_types} for types alone as well", set(When), None),
        Figure("lines of the longest file", longest[0].lines, None, tuple(f"{x.lines:4} {x.path}" for x in longest)),
    ]


def _listed(words: str, lines: list[str], limit: int) -> Figure:
    return Figure(words, len(lines), limit, tuple(lines))


def paths() -> list[Figure]:
    """What a query and a digest go through, from a run."""
    import trace_files  # noqa: PLC0415 - brings the doubles, which not everybody who reads the source needs

    traced = trace_files.traced()
    return [
        Figure("files that a query goes through in Slack", len(traced.query), 28),
        Figure("files that a digest goes through from tick to post", len(traced.digest), 24),
    ]


def main() -> int:
    """Print every figure."""
    counted = [*figures(), *paths()]
    for figure in counted:
        print(figure)
    return 1 if "--check" in sys.argv[1:] and not all(figure.well for figure in counted) else 0


if __name__ == "__main__":
    sys.exit(main())
