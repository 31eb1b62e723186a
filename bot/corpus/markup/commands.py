"""What LaTeX commands do in running text. The names are facts of LaTeX and of its common packages."""

from bot.corpus.markup import chars

STYLES = {
    **dict.fromkeys("textbf strong mathbf".split(), (chars.STRONG_OPEN, chars.STRONG_CLOSE)),
    **dict.fromkeys("emph textit textsl".split(), (chars.EM_OPEN, chars.EM_CLOSE)),
    **dict.fromkeys("texttt code lstinline".split(), (chars.CODE_OPEN, chars.CODE_CLOSE)),
    "enquote": ("“", "”"),
    "say": ("“", "”"),
    "footnote": (" (", ")"),
    "textsuperscript": (chars.SUP_OPEN, chars.SUP_CLOSE),
    "textsubscript": (chars.SUB_OPEN, chars.SUB_CLOSE),
    "title": ("", " "),
    "section": (" ", ": "),
    "subsection": (" ", ": "),
    "paragraph": (" ", " "),
}
"""Command with one argument: what stands before and after the argument."""

SWITCHES = {
    **dict.fromkeys("bf bfseries".split(), (chars.STRONG_OPEN, chars.STRONG_CLOSE)),
    **dict.fromkeys("em it sl itshape slshape".split(), (chars.EM_OPEN, chars.EM_CLOSE)),
}
"""Command that holds to the end of its group."""

CONTENT = frozenset(
    "textsc textsf textrm textup textmd textnormal mbox hbox fbox underline uline ul textul text makebox parbox "
    "centerline term texorpdfstring revise todo hl sout ensuremath".split(),
)
"""Command that shows its argument and nothing else."""

SILENT = frozenset(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr rm sc tt sf cal md up normalfont rmfamily ttfamily sffamily "
    "scshape mdseries upshape tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge xspace "
    "noindent centering raggedright protect relax maketitle selectfont smallskip medskip bigskip newpage clearpage "
    "displaystyle textstyle par newline linebreak nobreak allowbreak break hfill vfill looseness sloppy frenchspacing "
    "footnotemark nocite nonumber unskip ignorespaces leavevmode bgroup egroup".split(),
)
"""Command that shows nothing; `SPACES` are those that still part words."""
SPACES = frozenset("par newline linebreak newpage clearpage hfill quad qquad break smallskip medskip bigskip".split())

DROPPED_ARGUMENTS = {
    **dict.fromkeys(
        "label vspace hspace color input include bibliography bibliographystyle pagestyle nocite".split(), 1
    ),
    **dict.fromkeys("thispagestyle vskip hskip fontfamily fontseries fontshape setlength index".split(), 1),
    **dict.fromkeys("includegraphics phantom hphantom vphantom usepackage documentclass".split(), 1),
}
"""Command whose arguments are not text, and how many it takes."""
SKIPPED_FIRST = frozenset("textcolor colorbox fcolorbox raisebox resizebox scalebox rotatebox foreignlanguage".split())
"""Command whose first argument is a setting and whose last is the text."""

QUIET_CITATIONS = frozenset(
    "cite citep parencite autocite citealp Citep footcite supercite citealt citenum onlinecite cites".split(),
)
SPOKEN_CITATIONS = frozenset("citet textcite Citet citeauthor citeyear citeyearpar citetitle shortcite".split())
REFERENCES = frozenset("ref cref Cref eqref autoref pageref nameref autocref vref subref".split())

ABBREVIATIONS = {
    "eg": "e.g.", "ie": "i.e.", "etal": "et al.", "etc": "etc.", "wrt": "w.r.t.", "aka": "a.k.a.", "cf": "cf.",
    "vs": "vs.", "iid": "i.i.d.", "egno": "e.g", "ieno": "i.e", "viz": "viz.", "Eg": "E.g.", "Ie": "I.e.",
    "st": "s.t.", "dof": "d.o.f.", "resp": "resp.",
}  # fmt: skip
"""Macros of venue templates and habit that stand for an abbreviation."""

SPECIALS = {
    "%": "%", "&": "&", "#": "#", "$": "$", "{": "{", "}": "}", " ": " ", ",": " ", ";": " ", ":": " ", ">": ">",
    "!": "", "/": "", "@": "", "-": "", "\\": " ", "\n": " ", "\t": " ", "_": chars.UNDERSCORE, "*": chars.STAR,
    "[": chars.OPEN_BRACKET, "]": chars.CLOSE_BRACKET, "(": "(", ")": ")", "<": "<", "|": "‖", "+": "+",
}  # fmt: skip
"""What a backslash before one character that is no letter gives."""

ACCENTS = frozenset("'`^\"~=.cHkbdruvt")
NEEDS_ITS_CITATION = frozenset(
    "in of by from see and or to with as at for on than that follow following via e.g., e.g. i.e., cf. unlike like "
    "per use using used extend extends".split(),
)
"""Words after which a citation is part of the sentence."""
