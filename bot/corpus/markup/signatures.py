"""Which commands of formulas take arguments, and how many. The names are facts of LaTeX and of its common packages."""

from bot.corpus.markup.names import names

ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "check": "\u030c", "tilde": "\u0303", "widetilde": "\u0303",
    "acute": "\u0301", "grave": "\u0300", "dot": "\u0307", "ddot": "\u0308", "breve": "\u0306", "bar": "\u0304",
    "vec": "\u20d7", "mathring": "\u030a", "widebar": "\u0304",
}  # fmt: skip
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

_ONE = (
    *CONTENT, *WORDS, *ACCENTS, *HIDDEN, "mathbb", "mbb", "bb", "pmod", "norm", "abs", "ceil", "floor", "set", "not",
    "tag", "textsuperscript", "textsubscript", "ding",
)  # fmt: skip
SIGNATURES: dict[str, str] = {
    **dict.fromkeys(_ONE, "{"),
    **dict.fromkeys(("operatorname", "hspace", "vspace", "tag"), "*{"),
    **dict.fromkeys((*FRACTIONS, *BINOMIALS, "stackrel", "overset", "underset", "textcolor", "inner", "href"), "{{"),
    **dict.fromkeys(("sqrt", "xrightarrow", "xleftarrow"), "[{"),
}
"""Command to its arguments: `{` one in braces, `[` an optional one, `*` an optional star."""

SILENT = names(
    "left right middle big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr Biggl Biggr displaystyle "
    "textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag rm bf it sf tt sc cal em scriptsize small "
    "tiny normalsize large Large bfseries itshape mathstrut strut allowbreak nobreak relax protect xspace "
    "displaylimits / - @ ! rmfamily centering boldmath unboldmath noindent hfill hline"
)
"""Shows nothing and takes nothing."""
