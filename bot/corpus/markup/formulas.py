r"""From a LaTeX formula to the text that a person would type for it: `\pi(a \mid v)` to `π(a | v)`.

pylatexenc's walker takes the formula apart (one guarded call) and `layout` puts the pieces side by side; the library's
own converter drops brackets and turns letters into Mathematical Alphanumerics.
"""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from bot.corpus.markup.atoms import join
from bot.corpus.markup.chars import plain_letters
from bot.corpus.markup.layout import Layout
from bot.corpus.markup.symbols import SIGNATURES

if TYPE_CHECKING:
    from pylatexenc import macrospec

MAX_FORMULA = 4_000
"""Characters; a longer formula stays as its source."""
_MAX_DEPTH = 30
"""Groups in groups; a deeper formula stays as its source."""

_SCRIPT_ON_COMMAND = re.compile(r"([\^_]) ?(\\[dt]?frac ?\{[^{}]*\}|\\[A-Za-z]+) ?(\{[^{}]*\})")
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
