"""MathML to the LaTeX that would have been typed for it, which is then read like any other formula."""

from typing import TYPE_CHECKING

from bot.corpus.markup import chars
from bot.corpus.markup.symbols import names

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_DEEPEST = 40
"""Elements in elements; deeper ones give their characters."""
_SPACED = names("= < > + − ± × ≤ ≥ ≠ ≈ ~ ∼ ∈ → ↔ ⇒ ≪ ≫ ∝ ≡ ⊂ ⊆ | ∪ ∩")
_OVER = {
    "^": "hat",
    "ˆ": "hat",
    "~": "tilde",
    "˜": "tilde",
    "¯": "bar",
    "‾": "bar",
    "_": "bar",
    "→": "vec",
    "˙": "dot",
    "¨": "ddot",
}
_SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "#$%&_{}"} | {"\\": r"\backslash ", "^": r"\hat{}"})
_HIDDEN = names("annotation annotation-xml mphantom none mprescripts maligngroup malignmark")
_TEX = frozenset(("application/x-tex", "tex", "latex"))


def latex(node: "LexborNode", depth: int = 0) -> str:
    """The LaTeX of a MathML element, without delimiters."""
    tag = node.tag or ""
    if tag in ("-text", "mi", "mn", "mo", "mtext", "ms") or depth > _DEEPEST:
        return _characters(tag, chars.clean((node.text_content if tag == "-text" else node.text(deep=True)) or ""))
    children = [child for child in node.iter(include_text=False) if child.tag not in _HIDDEN]
    inner = [latex(child, depth + 1) for child in children]
    match tag, inner:
        case "semantics", _:
            return _annotated(node) or "".join(inner[:1])
        case (("msup" | "mover"), [base, over]) if tag == "mover" and over.strip() in _OVER:
            return f"\\{_OVER[over.strip()]}{{{base}}}"
        case (("msup" | "mover"), [base, over]):
            return f"{{{base}}}^{{{over}}}" if len(base.strip()) > 1 else f"{base.strip()}^{{{over}}}"
        case (("msub" | "munder"), [base, under]):
            return f"{{{base}}}_{{{under}}}" if len(base.strip()) > 1 else f"{base.strip()}_{{{under}}}"
        case (("msubsup" | "munderover"), [base, under, over]):
            return (
                f"{{{base}}}_{{{under}}}^{{{over}}}"
                if len(base.strip()) > 1
                else f"{base.strip()}_{{{under}}}^{{{over}}}"
            )
        case "mfrac", [above, below]:
            return f"\\frac{{{above}}}{{{below}}}"
        case "msqrt", _:
            return f"\\sqrt{{{''.join(inner)}}}"
        case "mroot", [base, index]:
            return f"\\sqrt[{index.strip()}]{{{base}}}"
        case "mfenced", _:
            opening, closing = (node.attributes.get(name, sign) or "" for name, sign in (("open", "("), ("close", ")")))
            return f"{_characters('mo', opening)}{', '.join(inner)}{_characters('mo', closing)}"
        case "mspace", _:
            return " "
        case "mtr", _:
            return " ".join(inner) + "; "
        case _:
            return "".join(inner) if children else _characters("", chars.clean(node.text(deep=True)))


def _annotated(node: "LexborNode") -> str:
    for child in node.iter(include_text=False):
        if child.tag == "annotation" and (child.attributes.get("encoding") or "").lower() in _TEX:
            return chars.clean(child.text(deep=True)).strip().strip("$")
    return ""


def _characters(tag: str, text: str) -> str:
    bare = " ".join(text.split())
    if not bare:
        return " " if text and tag == "mtext" else ""
    typed = bare.translate(_SPECIAL) if bare not in _OVER else bare
    if tag == "mo":
        return f" {typed} " if bare in _SPACED else typed
    if tag == "mtext":
        return f"\\text{{{text.translate(_SPECIAL)}}}"
    return f"\\mathrm{{{typed}}}" if tag == "mi" and len(bare) > 1 and bare.isascii() and bare.isalpha() else typed
