"""What LaTeX commands of formulas read as and take: the library's table, corrected for readable text."""

from functools import cache

from bot.corpus.markup import chars
from bot.corpus.markup.units import QUANTITIES

# Sets of names written as one string, which reads better than a hundred quotation marks.


def names(listed: str) -> frozenset[str]:
    """The names of a list that white space parts."""
    return frozenset(listed.split())


_NOT_SYMBOLS = names("today image original estimates title author date maketitle i j id - nolinebreak textcompwordmark")
"""Names of the library's table that authors use as their own macros, or that stand for invisible characters."""

_GREEK = {"phi": "φ", "varphi": "φ", "epsilon": "ε", "varepsilon": "ε", "varTheta": "Θ", "varkappa": "κ"}
_OPERATORS = dict.fromkeys(
    names(
        "arg det dim ker gcd hom deg sec csc cot coth lim Pr argmax argmin softmax sigmoid softplus sign sgn poly "
        "polylog Var Cov KL tr Tr diag rank ReLU supp span vol dist proj prox erf conv"
    ),
    "",
)
_EXTRA = {
    # relations
    "sim": "~", "thicksim": "~", "lt": "<", "gt": ">", "leqslant": "≤", "geqslant": "≥", "leqq": "≤",
    "geqq": "≥", "ne": "≠", "models": "⊨", "vDash": "⊨", "lessapprox": "⪅", "gtrapprox": "⪆", "defeq": ":=",
    "coloneqq": ":=", "coloneq": ":=", "triangleq": "≜", "mid": "|", "given": "|", "colon": ":", "parallel": "‖",
    "iff": "⟺", "implies": "⟹", "impliedby": "⟸", "gets": "←", "longmapsto": "↦", "longrightarrow": "→",
    "longleftarrow": "←", "Longrightarrow": "⟹", "Longleftrightarrow": "⟺", "longleftrightarrow": "↔",
    "leadsto": "⇝", "owns": "∋", "supsetneqq": "⊋", "subsetneqq": "⊊", "thickapprox": "≈", "trianglerighteq": "⊵",
    "indep": "⊥", "perp": "⊥", "bot": "⊥", "top": "⊤", "independent": "⊥",
    # operations
    "cdot": "·", "cdotp": "·", "ast": "*", "star": "⋆", "bullet": "•", "div": "÷", "land": "∧", "lor": "∨",
    "lnot": "¬", "neg": "¬", "bigcup": "⋃", "bigcap": "⋂", "bigvee": "⋁", "bigwedge": "⋀", "bigsqcup": "⨆",
    "biguplus": "⨄", "bigodot": "⨀", "amalg": "⨿", "diamond": "⋄", "circ": "∘", "bmod": "mod", "mod": "mod",
    "ltimes": "⋉", "rtimes": "⋊", "bowtie": "⋈", "triangle": "△", "setminus": "∖", "backslash": "\\",
    # letters and marks
    "Re": "Re", "Im": "Im", "hslash": "ℏ", "hbar": "ℏ", "imath": "i", "jmath": "j", "wp": "℘", "eth": "ð",
    "square": "□", "Box": "□", "blacksquare": "■", "checkmark": "✓", "cmark": "✓", "xmark": "✗", "dagger": "†",
    "ddagger": "‡", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "degree": "°", "celsius": "°C",
    "clubsuit": "♣", "spadesuit": "♠", "heartsuit": "♥", "diamondsuit": "♦", "flat": "♭", "sharp": "♯",
    "natural": "♮", "lozenge": "◊", "bigstar": "★", "prime": "'", "textquotesingle": "'", "textquotedbl": '"',
    "textless": "<", "textgreater": ">", "textbar": "|", "textunderscore": "_", "textdollar": "$",
    "textbraceleft": "{", "textbraceright": "}", "textasciigrave": "`", "textasciicircum": "^", "texttrademark": "™",
    "textvisiblespace": " ", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "texteuro": "€", "euro": "€",
    "dots": "…", "cdots": "…", "vdots": "…", "ddots": "…", "hdots": "…", "hellip": "…",
    # brackets
    "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈",
    "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "|": "‖", "Vert": "‖", "lVert": "‖", "rVert": "‖", "vert": "|",
    "lvert": "|", "rvert": "|", "llbracket": "⟦", "rrbracket": "⟧", "{": "{", "}": "}",
    # what authors commonly define
    "R": "ℝ", "RR": "ℝ", "N": "ℕ", "NN": "ℕ", "Z": "ℤ", "ZZ": "ℤ", "C": "ℂ", "CC": "ℂ", "E": "𝔼", "EE": "𝔼",
    "eps": "ε", "veps": "ε", "vareps": "ε", "Reals": "ℝ", "reals": "ℝ",
    # spaces
    ",": " ", ";": " ", ":": " ", " ": " ", ">": " ", "!": "", "quad": " ", "qquad": " ", "enspace": " ",
    "thinspace": " ", "space": " ", "negthinspace": "", "\n": " ", "\t": " ",
    "%": "%", "&": "&", "#": "#", "$": "$", "_": "_",
}  # fmt: skip

