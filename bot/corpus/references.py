"""How the world names a paper: OpenReview, arXiv, DOI, ACL Anthology and PMLR, in an address or in plain words.

Forms of ids: arXiv, https://info.arxiv.org/help/arxiv_identifier.html (of 1991 to 2007 and since April 2007); DOI,
https://www.crossref.org/blog/dois-and-matching-regular-expressions/; ACL Anthology,
https://aclanthology.org/info/ids/ (before and since 2020).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.papers import Corpus, Paper, address_key

MOST_READ = 4_000
"""Characters of a line that are looked through: as much as a platform lets somebody type."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A paper's id as `kind` has it, without version: `arxiv`, `1706.03762`."""

    kind: str
    id: str

    @property
    def key(self) -> str:
        """As kept in `Paper.keys`: `arxiv:1706.03762`."""
        return f"{self.kind}:{self.id}"

    def __str__(self) -> str:
        """As people write it: `arXiv 1706.03762`."""
        return f"{_KINDS[self.kind].name} {self.id}"


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    pattern: re.Pattern[str]
    """Matches a mention; group `id` has the id."""
    page: str
    pdf: str = ""
    plain: Callable[[str], str] = str.lower


_SITE = r"(?<![\w.])(?:https?://)?(?:www\.)?"
_NEW_ARXIV = r"\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}"
_OLD_ARXIV = r"[a-z]{2,8}(?:-[a-z]{2,3})?(?:\.[a-z]{2})?/\d{2}(?:0[1-9]|1[0-2])\d{3}"
_ARXIV_SITES = r"(?:export\.)?arxiv\.org/(?:abs|pdf|html|e-print|src)/|alphaxiv\.org/abs/|huggingface\.co/papers/"
_ARCHIVES = (
    r"(?:acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|dg-ga"
    r"|funct-an|gr-qc|hep-(?:ex|lat|ph|th)|math|math-ph|mtrl-th|nlin|nucl-(?:ex|th)|patt-sol|physics|plasm-ph|q-alg|q-bio"
    r"|quant-ph|solv-int|stat|supr-con)"
)


def _arxiv(found: str) -> str:
    """Without the subject class: `math.GT/0309136` is filed as `math/0309136`."""
    return re.sub(r"\.[a-z]{2}(?=/)", "", found.lower())


def _acl(found: str) -> str:
    return found.upper() if found[0].isalpha() else found.lower()


def _doi(found: str) -> str:
    return found.lower().rstrip(".,;:!?'\"")


_KINDS = {
    "openreview": _Kind(
        "OpenReview",
        re.compile(
            _SITE + r"(?:api2?\.)?openreview\.net/(?:forum|pdf|notes?|attachment|revisions)\?"
            r"(?:[^\s<>|\"']*?&(?:amp;)?)?id=(?P<id>[\w-]{1,40})|(?<!\w)openreview:\s?(?P<bare>[\w-]{6,40})",
            re.IGNORECASE,
        ),
        "https://openreview.net/forum?id={}",
        "https://openreview.net/pdf?id={}",
        str,
    ),
    "arxiv": _Kind(
        "arXiv",
        re.compile(
            _SITE + rf"(?:{_ARXIV_SITES})(?P<id>{_NEW_ARXIV}|{_OLD_ARXIV})(?!\d)"
            rf"|(?:(?<!\w)arxiv[:\s]\s?|10\.48550/arxiv\.)(?P<bare>{_NEW_ARXIV}|{_OLD_ARXIV})(?!\d)"
            rf"|(?<![\w./-])(?P<alone>{_NEW_ARXIV}|{_ARCHIVES}(?:\.[A-Z]{{2}})?/\d{{7}})(?=(?:v\d{{1,2}})?(?![\w/-]|\.\w))",
            re.IGNORECASE,
        ),
        "https://arxiv.org/abs/{}",
        "https://arxiv.org/pdf/{}",
        _arxiv,
    ),
    "acl": _Kind(
        "ACL",
        re.compile(
            _SITE + r"(?:aclanthology\.org|aclweb\.org/anthology)/(?:papers/[A-Z]/[A-Z]\d\d/)?"
            r"(?P<id>[A-Z]\d{2}-\d{4}|\d{4}\.[a-z0-9_-]{2,40}\.\d{1,4})(?!\d)"
            r"|10\.18653/v1/(?P<bare>[A-Z]\d{2}-\d{4}|\d{4}\.[a-z0-9_-]{2,40}\.\d{1,4})(?!\d)",
            re.IGNORECASE,
        ),
        "https://aclanthology.org/{}/",
        "https://aclanthology.org/{}.pdf",
        _acl,
    ),
    "pmlr": _Kind(
        "PMLR",
        re.compile(_SITE + r"proceedings\.mlr\.press/(?P<id>[vr]\d{1,3}/[a-z0-9-]{3,60})", re.IGNORECASE),
        "https://proceedings.mlr.press/{}.html",
    ),
    "doi": _Kind(
        "DOI",
        re.compile(r"(?<![\d.])(?P<id>10\.\d{4,9}/[^\s<>|\"“”{}]{1,200}[^\s<>|\"“”{}.,;:!?'])", re.IGNORECASE),
        "https://doi.org/{}",
        plain=_doi,
    ),
}
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>|\"“”]{3,500}|(?<![\w@.-])(?:[a-z0-9-]+\.)+[a-z]{2,6}/[^\s<>|\"“”]{2,500}", re.IGNORECASE
)
_LABELLED = re.compile(r"<((?:https?://)[^|>\s]+)\|[^>]{0,500}>")


def references_in(text: str) -> Iterator[Reference]:
    """The ids that a text mentions, each once, in no order of its own."""
    seen: set[Reference] = set()
    for kind, how in _KINDS.items():
        for found in how.pattern.finditer(text[:MOST_READ]):
            named = next(value for value in found.groupdict().values() if value)
            reference = Reference(kind, _balanced(how.plain(named)))
            if reference not in seen:
                seen.add(reference)
                yield reference


def _balanced(written: str) -> str:
    """Without the closing brackets of the sentence around it: a DOI may have brackets of its own."""
    while written.endswith((")", "]")) and written.count(written[-1]) > written.count("(["[")]".index(written[-1])]):
        written = written[:-1]
    return written


def pages_of(keys: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """What the ids of a paper lead to, by name: `("arXiv", address)`, `("PDF", address)`; one PDF at most."""
    found: list[tuple[str, str]] = []
    pdfs: list[str] = []
    for kind, how in _KINDS.items():
        for key in sorted(key for key in keys if key.startswith(f"{kind}:")):
            name = key.partition(":")[2]
            found.append((how.name, how.page.format(name)))
            if how.pdf:
                pdfs.append(how.pdf.format(name))
    return (*found, *((("PDF", pdfs[0]),) if pdfs else ()))


def named_in(text: str, corpus: Corpus) -> tuple[list[Paper], list[str]]:
    """The papers of a corpus that a text has an id or an address of, and those ids and addresses that no paper has.

    An address that leads to no known place of papers counts where the corpus has it, and else is words.
    """
    text = _LABELLED.sub(r"\1", text[:MOST_READ])
    papers: dict[str, Paper] = {}
    for found in _ADDRESS.finditer(text):
        written = _balanced(found[0].rstrip(".,;:!?'*_"))
        if paper := corpus.get(address_key(written)):
            papers[paper.id] = paper
    unknown: list[str] = []
    for reference in references_in(text):
        if paper := corpus.get(reference.key):
            papers[paper.id] = paper
        else:
            unknown.append(str(reference))
    return list(papers.values()), [] if papers else unknown
