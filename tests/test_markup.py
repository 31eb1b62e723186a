"""What the parser makes of each construct that authors use, and of each that libraries are known to get wrong."""

import pytest

from bot.corpus.markup import parse
from bot.richtext import plain

# every row with the outcome that the product's requirements name
REQUIRED = [
    (r"$\tau$-Bench", "τ-Bench"),
    (r"bit-widths $\leq 4$, partly", "bit-widths ≤ 4, partly"),
    (r"achieves 89.29\% accuracy", "achieves 89.29% accuracy"),
    (r"up to **1.50**$\times$ training", "up to 1.50× training"),
    (r"up to **42.9**\% reduction", "up to 42.9% reduction"),
    (r"prior $p(a \mid v)$ and", "prior p(a | v) and"),
    (r"posterior $\pi(a \mid v, \ell)$.", "posterior π(a | v, ℓ)."),
    ("creates a ``Ratchet Effect'' that", "creates a “Ratchet Effect” that"),
    ("hard samples---those", "hard samples—those"),
    ("iterative Challenger--Solver loop", "iterative Challenger–Solver loop"),
    (r"only $\sim$25.5\% pass^1", "only ~25.5% pass^1"),
    (r"about $\sim$ 5 of $\sim 7$", "about ~5 of ~7"),
    (r"**$\phi$-balancing**, a", "φ-balancing, a"),
    ("(*e.g*., ecosystems)", "(e.g., ecosystems)"),
    ("a _``train-once, deploy-everywhere''_ paradigm", "a “train-once, deploy-everywhere” paradigm"),
    ("**PISA** (**P**rivacy-preserving **S**plit **A**daptation)", "PISA (Privacy-preserving Split Adaptation)"),
    (r"propose \textbf{Agent Primitives}, a", "propose Agent Primitives, a"),
    (r"about 3$\times$–4$\times$ more", "about 3×–4× more"),
    ("available at [here](https://github.com/a/b_c).", "available at here."),
    ("5% and $5, not $12", "5% and $5, not $12"),
    ("SCHUR-A* search, A*-style", "SCHUR-A* search, A*-style"),
    ("pass^1 of snake_case and __init__ is 2*3*4", "pass^1 of snake_case and __init__ is 2*3*4"),
    (r"\method is fast", "method is fast"),
]

# the pitfalls of pylatexenc's own converter
LATEX = [
    ("18% over base", "18% over base"),
    (r"\texttt{Foo}, \textsf{Bar}, \textmd{a}, \textup{b}, \mbox{c}", "Foo, Bar, a, b, c"),
    (r"\verb|x_1| and \citeauthor{lee} show", "x_1 and [lee] show"),
    (r"\href{https://a.org/b}{t} here", "t here"),
    (r"\foo{abc} is", "abc is"),
    (r"as known \citep{a}, and", "as known, and"),
    (r"as known (\citep{a; b}).", "as known."),
    (r"as known, \citep{a}, and (see \citep{a}; \citealp{b})", "as known, and (see [a])"),
    (r"findings of \citet{smith2020} providing", "findings of [smith2020] providing"),
    ("Fig.~1 shows ~90% of 5~10", "Fig. 1 shows ~90% of 5~10"),
    (r"norm $\|x\|_2$", "norm ‖x‖₂"),
    (r"$\widetilde{O}(n)$", "Õ(n)"),
    (r"$\tfrac{1}{2}$", "1/2"),
    (r"$\frac{a+b}{c+d}$", "(a+b)/(c+d)"),
    (r"$10^{-3}$", "10⁻³"),
    (r"$x^{n+1}$ and $x_{t+1}$", "x^(n+1) and x_(t+1)"),
    (r"$T^{2/3}$", "T^(2/3)"),
    (r"$\mathbf{W}$ in $\mathbb{R}^d$", "W in ℝ^d"),
    (r"$\mathbb{N}, \mathbb{Z}, \mathbb{C}, \mathbb{E}, \mathbb{P}$", "ℕ, ℤ, ℂ, 𝔼, P"),
    (r"\url{x}", "x"),
    (r"\url{https://a.org/50%25_b}", "https://a.org/50%25_b"),
    ("A & B", "A & B"),
    ("from $5 to $12", "from $5 to $12"),
    (r"$f\colon X$", "f: X"),
    (r"$a \xrightarrow{b} c$", "a →^b c"),
    (r"\textgreater 5 and \LaTeX", "> 5 and LaTeX"),
    (r"\textbf{abc", "abc"),
    ("abc} d", "abc} d"),
    (r"{\em inner} and {\rm outer} and $\left( x \right)$", "inner and outer and (x)"),
]

