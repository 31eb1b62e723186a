r"""From a LaTeX formula to the text that a person would type for it: `\pi(a \mid v)` to `π(a | v)`.

pylatexenc's walker takes the formula apart (one guarded call) and `Layout` puts the pieces side by side; the library's
own converter drops brackets and turns letters into Mathematical Alphanumerics.
"""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from bot.corpus.markup.atoms import join
from bot.corpus.markup.chars import plain_letters
from bot.corpus.markup.symbols import SIGNATURES

if TYPE_CHECKING:
    from pylatexenc import macrospec
from bot.corpus.markup.atoms import Atom, AtomKind, accented, bracketed, scripted
from bot.corpus.markup.symbols import (
    ACCENTS,
    ALSO_AUTHORS,
    ARROWS,
    BIG,
    BINOMIALS,
    CONTENT,
    FRACTIONS,
    HIDDEN,
    NAMED,
    OPERATIONS,
    RELATIONS,
    SILENT,
    TIGHT,
    WORDS,
    names,
    symbols,
    unicode_character,
)
from bot.corpus.markup.units import QUANTITIES, quantity

_DOUBLE_STRUCK = {"R": "ℝ", "N": "ℕ", "Z": "ℤ", "C": "ℂ", "E": "𝔼"}
_TOKEN = re.compile(r"-{2,3}|[:<>=!]=+|->|=>|<-|[0-9]+(?:[.,][0-9]+)*|[^\W\d_]+|\s+|.", re.DOTALL)
_SIGNS = names("= < > := == <= >= -> <- => != + - − * / × · ± ≤ ≥ ≠ ≈ ∈ → ~ ∼ ∪ ∩")
_OPENING, _CLOSING = frozenset("([{⟨⌊⌈⟦"), frozenset(")]}⟩⌋⌉⟧")
_BARS = names("| Vert vert lVert rVert lvert rvert")
_MATRICES = {"pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖"}
_SHORT_NAME = re.compile(
    r"(?:bf|bm|bs|mb|mc|cal|vec|mat|rm|sf|[bcmv])([A-Z])|(?:bf|bm|bs|mb|vec|rm|[bv])([a-z])|([A-Z])(?:cal|bf|bar|hat)",
)
"""How authors shorten `\\mathbf{x}` and `\\mathcal{X}`; the letter is what a person types."""
_SEPARATORS = {"over": "/", "choose": " choose ", "atop": "; "}
_DINGBATS = {51: "✓", 52: "✔", 55: "✗", 56: "✘"}


