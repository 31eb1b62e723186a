"""What LaTeX symbol commands read as: the library's table, with the corrections that readable text needs."""

from functools import cache

from bot.corpus.markup.names import names

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