# the pitfalls of Markdown's own grammar, and what is right as it is
MARKDOWN = [
    (r"12.32\% and", "12.32% and"),
    (r"K\"ahler", "Kähler"),
    (r"\(x\) and \[y\]", "x and y"),
    ("``a'' and ``b''", "“a” and “b”"),
    ("$5-$12", "$5-$12"),
    (r"2$\times$", "2×"),
    (r"2$\times$4", "2×4"),
    ("https://x.org/_a_b_/c", "https://x.org/_a_b_/c"),
    ("**Foo:**bar", "Foo:bar"),
    ("**한국(KO)**은", "한국(KO)은"),
    (r"\textbf{a *b* $c$}", "a b c"),
    (r"$a_1$ and $a_n$", "a₁ and a_n"),
    ("**Open (never closed), a", "Open (never closed), a"),
    ("**Two** stars for significance p < 0.05**", "Two stars for significance p < 0.05**"),
    ("`code *x*` and ``word``", "code *x* and “word”"),
    ("f[x](y) stays", "f[x](y) stays"),
    ("![alt text](https://a.org/p.png)", "alt text"),
]

HTML = [
    ("<p>One <em>two</em></p><p>three.</p>", "One two three."),
    ("<p>split $x +</p><p>y$ math</p>", "split x + y math"),
    ("a &amp;lt; b &amp; c&#x27;s &quot;d&quot;", 'a < b & c\'s "d"'),
    ("AT&T and R&D; x<y, a <think> token", "AT&T and R&D; x<y, a <think> token"),
    ("<p>the <s> and <img> tokens <img src='a' alt='b'></p>", "the <s> and <img> tokens b"),
    ("H<sub>2</sub>O at 10<sup>-3</sup>", "H₂O at 10⁻³"),
    ("<ul><li>one</li><li>two</li></ul>", "• one • two"),
    ("<jats:p>A <jats:italic>b</jats:italic></jats:p>", "A b"),
    ("before <!-- never shown --> after", "before after"),
    ("before <!-- never closed", "before <!-- never closed"),
    ("<code>a_b</code> and <code>Predictor'' and a</code>Corrector''", "a_b and “Predictor” and a“Corrector”"),
    (r"\url{https://a.org/x<em>y</em>z}", "https://a.org/x_y_z"),
    ("<script>alert(1)</script>text", "text"),
    ("<fixed-case>BERT</fixed-case> in <tex-math>O(n^2)</tex-math>", "BERT in O(n²)"),
    ("of <mml:math><mml:mi>x</mml:mi></mml:math> here", "of x here"),
]

MORE = [
    (r"\begin{itemize}\item a \item b\end{itemize}", "• a • b"),
    (r"\begin{enumerate} \item a \item b \end{enumerate}", "(1) a (2) b"),
    ('Erd\\H{o}s, Djokovi\\\'{c}, G\\"odel, na\\"{\\i}ve, \\c{c}, \\o, \\ss', "Erdős, Djoković, Gödel, naïve, ç, ø, ß"),
    (r"said \"hello\" twice", 'said "hello" twice'),
    (r"over 20{,}000 and $10{,}000$", "over 20,000 and 10,000"),
    ("tuning {GPU} kernels, d in {2, 5}", "tuning GPU kernels, d in {2, 5}"),
    (r"10^{-3} and x_{t+1} outside, 2^{O({k}/n)}, CO _{2}", "10⁻³ and x_(t+1) outside, 2^(O(k/n)), CO₂"),
    (r"\eg, this \ie that, \etal. and \method{} wins", "e.g., this i.e. that, et al. and method wins"),
    (r"fast.\footnote{Code at \url{https://a.org/b}.} Next", "fast. (Code at https://a.org/b.) Next"),
    ("a new extbf{High} one, 16$ imes$16, mph{i.e.}, x", "a new High one, 16×16, i.e., x"),
    (r"$23\\%$ and $4\\times$", "23% and 4×"),
    ("$5.92\times$ and $3\times 3$", "5.92× and 3×3"),  # a real tab, where a program read an escape
    (r"$\textit{``coarse-to-fine''}$ process", "“coarse-to-fine” process"),
    (r"$\textit{uses $\underline{D}$ual paths}$", "uses Dual paths"),
    (r"accuracy \textcolor{red}{drops} \color{blue} by", "accuracy drops by"),
    ("𝐖 and 𝔼 and ℝ", "W and 𝔼 and ℝ"),
    ("a\u200bb \u202eevil\u202c c\x00d", "ab evil cd"),
    ("run with --verbose --fast", "run with --verbose --fast"),
    ("costs US$ 5, A$7 and 20$ (about $1.5k)", "costs US$ 5, A$7 and 20$ (about $1.5k)"),
    (r"inference\back-propagation", "inference/back-propagation"),
    (r"only \passhat{1}", "only passhat(1)"),
]