class Layout:
    """Nodes of pylatexenc to atoms; `compact` inside scripts, where signs take no spaces."""

    def __init__(self, compact: bool = False) -> None:
        self.compact = compact

    def atoms(self, nodes: list[object]) -> list[Atom]:
        """The atoms of a run of sibling nodes."""
        atoms: list[Atom] = []
        unknown = ""  # the author's own command just met, which a group may follow as its argument
        for node in nodes:
            name, unknown = unknown, ""
            match type(node).__name__:
                case "LatexCharsNode":
                    atoms.extend(_characters(str(_field(node, "chars"))))
                case "LatexGroupNode" if name:
                    atoms[-1] = Atom(f"{name}({self._text(_children(node))})", AtomKind.ORD)
                case "LatexGroupNode":
                    atoms.extend(self._group(_children(node)))
                case "LatexEnvironmentNode":
                    atoms.extend(self._environment(node))
                case "LatexSpecialsNode":
                    self._special(node, atoms)
                case "LatexMacroNode":
                    unknown = self._macro(node, atoms)
                case _:
                    atoms.extend(self.atoms(_children(node)))
        return atoms

    def _text(self, nodes: list[object]) -> str:
        """Nodes as text of their own."""
        return join(self.atoms(nodes), compact=self.compact).strip()

    def _script(self, node: object) -> tuple[str, bool]:
        """A script's text, and whether it is one piece."""
        atoms = Layout(compact=True).atoms([node])
        pieces = sum(atom.kind is not AtomKind.SPACE for atom in atoms)
        return join(atoms, compact=True).strip(), pieces == 1

    def _factor(self, nodes: list[object]) -> str:
        """A denominator or what stands under a root: in brackets unless it is one number, letter, word or group."""
        atoms = [atom for atom in self.atoms(nodes) if atom.kind is not AtomKind.SPACE]
        word = len(atoms) == 1 and atoms[0].kind in (AtomKind.TEXT, AtomKind.NAME) and atoms[0].text.isalnum()
        text = join(atoms, compact=self.compact)
        return text if word else bracketed(self._text(nodes), product=True)

    def _group(self, nodes: list[object]) -> list[Atom]:
        r"""A group is what it holds; `{a \over b}` and `{n \choose k}` are read as one piece."""
        for index, node in enumerate(nodes):
            separator = _SEPARATORS.get(str(_field(node, "macroname")))
            if separator:
                left, right = self._text(nodes[:index]), self._text(nodes[index + 1 :])
                if separator == "/":
                    return [Atom(f"{bracketed(left)}/{self._factor(nodes[index + 1 :])}", AtomKind.FRACTION)]
                return [Atom(f"({left}{separator}{right})", AtomKind.ORD)]
        return self.atoms(nodes)

    def _environment(self, node: object) -> list[Atom]:
        around = _MATRICES.get(str(_field(node, "environmentname")))
        text = self._text(_children(node))
        return [Atom(f"{around[0]}{text}{around[1]}" if around else text, AtomKind.ORD)]

    def _special(self, node: object, atoms: list[Atom]) -> None:
        """Append a script to the last atom, or a space for `&` and `~`."""
        sign = str(_field(node, "specials_chars"))
        if sign not in ("^", "_"):
            atoms.append(Atom(" ", AtomKind.SPACE))
            return
        arguments = _arguments(node)
        script, single = self._script(arguments[0]) if arguments else ("", True)
        while atoms and atoms[-1].kind is AtomKind.SPACE:
            atoms.pop()
        base = atoms.pop() if atoms else Atom("", AtomKind.ORD)
        atoms.append(Atom(scripted(base.text, sign, script, single), base.kind))

    def _macro(self, node: object, atoms: list[Atom]) -> str:
        """Append what a command reads as; gives the name of an unknown one of several letters."""
        name = str(_field(node, "macroname"))
        after = bool(_field(node, "macro_post_space"))
        if name in SILENT:
            return ""
        if name == "\\":
            atoms.append(Atom("" if self.compact else ";", AtomKind.PUNCT))
            return ""
        given = _arguments(node)
        if name in SIGNATURES and (name not in ALSO_AUTHORS or any(one is not None for one in given)):
            missing = len(SIGNATURES[name]) - len(given)
            atoms.extend(self._call(name, [*given, *[None] * missing]))
            return ""
        reading = symbols().get(name)
        if reading is not None:
            atoms.append(Atom(reading, _kind(name, reading), after))
            return ""
        short = _SHORT_NAME.fullmatch(name)
        atoms.append(
            Atom((short[1] or short[2] or short[3]) if short else name, AtomKind.ORD if short else AtomKind.NAME, after)
        )
        return name if len(name) > 1 and not short else ""

    def _call(self, name: str, arguments: list[object]) -> list[Atom]:
        """A command with arguments."""
        last = [arguments[-1]] if arguments and arguments[-1] is not None else []
        first = [arguments[0]] if arguments and arguments[0] is not None else []
        bare = all(argument is None for argument in arguments)
        if bare and name == "sqrt":
            return [Atom("√", AtomKind.ORD)]
        if name in HIDDEN or (bare and name not in ARROWS):
            return []
        if name in CONTENT:
            return self.atoms(last)
        if name in WORDS:
            return self._words(name, last)
        text = self._text(last)
        if name in ACCENTS:
            return [Atom(accented(text, ACCENTS[name], name), AtomKind.ORD)]
        if name in FRACTIONS:
            return [Atom(f"{bracketed(self._text(first))}/{self._factor(last)}", AtomKind.FRACTION)]
        if name in BINOMIALS:
            return [Atom(f"({self._text(first)} choose {text})", AtomKind.ORD)]
        match name:
            case "mathbb" | "mbb" | "bb":
                return [Atom("".join(_DOUBLE_STRUCK.get(letter, letter) for letter in text), AtomKind.ORD)]
            case "sqrt":
                index = self._text(first)
                root = {"": "√", "3": "∛", "4": "∜"}.get(index, f"{index}-th √")
                return [Atom(root + self._factor(last), AtomKind.ORD)]
            case _ if name in ARROWS:
                return [Atom(scripted(ARROWS[name], "^", *self._script(arguments[-1])), AtomKind.REL)]
            case "stackrel" | "overset":
                return [
                    Atom(
                        scripted(text, "^", *self._script(arguments[0])),
                        AtomKind.REL if text in RELATIONS else AtomKind.ORD,
                    )
                ]
            case "underset":
                return [Atom(scripted(text, "_", *self._script(arguments[0])), AtomKind.NAME)]
            case "textsuperscript" | "textsubscript":
                sign = "^" if name == "textsuperscript" else "_"
                return [Atom(scripted("", sign, *self._script(arguments[-1])), AtomKind.ORD)]
            case "unicode":
                return [Atom(unicode_character(_source(arguments[-1])), AtomKind.ORD)]
            case _ if name in QUANTITIES:
                return [Atom(quantity(name, [_source(one) for one in arguments[1:] if one is not None]), AtomKind.ORD)]
            case "not":
                return [Atom(accented(text, "\u0338", name), AtomKind.REL)]
            case "ding":
                return [Atom(dingbat(text), AtomKind.ORD)]
            case "pmod":
                return [Atom(" ", AtomKind.SPACE), Atom(f"(mod {text})", AtomKind.ORD)]
            case "tag":
                return [Atom(" ", AtomKind.SPACE), Atom(f"({text})", AtomKind.ORD)]
            case "inner":
                return [Atom(f"⟨{self._text(first)}, {text}⟩", AtomKind.ORD)]
            case "norm" | "abs" | "ceil" | "floor" | "set":
                around = {"norm": "‖‖", "abs": "||", "ceil": "⌈⌉", "floor": "⌊⌋", "set": "{}"}[name]
                return [Atom(f"{around[0]}{text}{around[1]}", AtomKind.ORD)]
            case _:
                return self.atoms(last)

    def _words(self, name: str, nodes: list[object]) -> list[Atom]:
        r"""The words of a `\text{…}`: spaces count there and signs take none."""
        parts: list[str] = []
        for node in nodes:
            for child in _children(node) if type(node).__name__ == "LatexGroupNode" else [node]:
                if type(child).__name__ == "LatexCharsNode":
                    parts.append(str(_field(child, "chars")))
                else:
                    atoms = self.atoms([child])
                    parts += [
                        join(atoms) if any(a.kind is not AtomKind.SPACE for a in atoms) else " " * len(atoms),
                        str(_field(child, "macro_post_space") or ""),
                    ]
        text = "".join(parts).replace("``", "“").replace("''", "”")
        bare = text.strip()
        named = name in ("operatorname", "mathop") or bare in NAMED
        space, tight = Atom(" ", AtomKind.SPACE), name in TIGHT
        return [
            *([space] if text[:1].isspace() and not tight else []),
            *([Atom(bare, AtomKind.NAME if named else AtomKind.TEXT)] if bare else []),
            *([space] if bare and text[-1:].isspace() and not tight else []),
        ]


