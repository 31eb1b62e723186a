"""What LaTeX commands do in running text. The names are facts of LaTeX and of its common packages."""

from functools import cache

from bot.corpus.markup import chars
from bot.corpus.markup.symbols import SIGNATURES, names, symbols

STYLES = {
    **dict.fromkeys(names("textbf strong mathbf"), (chars.STRONG_OPEN, chars.STRONG_CLOSE)),
    **dict.fromkeys(names("emph textit textsl"), (chars.EM_OPEN, chars.EM_CLOSE)),
    **dict.fromkeys(names("texttt code lstinline"), (chars.MONO_OPEN, chars.MONO_CLOSE)),
    "enquote": ("“", "”"),
    "say": ("“", "”"),
    "footnote": (" (", ")"),
    "title": ("", " "),
    "section": (" ", ": "),
    "subsection": (" ", ": "),
    "paragraph": (" ", " "),
}
"""Command with one argument: what stands before and after the argument."""

SWITCHES = {
    **dict.fromkeys(names("bf bfseries"), (chars.STRONG_OPEN, chars.STRONG_CLOSE)),
    **dict.fromkeys(names("em it sl itshape slshape"), (chars.EM_OPEN, chars.EM_CLOSE)),
}
"""Command that holds to the end of its group."""

CONTENT = names(
    "textsc textsf textrm textup textmd textnormal mbox hbox fbox underline uline ul textul text makebox parbox "
    "centerline term revise todo hl sout"
)
"""Command that shows its argument and nothing else."""

SILENT = names(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr rm sc tt sf cal md up normalfont rmfamily ttfamily sffamily "
    "scshape mdseries upshape tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge xspace "
    "noindent centering raggedright protect relax maketitle selectfont smallskip medskip bigskip newpage clearpage "
    "displaystyle textstyle par newline linebreak nobreak allowbreak break hfill vfill looseness sloppy frenchspacing "
    "footnotemark nocite nonumber unskip ignorespaces leavevmode bgroup egroup"
)
"""Command that shows nothing; `SPACES` are those that still part words."""
SPACES = names("par newline linebreak newpage clearpage hfill quad qquad break smallskip medskip bigskip")

SKIPPED = {
    **dict.fromkeys(
        names("label vspace hspace color input include bibliography bibliographystyle pagestyle"), (1, False)
    ),
    **dict.fromkeys(names("thispagestyle vskip hskip fontfamily fontseries fontshape index nocite"), (1, False)),
    **dict.fromkeys(names("includegraphics phantom hphantom vphantom usepackage documentclass"), (1, False)),
    **dict.fromkeys(names("setlength addtolength setcounter"), (2, False)),
    **dict.fromkeys(names("textcolor colorbox raisebox scalebox rotatebox foreignlanguage fontsize"), (1, True)),
    **dict.fromkeys(names("fcolorbox resizebox"), (2, True)),
}
"""Command to the number of its arguments that are settings, and whether a text follows them."""

CITATIONS = {
    **dict.fromkeys(
        names("cite citep parencite autocite citealp Citep footcite supercite citealt citenum cites"), False
    ),
    **dict.fromkeys(names("citet textcite Citet citeauthor citeyear citeyearpar citetitle shortcite"), True),
    **dict.fromkeys(names("ref cref Cref eqref autoref pageref nameref autocref vref subref"), True),
}
"""Command that points to a work or a place, and whether the sentence always needs it."""
LISTS = names("itemize enumerate description")
MATH_ENVIRONMENTS = names("equation align gather multline displaymath math eqnarray alignat flalign")

ABBREVIATIONS = {
    "eg": "e.g.", "ie": "i.e.", "etal": "et al.", "etc": "etc.", "wrt": "w.r.t.", "aka": "a.k.a.", "cf": "cf.",
    "vs": "vs.", "iid": "i.i.d.", "egno": "e.g", "ieno": "i.e", "viz": "viz.", "Eg": "E.g.", "Ie": "I.e.",
    "st": "s.t.", "dof": "d.o.f.", "resp": "resp.",
}  # fmt: skip
"""Macros of venue templates and habit that stand for an abbreviation."""

ESCAPES = {
    "%": "%", "&": "&", "#": "#", "$": "$", "{": "{", "}": "}", " ": " ", ",": " ", ";": " ", ":": " ", ">": ">",
    "!": "", "/": "", "@": "", "-": "", "\\": " ", "\n": " ", "\t": " ", "_": chars.UNDERSCORE, "*": chars.STAR,
    "[": chars.OPEN_BRACKET, "]": chars.CLOSE_BRACKET, "(": "(", ")": ")", "<": "<", "|": "‖",
}  # fmt: skip
"""What a backslash before one character that is no letter gives."""

ACCENTS = frozenset("'`^\"~=.cHkbdruvt")
CURLY_ACCENTS = {"’": "'", "‘": "`", "´": "'", "”": '"', "“": '"'}
"""Accents whose mark an editor made typographic."""
NEEDS_CITATION = names(
    "in of by from see and or to with as at for on than that follow following via e.g., e.g. i.e., cf. unlike like "
    "per use using used extend extends"
)
"""Words after which a citation is part of the sentence."""


@cache
def _names() -> frozenset[str]:
    return frozenset((
        *STYLES, *SWITCHES, *CONTENT, *SILENT, *SKIPPED, *CITATIONS, *ABBREVIATIONS, *SIGNATURES, *symbols(),
        "begin", "end", "item", "href", "url", "verb",
    ))  # fmt: skip


def known(name: str) -> bool:
    r"""Whether `\name` is a command of LaTeX, of a common package, or of habit."""
    return name in _names()