# what publishers, exports and other programs make of a text on its way
FROM_ELSEWHERE = [
    ("The decay favours $2^-$ over $1^-$", "The decay favours 2⁻ over 1⁻"),
    ("it costs $2-$3 or $5", "it costs $2-$3 or $5"),
    ("for $s, t $ given, and $5, or so $ more", "for s, t given, and $5, or so $ more"),
    ("near the ^{76}Ge line, CO _{2}, {}^{14}C and $^{76}$Ge", "near the ⁷⁶Ge line, CO₂, ¹⁴C and ⁷⁶Ge"),
    (
        r"a walk$\unicode{x2013}$without steps \unicode{8212} \unicode[arial]{x3b1} \unicode{zz}",
        "a walk–without steps — α",
    ),
    ("H&lt;sub&gt;2&lt;/sub&gt;O, 10&amp;lt;sup&amp;gt;-3&amp;lt;/sup&amp;gt;", "H₂O, 10⁻³"),
    ("if a &lt;b&gt; c, then x&lt;i", "if a <b> c, then x<i"),
    (
        (
            "<jats:title>Abstract</jats:title><jats:p>We do.</jats:p><jats:sec><jats:title>So</jats:title>It holds."
            "<jats:list><jats:list-item>one</jats:list-item></jats:list></jats:sec>"
        ),
        "We do. So: It holds. • one",
    ),
    ("by <jats:sc>Name</jats:sc> <jats:underline>u</jats:underline><jats:xref>1</jats:xref>", "by Name u1"),
    ("<sec><title>Aims</title><p>We do.</p></sec>", "Aims: We do."),
    (
        '<AbstractText Label="AIMS" NlmCategory="X">We do.</AbstractText><AbstractText>It holds.</AbstractText>',
        "AIMS: We do. It holds.",
    ),
    ("a List<title> and <uri> of <label> tokens", "a List<title> and <uri> of <label> tokens"),
    (
        (
            'at <math xmlns="http://www.w3.org/1998/Math/MathML">'
            "<msub><mi>T</mi><mi>c</mi></msub><mo>=</mo><mn>4</mn></math> K"
        ),
        "at T_c = 4 K",
    ),
    ("with <mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math> growth", "with x² growth"),
    (
        "<math><mfrac><mn>1</mn><msqrt><mi>n</mi></msqrt></mfrac><mo>≤</mo><mover><mi>x</mi><mo>^</mo></mover></math>",
        "1/√n ≤ x̂",
    ),
    (
        "<math><msubsup><mi>x</mi><mn>1</mn><mi>n</mi></msubsup><mi>sin</mi><mfenced><mi>a</mi><mi>b</mi></mfenced></math>",
        "x₁^n sin(a, b)",
    ),
    (
        (
            "<jats:inline-formula><jats:alternatives><jats:tex-math>$$x_1$$</jats:tex-math><mml:math><mml:mi>x</mml:mi>"
            "</mml:math></jats:alternatives></jats:inline-formula> ends"
        ),
        "x₁ ends",
    ),
    ("<math><semantics><mi>y</mi><annotation encoding='application/x-tex'>y^2</annotation></semantics></math>", "y²"),
    ("the model\x92s loss\x97small, an \x93odd\x94 one\x85", "the model’s loss—small, an “odd” one…"),
    (
        "a way{—}causal{—}that, Kullback{–}Leibler, {“}set{”}, {\\em {two-spin} model}",
        "a way—causal—that, Kullback–Leibler, “set”, two-spin model",
    ),
    (
        r"takes \[ \frac{1}{\eta} \]{to} end and \(k_F\){is} first, $x${and} so",
        "takes 1/η to end and k_F is first, x and so",
    ),
    (
        "The rates are n<i and m>j while k<a or l>c, x<b>y; see x<p and q>1.",
        "The rates are n<i and m>j while k<a or l>c, x<b>y; see x<p and q>1.",
    ),
    ("an emph{flat} set, textbf{two}, url{https://a.org}, $mathcal{X}$", "an flat set, two, https://a.org, X"),
    (r"vectors $\bb$ and $\bx$ with $\norm$ and $\set{a}$", "vectors b and x with norm and {a}"),
    (r"at \SI{5}{\ms}, \num{1e5}, \qty{3}{kg}, $\SI{9.8}{\meter\per\second\squared}$", "at 5 ms, 1e5, 3 kg, 9.8 m/s²"),
    (
        (
            r"\SI[per-mode=symbol]{40}{\percent}, \SIrange{1}{5}{\kilo\hertz}, \ang{30}, \si{\micro\metre}, "
            r"\SI{4}{\cubic\cm}"
        ),
        "40%, 1 to 5 kHz, 30°, µm, 4 cm³",
    ),
    (r"up to $\Tilde O(n)$ and $\Hat{x}$", "up to Õ(n) and x̂"),
    (r"the map \frac{dy}y, \frac12 and $\dfrac\beta^*2$", "the map dy/y, 1/2 and β*/2"),
]