def dingbat(number: str) -> str:
    """The character of pifont's number: check marks, crosses and circled figures."""
    if not (number.isascii() and number.isdecimal()):
        return number
    code = int(number[:4])
    if 172 <= code <= 181:
        return chr(0x2460 + code - 172)
    if 182 <= code <= 191:
        return chr(0x2776 + code - 182)
    return _DINGBATS.get(code, "•")


def _kind(name: str, reading: str) -> AtomKind:
    if reading == " ":
        return AtomKind.SPACE
    if name == "colon":
        return AtomKind.PUNCT
    if name in _BARS:
        return {"l": AtomKind.OPEN, "r": AtomKind.CLOSE}.get(name[0], AtomKind.BAR)
    if name in ("uparrow", "downarrow", "top", "bot"):
        return AtomKind.ORD
    groups = (
        (RELATIONS, AtomKind.REL),
        (OPERATIONS, AtomKind.BIN),
        (BIG, AtomKind.OP),
        (_OPENING, AtomKind.OPEN),
        (_CLOSING, AtomKind.CLOSE),
    )
    return next((kind for signs, kind in groups if reading in signs), AtomKind.NAME if name in NAMED else AtomKind.ORD)


def _characters(text: str) -> list[Atom]:
    atoms: list[Atom] = []
    for piece in _TOKEN.findall(text):
        if piece.isspace():
            atoms.append(Atom(" ", AtomKind.SPACE))
        elif piece in _OPENING:
            atoms.append(Atom(piece, AtomKind.OPEN))
        elif piece in _CLOSING:
            atoms.append(Atom(piece, AtomKind.CLOSE))
        elif piece in ",;":
            atoms.append(Atom(piece, AtomKind.PUNCT))
        elif piece in ("--", "---"):
            atoms.append(Atom("–" if piece == "--" else "—", AtomKind.BIN))
        elif piece in _SIGNS:
            atoms.append(Atom(piece, AtomKind.BIN))
        elif piece[0].isalpha() and len(piece) > 1 and piece not in NAMED:
            # a run of letters is a product, and a script belongs to the last of them
            atoms += [Atom(piece[:-1], AtomKind.ORD), Atom(piece[-1], AtomKind.ORD)]
        else:
            atoms.append(Atom(piece, AtomKind.ORD))
    return atoms