RELATIONS = names(
    "= < > ≤ ≥ ≠ ≡ ≈ ~ ≃ ≅ ≍ ∼ ≪ ≫ ≲ ≳ ⪅ ⪆ ∝ ∈ ∉ ∋ ⊂ ⊃ ⊆ ⊇ ⊊ ⊋ ⊄ ≺ ≻ ≼ ≽ ⊢ ⊨ ⊥ → ← ↔ ↦ ⇒ ⇐ ⇔ ⟹ ⟸ ⟺ ⇝ ↑ ↓ ↠ ↪ ⇌ := ≜ "
    "≐ | ‖ ⟂"
)
"""Signs that stand between spaces when a command names them. Bars are here for `\\mid` and `\\parallel`."""
OPERATIONS = names("+ - − ± ∓ × · ÷ * ∘ ∪ ∩ ∧ ∨ ⊕ ⊗ ⊙ ⊖ ∖ ⋆ / • ⋈ mod")
NAMED = names(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max "
    "min Pr sec sin sinh sup tan tanh argmax argmin"
) | frozenset(_OPERATORS)
"""Functions whose name needs a space before its argument."""
BIG = names("∑ ∏ ∐ ∫ ∬ ∭ ∮ ⋃ ⋂ ⨆ ⋁ ⋀ ⨁ ⨂")


def unicode_character(code: str) -> str:
    r"""The character of MathJax's `\unicode{x2013}`, nothing for what is none."""
    digits = code.strip().lower()
    try:
        number = int(digits[1:], 16) if digits.startswith("x") else int(digits)
        return chars.clean(chr(number))
    except (ValueError, OverflowError):
        return ""


@cache
def symbols() -> dict[str, str]:
    """Command name (without its backslash) to the characters it stands for; ours win over the library's."""
    from pylatexenc import latex2text  # noqa: PLC0415 - heavy, and needed only by texts with LaTeX in them

    library = latex2text.get_default_latex_context_db()
    table: dict[str, str] = {}
    for spec in library.iter_macro_specs(["latex-base", "latex-approximations", "advanced-symbols"]):
        reading = spec.simplify_repl
        if isinstance(reading, str) and "%" not in reading and reading and spec.macroname not in _NOT_SYMBOLS:
            table[str(spec.macroname)] = reading
    return table | {name: name for name in NAMED} | {"liminf": "lim inf", "limsup": "lim sup"} | _GREEK | _EXTRA


# Which commands of formulas take arguments, and how many. The names are facts of LaTeX and of its common packages.

ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "check": "\u030c", "tilde": "\u0303", "widetilde": "\u0303",
    "acute": "\u0301", "grave": "\u0300", "dot": "\u0307", "ddot": "\u0308", "breve": "\u0306", "bar": "\u0304",
    "vec": "\u20d7", "mathring": "\u030a", "widebar": "\u0304",
}  # fmt: skip
ACCENTS |= {
    name.capitalize(): ACCENTS[name] for name in ("hat", "check", "tilde", "bar", "vec", "dot", "ddot", "breve")
}
"""Command to the combining character of its accent."""

CONTENT = names(
    "mathbf mathit mathcal mathscr mathfrak mathbbm mathds mathnormal boldsymbol bm pmb symbf symbfit symup symcal "
    "mathbin mathrel mathord mathopen mathclose mathpunct boxed overline underline overrightarrow overleftarrow "
    "overbrace underbrace ensuremath cancel mathlarger smash mathclap rlap llap bold msf mbf mcal bs mathsfit symsf "
    "substack uline ul"
)
"""Shows its argument as a formula; the typeface is lost."""

WORDS = names(
    "text textrm textbf textit textsf texttt textsc textsl textup textmd textnormal emph mbox hbox fbox mathrm "
    "mathsf mathtt operatorname mathop"
)
"""Shows its argument as words, whose spaces count (except in `TIGHT`)."""
TIGHT = names("mathrm mathsf mathtt operatorname mathop")

FRACTIONS = names("frac tfrac dfrac cfrac nicefrac sfrac textfrac")
BINOMIALS = names("binom tbinom dbinom")
HIDDEN = names("phantom hphantom vphantom label hspace vspace color")
"""Takes an argument and shows nothing."""

ARROWS = {"xrightarrow": "→", "xleftarrow": "←", "xRightarrow": "⇒", "xLeftarrow": "⇐", "xleftrightarrow": "↔"}
"""An arrow with what stands over it; the only command that shows something without its argument."""
ALSO_AUTHORS = names("mbb bb msf mbf mcal bs bold norm abs ceil floor set inner ul")
"""Names that authors also give to macros of their own: without an argument they are read as those."""

_ONE = (
    *CONTENT, *WORDS, *ACCENTS, *HIDDEN, "mathbb", "mbb", "bb", "pmod", "norm", "abs", "ceil", "floor", "set", "not",
    "tag", "textsuperscript", "textsubscript", "ding",
)  # fmt: skip
SIGNATURES: dict[str, str] = {
    **dict.fromkeys(_ONE, "{"),
    **dict.fromkeys(("operatorname", "hspace", "vspace", "tag"), "*{"),
    **dict.fromkeys((*FRACTIONS, *BINOMIALS, "stackrel", "overset", "underset", "textcolor", "inner", "href"), "{{"),
    **dict.fromkeys(("sqrt", *ARROWS, "unicode"), "[{"),
    **{name: "[" + "{" * count for name, count in QUANTITIES.items()},
}
"""Command to its arguments: `{` one in braces, `[` an optional one, `*` an optional star."""

SILENT = names(
    "left right middle big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr Biggl Biggr displaystyle "
    "textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag rm bf it sf tt sc cal em scriptsize small "
    "tiny normalsize large Large bfseries itshape mathstrut strut allowbreak nobreak relax protect xspace "
    "displaylimits / - @ ! rmfamily centering boldmath unboldmath noindent hfill hline"
)
"""Shows nothing and takes nothing."""