FORMULAS = [
    (r"O(n\log n)", "O(n log n)"),
    (r"\tilde{O}(\sqrt{d^3 T})", "Õ(√(d³ T))"),
    (r"\sum_{i=1}^{n} x_i y_i", "∑_(i=1)^n x_i y_i"),
    (r"x \in \mathcal{X}", "x ∈ X"),
    ("n=5", "n=5"),
    ("n = 5", "n = 5"),
    (r"\rho = -0.5", "ρ = -0.5"),
    (r"1 \pm 0.3", "1 ± 0.3"),
    (r"\pm 0.3", "±0.3"),
    (r"D_{\mathrm{KL}}(p\,\|\,q)", "D_KL(p ‖ q)"),
    (r"\hat{y}_i", "ŷ_i"),
    (r"\hat{\theta}^{\top} x", "θ̂^T x"),
    (r"A^*", "A*"),
    (r"\theta^\star", "θ*"),
    (r"n^{\text{th}}", "nth"),
    (r"90^\circ", "90°"),
    (r"\{1,\dots,n\}", "{1, …, n}"),
    (r"{n \choose k} + {a \over b+c}", "(n choose k) + a/(b+c)"),
    (r"x_1^2 + x_t^2", "x₁² + x_t^2"),
    (r"\Delta_{F_m}", "Δ_(F_m)"),
    (r"\frac{1}{\sqrt{n}}", "1/√n"),
    (r"\sqrt{KdT}", "√(KdT)"),
    (r"\min_{x \in X} f(x)", "min_(x∈X) f(x)"),
    (r"90\%", "90%"),
    ("90%", "90%"),
    (r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", "[1 2; 3 4]"),
    (r"\bfx + \calO + \ours", "x + O + ours"),
    (r"f^\frac{1}{2}", "f^(1/2)"),
    (r"p_{1:T}, x^{(i)}", "p_(1:T), x^(i)"),
    (r"\text{if } x > 0", "if x > 0"),
    (r"\mathbb{R}^{2k}, e^{i\pi}, x_{ij}, x^{ab}, x^{\text{max}}", "ℝ^(2k), e^(iπ), x_ij, x^(ab), x^max"),
    (r"\mathrm{Ca}^{2+}", "Ca²⁺"),
    (r"\operatorname*{arg\,min}_x f(x)", "arg min_x f(x)"),
]


@pytest.mark.parametrize(("source", "expected"), [*REQUIRED, *LATEX, *MARKDOWN, *HTML, *MORE, *FROM_ELSEWHERE])
def test_reads_as_a_person_would_type(source: str, expected: str) -> None:
    assert plain(parse(source)) == expected


@pytest.mark.parametrize(("source", "expected"), FORMULAS)
def test_formula(source: str, expected: str) -> None:
    assert plain(parse(f"before ${source}$ after")) == f"before {expected} after"


def test_markdown_lines_stay_readable() -> None:
    assert plain(parse("# Title\n\nWe show:\n- one\n- two\n")) == "Title We show: • one • two"


def test_empty_sources_give_nothing() -> None:
    assert [parse(source) for source in ("", "  \n\t ", "\x00\u200b", "<p></p>", "$ $")][:4] == [(), (), (), ()]