def _field(node: object, name: str) -> object:
    return getattr(node, name, None)


def _source(node: object) -> str:
    """The LaTeX of an argument, without its braces."""
    written = getattr(node, "latex_verbatim", str)()
    return str(written).strip().removeprefix("{").removesuffix("}")


def _children(node: object) -> list[object]:
    children = _field(node, "nodelist")
    return list(children) if isinstance(children, list | tuple) else []


def _arguments(node: object) -> list[object]:
    parsed = _field(_field(node, "nodeargd"), "argnlist")
    return list(parsed) if isinstance(parsed, list | tuple) else []


MAX_FORMULA = 4_000
"""Characters; a longer formula stays as its source."""
_MAX_DEPTH = 30
"""Groups in groups; a deeper formula stays as its source."""

_SCRIPT_ON_COMMAND = re.compile(r"([\^_]) ?(\\[dt]?frac ?\{[^{}]*\}|\\[A-Za-z]+) ?(\{[^{}]*\})")
_SCRIPT_IN_FRACTION = re.compile(
    r"(\\[dtc]?frac) ?(\\[A-Za-z]+|[A-Za-z0-9])([\^_](?:\{[^{}]*\}|\\[A-Za-z]+|[^\s{}\\])) ?(?=[\\{A-Za-z0-9])"
)
_BARE_PERCENT = re.compile(r"(?<!\\)%")
_DOUBLE_SUPERSCRIPT = re.compile(r"\^\s*(?=\^)")
_ESCAPED_SCRIPT = re.compile(r"(?<=[\w})])\\_(?=[{\\])")
_PIECE = re.compile(r"\\.|[{}]|[^\\{}]+|\\", re.DOTALL)


@lru_cache(maxsize=8_192)
def formula_text(source: str) -> str:
    """The text of a formula given without its delimiters; its own source where there is no plain reading."""
    folded = " ".join(source.split())
    if not folded or len(folded) > MAX_FORMULA:
        return folded
    prepared = _prepared(folded)
    if prepared is None:
        return folded
    from pylatexenc import latexwalker  # noqa: PLC0415 - heavy, and needed only by texts with LaTeX in them

    walker = latexwalker.LatexWalker(prepared, latex_context=_context(), tolerant_parsing=True)
    try:
        nodes = walker.get_latex_nodes()[0]
    except (latexwalker.LatexWalkerError, ValueError, IndexError):
        return folded
    return " ".join(plain_letters(join(Layout().atoms(list(nodes)))).split())


def _prepared(source: str) -> str | None:
    """The source with bare `%` escaped and its braces balanced, None where it nests too deep."""
    if "frac" in source:
        source = _SCRIPT_IN_FRACTION.sub(r"\1{\2\3}", source)
    source = _SCRIPT_ON_COMMAND.sub(r"\1{\2\3}", _DOUBLE_SUPERSCRIPT.sub("", _ESCAPED_SCRIPT.sub("_", source)))
    depth = deepest = 0
    kept: list[str] = []
    for piece in _PIECE.findall(_BARE_PERCENT.sub(r"\\%", source)):
        if piece == "}" and depth == 0:
            continue
        depth += (piece == "{") - (piece == "}")
        deepest = max(deepest, depth)
        kept.append(piece)
    return None if deepest > _MAX_DEPTH else "".join(kept).rstrip("\\") + "}" * depth


@cache
def _context() -> "macrospec.LatexContextDb":
    from pylatexenc import macrospec  # noqa: PLC0415 - see above

    context = macrospec.LatexContextDb()
    script = macrospec.MacroStandardArgsParser("{")
    context.add_context_category(
        "formulas",
        macros=[macrospec.MacroSpec(name, arguments) for name, arguments in SIGNATURES.items()],
        environments=[macrospec.EnvironmentSpec("array", "[{")],
        specials=[
            macrospec.SpecialsSpec("^", args_parser=script),
            macrospec.SpecialsSpec("_", args_parser=script),
            macrospec.SpecialsSpec("&"),
            macrospec.SpecialsSpec("~"),
        ],
    )
    context.set_unknown_macro_spec(macrospec.MacroSpec(""))
    context.set_unknown_environment_spec(macrospec.EnvironmentSpec(""))
    return context
