"""From a LaTeX formula to the text that a person would type for it: `\\pi(a \\mid v)` to `π(a | v)`.

`formula_text` lets pylatexenc's walker take the formula apart (one guarded call) and lays the nodes out here,
because the library's own converter drops brackets and turns letters into Mathematical Alphanumerics.
"""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from bot.corpus.markup.atoms import Atom, Kind, accented, atomic, bracketed, join, scripted
from bot.corpus.markup.chars import plain_letters
from bot.corpus.markup.symbols import BIG, NAMED, OPERATIONS, RELATIONS, symbols

if TYPE_CHECKING:
    from pylatexenc import macrospec

MAX_FORMULA = 4_000
"""Characters; a longer formula stays as its source."""
_MAX_DEPTH = 30

_ONE_ARGUMENT = (
    "text textrm textbf textit textsf texttt textsc textsl textup textmd textnormal emph mbox hbox fbox mathrm "
    "mathbf mathit mathsf mathtt mathcal mathscr mathfrak mathbb mathbbm mathds mathnormal boldsymbol bm pmb symbf "
    "symbfit symup symcal operatorname mathop mathbin mathrel mathord mathopen mathclose mathpunct boxed "
    "overline underline overbrace underbrace overrightarrow overleftarrow widebar ensuremath cancel phantom "
    "hphantom vphantom label tag hspace vspace color hat widehat check tilde widetilde acute grave dot ddot breve "
    "bar vec mathring pmod substack norm abs ceil floor set mathlarger not uline ul bold textsuperscript "
    "textsubscript smash mathclap rlap llap operatorname*"
).split()
SIGNATURES = {
    **dict.fromkeys(_ONE_ARGUMENT, "{"),
    **dict.fromkeys("operatorname hspace vspace tag".split(), "*{"),
    **dict.fromkeys("frac tfrac dfrac cfrac nicefrac sfrac textfrac binom tbinom dbinom".split(), "{{"),
    **dict.fromkeys("stackrel overset underset textcolor inner href".split(), "{{"),
    **dict.fromkeys("sqrt xrightarrow xleftarrow".split(), "[{"),
}
_CONTENT = frozenset(
    "mathbf mathit mathcal mathscr mathfrak mathbbm mathds mathnormal boldsymbol bm pmb symbf symbfit symup symcal "
    "mathbin mathrel mathord mathopen mathclose mathpunct boxed overline underline overrightarrow overleftarrow "
    "ensuremath cancel mathlarger smash mathclap rlap llap widebar bold".split(),
)
_WORDS = frozenset(
    "text textrm textbf textit textsf texttt textsc textsl textup textmd textnormal emph mbox hbox fbox mathrm "
    "mathsf mathtt operatorname mathop operatorname* uline ul".split(),
)
_SILENT = frozenset(
    "left right middle big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr Biggl Biggr displaystyle "
    "textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag label hspace vspace color phantom "
    "hphantom vphantom rm bf it sf tt sc cal em scriptsize small tiny normalsize large Large bfseries itshape "
    "mathstrut strut allowbreak nobreak relax protect xspace displaylimits / - @ ! itshape rmfamily centering "
    "boldmath unboldmath noindent hfill hline".split(),
)
_ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "check": "\u030c", "tilde": "\u0303", "widetilde": "\u0303",
    "acute": "\u0301", "grave": "\u0300", "dot": "\u0307", "ddot": "\u0308", "breve": "\u0306", "bar": "\u0304",
    "vec": "\u20d7", "mathring": "\u030a", "widebar": "\u0304",
}  # fmt: skip
_DOUBLE_STRUCK = {"R": "ℝ", "N": "ℕ", "Z": "ℤ", "C": "ℂ", "E": "𝔼"}
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_SCRIPT_ON_COMMAND = re.compile(r"([\^_])\s*(\\[A-Za-z]+)\s*(\{[^{}]*\})")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
_TOKENS = re.compile(r"([:<>=!]=+|->|=>|<-|[0-9]+(?:[.,][0-9]+)*|[^\W\d_]+|\s+|.)", re.DOTALL)
_SIGNS = frozenset("= < > := == <= >= -> <- => != + - − * / × · ± ≤ ≥ ≠ ≈ ∈ → ~ ∼ ∪ ∩".split())
_OPENING, _CLOSING = frozenset("([{⟨⌊⌈⟦"), frozenset(")]}⟩⌋⌉⟧")


