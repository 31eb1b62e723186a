"""The nodes that the parser gives: nesting, links, formulas, white space."""

import pytest

from bot.corpus.markup import parse
from bot.richtext import Code, Emphasis, Inlines, Link, Math, Strong, Text


def _link(url: str) -> Link:
    return Link(url, (Text(url),))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**P**rivacy", (Strong((Text("P"),)), Text("rivacy"))),
        ("<strong>P</strong>rivacy", (Strong((Text("P"),)), Text("rivacy"))),
        (r"\textbf{P}rivacy", (Strong((Text("P"),)), Text("rivacy"))),
        ("*a* _b_", (Emphasis((Text("a"),)), Text(" "), Emphasis((Text("b"),)))),
        (r"\emph{a \textbf{b}} c", (Emphasis((Text("a "), Strong((Text("b"),)))), Text(" c"))),
        (r"{\bf a} b", (Strong((Text("a"),)), Text(" b"))),
        ("***both***", (Emphasis((Strong((Text("both"),)),)),)),
        (r"**a \textbf{b} c**", (Strong((Text("a b c"),)),)),
        ("<b>a </b>b", (Strong((Text("a"),)), Text(" b"))),
        (r"\textbf{a *b* $c$}", (Strong((Text("a "), Emphasis((Text("b"),)), Text(" "), Math("c", "c"))),)),
        ("<b>a <i>b</b> c</i>", (Strong((Text("a "), Emphasis((Text("b"),)))), Text(" "), Emphasis((Text("c"),)))),
        ("`x_1 $y$`", (Code("x_1 $y$"),)),
        (r"\texttt{a\_b}", (Code("a_b"),)),
        ("<code>a*b*c</code>", (Code("a*b*c"),)),
        (r"$\tau$-Bench", (Math("τ", r"\tau"), Text("-Bench"))),
        (r"\(\leq 4\)", (Math("≤ 4", r"\leq 4"),)),
        (r"**$\phi$-x**", (Strong((Math("φ", r"\phi"), Text("-x"))),)),
        (r"$\textbf{Name}$", (Strong((Text("Name"),)),)),
    ],
)
def test_nodes(source: str, expected: Inlines) -> None:
    assert parse(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[here](https://a.org/b_c)", (Link("https://a.org/b_c", (Text("here"),)),)),
        ("[**x** y](https://a.org/(z))", (Link("https://a.org/(z)", (Strong((Text("x"),)), Text(" y"))),)),
        (
            r"\href{https://a.org/b\_c}{the \emph{code}}",
            (Link("https://a.org/b_c", (Text("the "), Emphasis((Text("code"),)))),),
        ),
        ('<a href="http://a.org">t</a>', (Link("http://a.org", (Text("t"),)),)),
        ("see https://a.org/b.", (Text("see "), _link("https://a.org/b"), Text("."))),
        ("(https://a.org/b_(c))", (Text("("), _link("https://a.org/b_(c)"), Text(")"))),
        ("**https://a.org/b**!", (Strong((_link("https://a.org/b"),)), Text("!"))),
        ("<https://a.org/~u?q=1&r=%20>", (_link("https://a.org/~u?q=1&r=%20"),)),
        (r"\url{https://a.org/50\%_x}", (_link("https://a.org/50%_x"),)),
        ("[https://a.org](https://a.org)", (_link("https://a.org"),)),
        ("https://a.org/a--b~c$d_e_f*g", (_link("https://a.org/a--b~c$d_e_f*g"),)),
        ("HTTPS://A.org/x", (_link("HTTPS://A.org/x"),)),
        ("[page](https://a.org/_u_) now", (Link("https://a.org/_u_", (Text("page"),)), Text(" now"))),
        ("at <url>https://a.org/a_b</url>.", (Text("at "), _link("https://a.org/a_b"), Text("."))),
        ('<jats:ext-link xlink:href="https://a.org/a">t</jats:ext-link>', (Link("https://a.org/a", (Text("t"),)),)),
        ("<jats:monospace>f_x</jats:monospace>", (Code("f_x"),)),
    ],
)
def test_links(source: str, expected: Inlines) -> None:
    assert parse(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "[label](javascript:alert(1))",
        "[label](mailto:a@b.org)",
        r"\href{file:///etc/passwd}{label}",
        '<a href="javascript:alert(1)">label</a>',
        '<a href="/relative">label</a>',
        "[label](ftp://a.org)",
    ],
)
def test_other_schemes_are_their_label(source: str) -> None:
    assert parse(source) == (Text("label"),)


def test_an_address_without_scheme_is_text_with_its_underscores() -> None:
    assert parse("at github.com/_a_b_c/d and www.x.org/_q_") == (Text("at github.com/_a_b_c/d and www.x.org/_q_"),)


def test_the_html_link_text_that_is_an_address_is_not_a_link_in_a_link() -> None:
    assert parse('<a href="https://a.org/x">https://a.org/x</a>') == (_link("https://a.org/x"),)


def test_white_space_is_folded_across_nodes() -> None:
    assert parse("  a \n **b** \t c  ") == (Text("a "), Strong((Text("b"),)), Text(" c"))


def test_deep_nesting_stays_shallow() -> None:
    assert parse(r"\textbf{" * 5_000 + "x" + "}" * 5_000) == (Strong((Text("x"),)),)
    assert parse("<b>" * 5_000 + "x") == (Strong((Text("x"),)),)
