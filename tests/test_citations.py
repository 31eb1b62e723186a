"""Citations that reference managers take: each format read back by a library that others wrote."""

import json
import logging
import warnings
from collections.abc import Sequence
from dataclasses import replace

import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON
from hypothesis import given
from hypothesis import strategies as st
from shared import shared_path
from test_pick import paper

from bot.commands.citations import PersonName, citation_key, person
from bot.commands.exports import export_papers
from bot.corpus import load_corpus
from bot.papers import Paper
from bot.richtext import Text

ONE = replace(
    paper(1),
    title=(Text("τ-Bench: 100% of A_B & {C} [draft] for “Émile”"),),
    authors=("Émile van der Berg", "Institute of X and Y", "Plato", "Martin Luther King Jr.", "Lovelace, Ada"),
    venue="ICML",
    year=2026,
    url="https://openreview.net/forum?id=x_1",
    keys=frozenset({"doi:10.1145/3292500.3330701", "doi:10.48550/arxiv.2601.00001", "arxiv:2601.00001"}),
)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Ada Lovelace", PersonName("Lovelace", "Ada")),
        ("Lovelace, Ada", PersonName("Lovelace", "Ada")),
        ("Ludwig van Beethoven", PersonName("van Beethoven", "Ludwig")),
        ("Anna de la Cruz", PersonName("de la Cruz", "Anna")),
        ("Martin Luther King Jr.", PersonName("King", "Martin Luther", "Jr.")),
        ("King, Jr., Martin Luther", PersonName("King", "Martin Luther", "Jr.")),
        ("Plato", PersonName("Plato")),
        ("Institute of X and Y", PersonName("Institute of X and Y", whole=True)),
        ("DeepSeek AI", PersonName("DeepSeek AI", whole=True)),
        ("Qwen Team", PersonName("Qwen Team", whole=True)),
        ("Orlando Oforé", PersonName("Oforé", "Orlando")),
        ("  Shuo  Li Liu ", PersonName("Liu", "Shuo Li")),
    ],
)
def test_names_in_parts(written: str, name: PersonName) -> None:
    assert person(written) == name


def test_bibtex_has_all_that_is_known() -> None:
    assert export_papers([ONE], "bibtex") == (
        "@inproceedings{berg2026bench,\n"
        r"""  title = {{{\ensuremath{\tau}}-Bench: 100{\%} of A{\_}B {\&} {\{}C{\}} [draft] for """
        r"""{\textquotedblleft}{\'E}mile{\textquotedblright}}},
  author = {van der Berg, {\'E}mile and {Institute of X and Y} and Plato and King, Jr., Martin Luther and """
        r"""Lovelace, Ada},
  booktitle = {ICML},
  year = {2026},
  doi = {10.1145/3292500.3330701},
  eprint = {2601.00001},
  archiveprefix = {arXiv},
  url = {https://openreview.net/forum?id=x_1},
}
"""
    )


def test_kinds_of_work() -> None:
    for venue, start in (
        ("ICML", "@inproceedings{"),
        ("Journal of Machine Learning Research", "@article{"),
        ("TMLR", "@article{"),
        ("arXiv preprint", "@misc{"),
        (None, "@misc{"),
    ):
        assert export_papers([replace(ONE, venue=venue)], "bibtex").startswith(start)
    assert export_papers([replace(ONE, authors=())], "bibtex").startswith("@misc{")


def test_keys_say_who_when_and_what_and_are_never_shared() -> None:
    named = replace(ONE, title=(Text("On the Use of A Théorie"),))
    assert citation_key(named) == "berg2026use"
    keys = [entry.key for entry in parse_string(export_papers([named] * 28, "bibtex")).entries]
    assert keys[:3] == ["berg2026use", "berg2026useb", "berg2026usec"]
    assert len(set(keys)) == 28
    assert citation_key(replace(named, authors=())) == named.handle