@cache
def _context() -> "macrospec.LatexContextDb":
    from pylatexenc import macrospec  # noqa: PLC0415 - heavy, and needed only by texts with LaTeX in them

    context = macrospec.LatexContextDb()
    script = macrospec.MacroStandardArgsParser("{")
    context.add_context_category(
        "formulas",
        macros=[macrospec.MacroSpec(name, signature) for name, signature in SIGNATURES.items()],
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


@lru_cache(maxsize=8_192)
def formula_text(source: str) -> str:
    """The text of a formula given without its delimiters; its own source where there is no plain reading."""
    folded = " ".join(source.split())
    if not folded or len(folded) > MAX_FORMULA:
        return folded
    prepared = _prepare(folded)
    if prepared is None:
        return folded
    from pylatexenc import latexwalker  # noqa: PLC0415 - see above

    walker = latexwalker.LatexWalker(prepared, latex_context=_context(), tolerant_parsing=True)
    try:
        nodes = walker.get_latex_nodes()[0]
    except (latexwalker.LatexWalkerError, ValueError, IndexError, RecursionError):
        return folded
    return " ".join(plain_letters(join(_Layout().nodes(nodes))).split())


def _prepare(source: str) -> str | None:
    """The source with bare `%` escaped and its braces balanced, None where it nests too deep."""
    source = _BARE_PERCENT.sub(r"\\%", _SCRIPT_ON_COMMAND.sub(r"\1{\2\3}", source))
    depth = deepest = position = 0
    kept: list[str] = []
    while position < len(source):
        char = source[position]
        if char == "\\":
            kept.append(source[position : position + 2])
            position += 2
            continue
        if char == "{":
            depth += 1
            deepest = max(deepest, depth)
        elif char == "}":
            if depth == 0:
                position += 1
                continue
            depth -= 1
        kept.append(char)
        position += 1
    return None if deepest > _MAX_DEPTH else "".join(kept) + "}" * depth


class _Layout:
    """Nodes of the walker to atoms; `compact` inside scripts, where signs take no spaces."""

    def __init__(self, compact: bool = False) -> None:
        self.compact = compact

    def text(self, node: object) -> str:
        """One argument as text, laid out on its own."""
        return join(self.nodes([node]), compact=self.compact).strip()

    def compact_text(self, node: object) -> str:
        """A script as text, without spaces around its signs."""
        return join(_Layout(compact=True).nodes([node]), compact=True).strip()

    def nodes(self, nodes: "list[object] | tuple[object, ...]") -> list[Atom]:
        """The atoms of a run of sibling nodes."""
        atoms: list[Atom] = []
        pending: str | None = None
        for node in nodes:
            kind = type(node).__name__
            if pending is not None and kind == "LatexGroupNode":
                atoms[-1] = Atom(f"{pending}({join(self.nodes(_children(node))).strip()})", Kind.ORD)
                pending = None
                continue
            pending = None
            match kind:
                case "LatexCharsNode":
                    atoms.extend(_characters(str(_field(node, "chars"))))
                case "LatexGroupNode":
                    self._group(node, atoms)
                case "LatexMathNode" | "LatexEnvironmentNode":
                    atoms.extend(self.nodes(_children(node)))
                case "LatexSpecialsNode":
                    self._special(node, atoms)
                case "LatexMacroNode":
                    pending = self._macro(node, atoms)
                case _:
                    atoms.append(Atom(_verbatim(node), Kind.ORD))
        return atoms

    def _group(self, node: object, atoms: list[Atom]) -> None:
        inner = self.nodes(_children(node))
        if inner and any(name in _verbatim(node) for name in (r"\over", r"\choose")):
            inner = [Atom(join(inner), Kind.ORD)]
        atoms.extend(inner)

    def _special(self, node: object, atoms: list[Atom]) -> None:
        sign = str(_field(node, "specials_chars"))
        if sign in "^_":
            arguments = _arguments(node)
            script = self.compact_text(arguments[0]) if arguments else ""
            while atoms and atoms[-1].kind is Kind.SPACE:
                atoms.pop()
            base = atoms.pop() if atoms else Atom("", Kind.ORD)
            atoms.append(Atom(scripted(base.text, sign, script), base.kind))
        else:
            atoms.append(Atom(" ", Kind.SPACE))

    def _macro(self, node: object, atoms: list[Atom]) -> str | None:
        """Append what a command reads as; the name of an unknown one that may have an argument after it."""
        name = str(_field(node, "macroname"))
        after = bool(_field(node, "macro_post_space"))
        arguments = _arguments(node)
        if name in _SILENT:
            return None
        if name == "\\":
            atoms.append(Atom("; " if not self.compact else " ", Kind.SPACE))
            return None
        if name in SIGNATURES:
            atoms.extend(self._call(name, arguments))
            return None
        reading = symbols().get(name)
        if reading is None:
            atoms.append(Atom(name, Kind.NAME, after))
            return name if len(name) > 1 else None
        atoms.append(Atom(reading, _kind(name, reading), after))
        return None

    def _call(self, name: str, arguments: list[object]) -> list[Atom]:
        """A command with arguments."""
        first = arguments[0] if arguments else None
        last = arguments[-1] if arguments else None
        if name in _CONTENT:
            return self.nodes([last]) if last is not None else []
        if name in _WORDS:
            return _words(self._words(last), name)
        if name == "mathbb":
            letters = self.text(last)
            return [Atom("".join(_DOUBLE_STRUCK.get(c, c) for c in letters), Kind.ORD)]
        if name in _ACCENTS:
            return [Atom(accented(self.text(last), _ACCENTS[name], name), Kind.ORD)]
        if name.endswith("frac"):
            top, bottom = bracketed(self.text(first)), bracketed(self.text(last), product=True)
            return [Atom(f"{top}/{bottom}", Kind.FRACTION)]
        match name:
            case "sqrt":
                root = {"": "", "3": "∛", "4": "∜"}.get(index := self.text(first) if first else "")
                sign = "√" if root == "" else root or f"{index}√"
                return [Atom(sign + bracketed(self.text(last), product=True), Kind.ORD)]
            case "binom" | "tbinom" | "dbinom":
                return [Atom(f"({self.text(first)} choose {self.text(last)})", Kind.ORD)]
            case "xrightarrow" | "xleftarrow":
                arrow = "→" if name == "xrightarrow" else "←"
                return [Atom(scripted(arrow, "^", self.compact_text(last)), Kind.REL)]
            case "stackrel" | "overset":
                over, base = self.compact_text(first), self.text(last)
                return [Atom(scripted(base, "^", over), Kind.REL if base in RELATIONS else Kind.ORD)]
            case "underset":
                return [Atom(scripted(self.text(last), "_", self.compact_text(first)), Kind.OP)]
            case "pmod":
                return [Atom(" ", Kind.SPACE), Atom(f"(mod {self.text(last)})", Kind.ORD)]
            case "not":
                return [Atom(accented(self.text(last), "\u0338", name), Kind.REL, after=True)]
            case "norm":
                return [Atom(f"‖{self.text(last)}‖", Kind.ORD)]
            case "abs":
                return [Atom(f"|{self.text(last)}|", Kind.ORD)]
            case "ceil" | "floor":
                left, right = ("⌈", "⌉") if name == "ceil" else ("⌊", "⌋")
                return [Atom(f"{left}{self.text(last)}{right}", Kind.ORD)]
            case "inner":
                return [Atom(f"⟨{self.text(first)}, {self.text(last)}⟩", Kind.ORD)]
            case "textsuperscript" | "textsubscript":
                sign = "^" if name == "textsuperscript" else "_"
                return [Atom(scripted("", sign, self.compact_text(last)), Kind.ORD)]
            case "tag":
                return [Atom(f" ({self.text(last)})", Kind.ORD)]
            case _:
                return self.nodes([last]) if last is not None and name not in _SILENT else []

    def _words(self, node: object) -> str:
        """The words of a `\\text{…}`: spaces count there, signs take none."""
        parts: list[str] = []
        for child in _children(node) if type(node).__name__ == "LatexGroupNode" else [node]:
            if type(child).__name__ == "LatexCharsNode":
                parts.append(str(_field(child, "chars")))
            else:
                parts.append(join(self.nodes([child])))
                parts.append(str(_field(child, "macro_post_space") or ""))
        return "".join(parts).replace("``", "“").replace("''", "”")


def _words(text: str, name: str) -> list[Atom]:
    kind = Kind.NAME if name in ("operatorname", "mathop", "operatorname*") or text in NAMED else Kind.TEXT
    if name in ("mathrm", "mathsf", "mathtt", "operatorname"):
        text = text.strip()
    bare = text.strip()
    atoms = [Atom(" ", Kind.SPACE)] if text[:1].isspace() else []
    if bare:
        atoms.append(Atom(bare, kind))
    if bare and text[-1:].isspace():
        atoms.append(Atom(" ", Kind.SPACE))
    return atoms


def _kind(name: str, reading: str) -> Kind:
    if reading == " ":
        return Kind.SPACE
    if name in ("|", "Vert", "vert", "lVert", "rVert", "lvert", "rvert"):
        return Kind.BAR
    if reading in RELATIONS and name not in ("uparrow", "downarrow", "top", "bot"):
        return Kind.REL
    if reading in OPERATIONS:
        return Kind.BIN
    if reading in BIG:
        return Kind.OP
    if reading in _OPENING:
        return Kind.OPEN
    if reading in _CLOSING:
        return Kind.CLOSE
    return Kind.NAME if name in NAMED else Kind.ORD


def _characters(text: str) -> list[Atom]:
    atoms: list[Atom] = []
    for token in _TOKENS.findall(text):
        if token.isspace():
            atoms.append(Atom(" ", Kind.SPACE))
        elif token in _OPENING:
            atoms.append(Atom(token, Kind.OPEN))
        elif token in _CLOSING:
            atoms.append(Atom(token, Kind.CLOSE))
        elif token in ",;":
            atoms.append(Atom(token, Kind.PUNCT))
        elif token in _SIGNS:
            atoms.append(Atom(token, Kind.BIN))
        elif token[0].isalpha() and len(token) > 1 and token not in NAMED:
            # a run of letters is a product, and a script belongs to the last of them
            atoms.append(Atom(token[:-1], Kind.ORD))
            atoms.append(Atom(token[-1], Kind.ORD))
        else:
            atoms.append(Atom(token, Kind.ORD))
    return atoms


def _field(node: object, name: str) -> object:
    return getattr(node, name, None)


def _children(node: object) -> list[object]:
    children = _field(node, "nodelist")
    return list(children) if isinstance(children, list | tuple) else []


def _arguments(node: object) -> list[object]:
    parsed = _field(_field(node, "nodeargd"), "argnlist")
    return list(parsed) if isinstance(parsed, list | tuple) else []


def _verbatim(node: object) -> str:
    latex = _field(node, "latex_verbatim")
    return str(latex()) if callable(latex) else ""


__all__ = ["MAX_FORMULA", "atomic", "formula_text"]