def test_ris_has_all_that_is_known() -> None:
    assert rispy.loads(export_papers([ONE], "ris")) == [
        {
            "type_of_reference": "CPAPER",
            "id": "berg2026bench",
            "title": "τ-Bench: 100% of A_B & {C} [draft] for “Émile”",
            "authors": [
                "van der Berg, Émile",
                "Institute of X and Y",
                "Plato",
                "King, Martin Luther, Jr.",
                "Lovelace, Ada",
            ],
            "secondary_title": "ICML",
            "year": "2026",
            "doi": "10.1145/3292500.3330701",
            "urls": ["https://openreview.net/forum?id=x_1"],
        }
    ]


def test_csl_json_has_all_that_is_known() -> None:
    assert json.loads(export_papers([ONE], "csl")) == [
        {
            "id": "berg2026bench",
            "type": "paper-conference",
            "title": "τ-Bench: 100% of A_B & {C} [draft] for “Émile”",
            "author": [
                {"family": "van der Berg", "given": "Émile"},
                {"literal": "Institute of X and Y"},
                {"literal": "Plato"},
                {"family": "King", "given": "Martin Luther", "suffix": "Jr."},
                {"family": "Lovelace", "given": "Ada"},
            ],
            "issued": {"date-parts": [[2026]]},
            "container-title": "ICML",
            "DOI": "10.1145/3292500.3330701",
            "URL": "https://openreview.net/forum?id=x_1",
        }
    ]


@pytest.mark.parametrize(
    ("authors", "line"),
    [
        (("Ada Lovelace",), "Lovelace, A. (2026). Title 1. In ICML. https://doi.org/10.1/x"),
        (("Ada Lovelace", "Jean-Paul M. Sartre"),
         "Lovelace, A., & Sartre, J.-P. M. (2026). Title 1. In ICML. https://doi.org/10.1/x"),
        ((), "Title 1. (2026). In ICML. https://doi.org/10.1/x"),
        (tuple(f"A. Name{letter}" for letter in "abcdefghijklmnopqrstuv"),
         ", ".join(f"Name{letter}, A." for letter in "abcdefghijklmnopqrs") + ", … Namev, A. (2026). Title 1. In ICML. https://doi.org/10.1/x"),
    ],
)  # fmt: skip
def test_a_plain_line_as_in_a_list_of_references(authors: tuple[str, ...], line: str) -> None:
    one = replace(paper(1), authors=authors, venue="ICML", year=2026, keys=frozenset({"doi:10.1/x"}))
    assert export_papers([one], "apa") == f"{line}\n"


def taken(papers: Sequence[Paper]) -> None:
    """Holds that every library takes every citation, without a warning."""
    read = parse_string(export_papers(papers, "bibtex"))
    assert read.failed_blocks == []
    assert len(read.entries) == len(papers)
    assert len(rispy.loads(export_papers(papers, "ris"))) == len(papers)
    items = json.loads(export_papers(papers, "csl"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(CiteProcJSON(items)) == len(papers)


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=30), max_size=3), st.text(max_size=20))
def test_whatever_a_record_holds_is_taken(title: str, authors: list[str], venue: str) -> None:
    names = tuple(name for name in (" ".join(one.split()) for one in authors) if name)
    taken([replace(paper(1), title=(Text(title),), authors=names, venue=" ".join(venue.split()) or None, year=2026)])


def test_every_record_of_a_conference_is_taken(caplog: pytest.LogCaptureFixture) -> None:
    papers = load_corpus([shared_path("data/icml2026.jsonl.gz")]).papers
    caplog.set_level(logging.WARNING)
    taken(papers)
    assert caplog.records == []


def test_citeproc_writes_what_it_read() -> None:
    source = CiteProcJSON(json.loads(export_papers([ONE], "csl")))
    style = CitationStylesStyle("harvard-cite-them-right", validate=False)
    written = CitationStylesBibliography(style, source, formatter.plain)
    written.register(Citation([CitationItem("berg2026bench")]))
    assert "van der Berg" in str(written.bibliography()[0])
