from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from string import printable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_papers import CORPUS, PAPERS, paper

from bot.papers import Corpus
from bot.richtext import Mark, plain
from bot.search import SearchIndex, parse
from bot.search.index import MAX_LISTED
from bot.search.words import is_english

INDEX = SearchIndex.build(CORPUS)


def handles(text: str) -> list[str]:
    return [hit.paper.handle for hit in INDEX.search(text)]


@pytest.mark.parametrize(
    ("text", "handle"),
    [
        ("mosaicmoe", "mosaicmoe"),
        ("mosaic moe", "mosaicmoe"),
        ("Mosaic-MoE", "mosaicmoe"),
        ("mosaic", "mosaicmoe"),
        ("kvfold", "kvfold"),
        ("kv fold", "kvfold"),
        ("kv cache", "kvfold"),
        ("KV-Cache", "kvfold"),
        ("kvcache", "kvfold"),
        ("τ-shop", "tau-shop"),
        ("tau shop", "tau-shop"),
        ("taushop", "tau-shop"),
        ("naive customers", "tau-shop"),
        ("naïve customers", "tau-shop"),
        ("text2sql", "sqlweave"),
        ("text to sql", "sqlweave"),
        ("text-to-sql", "sqlweave"),
        ("TextToSQL", "sqlweave"),
        ("A*", "prune-a-star"),
        ("a star search", "prune-a-star"),
        ("prune a*", "prune-a-star"),
        ("Prune-A", "prune-a-star"),
        ("quantisation", "halfbit"),
        ("quantization", "halfbit"),
        ("modelling outliers", "halfbit"),
        ("fine tuning private data", "finetide"),
        ("fine-tuning private data", "finetide"),
        ("finetuning private data", "finetide"),
        ("gsm8k", "mosaicmoe"),
        ("ＨａｌｆＢｉｔ", "halfbit"),
        ("claims’ graph", "veritree"),
    ],
)
def test_every_way_to_write_it_finds_it(text: str, handle: str) -> None:
    assert handles(text)[0] == handle


@pytest.mark.parametrize(
    ("text", "handle", "searched_for"),
    [
        ("mosaicmeo", "mosaicmoe", "mosaicmoe"),
        ("quantizaton", "halfbit", "quantization"),
        ("halucinations", "veritree", "hallucinations"),
        ("custmers polcy", "tau-shop", "customers policy"),
        ("fvfold", "kvfold", "kvfold"),
    ],
)
def test_slips_are_repaired_and_the_answer_says_so(text: str, handle: str, searched_for: str) -> None:
    results = INDEX.find(parse(text))
    assert results.hits[0].paper.handle == handle
    assert results.searched_for == searched_for


def test_a_known_word_is_never_repaired() -> None:
    assert INDEX.find(parse("shop")).searched_for is None
    assert INDEX.find(parse("weights")).searched_for is None


def test_a_name_comes_before_a_text_that_mentions_it_more_often() -> None:
    assert PAPERS[6].text.count("RIPPLE") > PAPERS[5].text.count("RIPPLE")
    assert handles("ripple")[:2] == ["ripple", "mentions-ripple"]
    assert handles("RIPPLE") == handles("ripple")


def test_a_name_comes_before_an_alias() -> None:
    named = paper("delta", "Delta Codes", "Codes that the paper on gamma also names.", name="Delta")
    aliased = paper("gamma", "Gamma", "Delta delta delta delta delta, also known so.", aliases=("Delta",))
    index = SearchIndex.build(Corpus((aliased, named)))
    assert [hit.paper.handle for hit in index.search("delta")] == ["delta", "gamma"]


def test_acronyms_and_what_they_stand_for_find_each_other() -> None:
    acronym = paper("one", "One", "An MDM generates text. The MDM is fast.")
    long = paper("two", "Two", "A masked diffusion model (MDM) fills in what is missing.")
    other = paper("three", "Three", "Trees are pruned in spring.")
    index = SearchIndex.build(Corpus((acronym, long, other)))
    assert {hit.paper.handle for hit in index.search("masked diffusion model")} == {"one", "two"}
    assert {hit.paper.handle for hit in index.search("MDM")} == {"one", "two"}


def test_phrases_must_stand_together() -> None:
    assert set(handles('"language model"')) == {"ripple", "finetide"}
    assert "kvfold" in handles('"shared low-rank subspace"')
    assert handles('rewards "from human feedback"') == ["ripple"]


def test_a_phrase_in_another_form_is_found_with_a_note() -> None:
    results = INDEX.find(parse('"merge experts"'))
    assert [hit.paper.handle for hit in results.hits] == ["mosaicmoe"]
    assert results.notes
    assert results.searched_for is None


def test_a_phrase_that_nobody_has_is_searched_as_words() -> None:
    results = INDEX.find(parse('"subspace shared layers"'))
    assert results.hits[0].paper.handle == "kvfold"
    assert results.searched_for == "subspace shared layers"


def test_what_must_not_occur() -> None:
    assert "mentions-ripple" in handles("ripple")
    assert handles("ripple -baselines") == ["ripple"]
    assert handles('reward -"syntax tree"') == [one for one in handles("reward") if one != "sqlweave"]
    assert len(handles("-reward")) > 0
    assert "ripple" not in handles("-reward")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("has:code", {"mosaicmoe", "sqlweave"}),
        ("year:2025", {"tau-shop"}),
        ("year:<2026", {"tau-shop", "prune-a-star"}),
        ("year:2024-2025", {"tau-shop", "prune-a-star"}),
        ("venue:neurips", {"sqlweave"}),
        ("topic:agents", {"tau-shop"}),
        ('topic:"model compression"', {"mosaicmoe", "kvfold", "prune-a-star", "halfbit"}),
        ("topic:compression has:code", {"mosaicmoe"}),
        ("topic:reinforcement-learning", {"sqlweave", "ripple", "mentions-ripple"}),
        ("topic:rl", {"sqlweave", "ripple", "mentions-ripple"}),
    ],
)
def test_filters_alone_list_papers(text: str, expected: set[str]) -> None:
    results = INDEX.find(parse(text), limit=20)
    assert {hit.paper.handle for hit in results.hits} == expected
    assert results.total == len(expected)


def test_filters_restrict_words() -> None:
    assert handles("reward venue:neurips") == ["sqlweave"]
    assert handles("reward year:1999") == []


def test_filters_alone_keep_the_order_of_the_corpus() -> None:
    found = [hit.paper.handle for hit in INDEX.find(parse('topic:"model compression"')).hits]
    assert found == ["mosaicmoe", "kvfold", "prune-a-star", "halfbit"]
    assert {hit.score for hit in INDEX.search("has:code")} == {0.0}


def test_pages_follow_one_another() -> None:
    whole = [hit.paper.handle for hit in INDEX.find(parse("year:2026"), limit=20).hits]
    pages = [hit.paper.handle for start in range(0, 8, 3) for hit in INDEX.find(parse("year:2026"), start, 3).hits]
    assert pages == whole
    assert INDEX.find(parse("year:2026"), 100, 3).hits == ()
    assert INDEX.find(parse("year:2026"), 100, 3).problem is None
    reward = INDEX.find(parse("reward"), limit=20)
    assert [h.paper.id for h in INDEX.find(parse("reward"), 1, 2).hits] == [h.paper.id for h in reward.hits[1:3]]
    assert INDEX.find(parse("reward"), 1, 2).total == reward.total <= MAX_LISTED


def test_a_limit_that_is_typed() -> None:
    assert len(handles("model")) > 2
    assert len(handles("model limit:2")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "sourdough bread recipe",
        "best pizza in naples",
        "how to knit a sweater",
        "second hand bicycles for sale",
        "zzzz",
    ],
)
def test_other_subjects_get_no_noise_but_help(text: str) -> None:
    assert handles(text) == []
    results = INDEX.find(parse(text))
    assert results.total == 0
    assert results.problem
    assert results.problem.kind == "no_match"
    assert results.problem.topics[0] == "model compression"  # the topic of most papers


@pytest.mark.parametrize(
    ("text", "kind"), [("", "empty"), ("  ", "empty"), ("?!", "punctuation"), ("🦆", "punctuation")]
)
def test_nothing_to_look_for_gets_help(text: str, kind: str) -> None:
    results = INDEX.find(parse(text))
    assert results.hits == ()
    assert results.problem
    assert results.problem.kind == kind
    assert results.problem.message


def test_a_text_that_is_too_long_is_answered_by_its_beginning() -> None:
    found = INDEX.find(parse("kv cache " * 2_000))
    assert found.hits[0].paper.handle == "kvfold"
    assert found.notes
    lost = INDEX.find(parse("zyx " * 3_000))
    assert lost.problem
    assert lost.problem.kind == "too_long"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("model topic:gardening", "gardening"),
        ("model venue:eurovision", "eurovision"),
        ("model year:1999", "1999"),
    ],
)
def test_a_filter_that_nothing_passes_is_named(text: str, told: str) -> None:
    problem = INDEX.find(parse(text)).problem
    assert problem
    assert told in problem.message


def test_a_word_that_looks_alike_is_offered() -> None:
    problem = INDEX.find(parse("subspecies of garden tulips")).problem
    assert problem
    assert "subspace" in problem.words


def test_a_long_question_is_plain_words() -> None:
    text = "Is it true (as some say): can agents/bots serve a customer of a shop, and what share of the tasks succeeds?"
    assert handles(text)[0] == "tau-shop"


def test_quotation_marks_in_prose_do_not_demand() -> None:
    text = 'a method that "verifies" every one of the claims against what "it is based on" and sums lost information'
    assert handles(text)[0] == "veritree"


def test_snippets_show_the_match() -> None:
    hit = INDEX.find(parse("low-rank subspace")).hits[0]
    assert hit.paper.handle == "kvfold"
    assert "low-rank subspace" in plain(hit.snippet)


def test_similar_papers_are_not_the_paper_itself() -> None:
    hits = INDEX.similar(PAPERS[5], limit=3)
    assert hits[0].paper.handle == "mentions-ripple"
    assert PAPERS[5].id not in {hit.paper.id for hit in hits}
    assert len(hits) <= 3
    assert INDEX.similar(PAPERS[5], limit=0) == []


def test_scores_fall() -> None:
    scores = [hit.score for hit in INDEX.search("reward of a language model")]
    assert scores == sorted(scores, reverse=True)


def test_an_empty_corpus_answers() -> None:
    index = SearchIndex.build(Corpus(()))
    assert index.search("anything") == []
    assert index.find(parse("has:code")).problem


def test_papers_without_topics_titles_or_names() -> None:
    bare = replace(PAPERS[0], title=(), name="", topics=(), venue=None, year=None)
    index = SearchIndex.build(Corpus((bare,)))
    assert [hit.paper for hit in index.search("merging experts")] == [bare]


def test_threads_get_the_same_answers() -> None:
    queries = ["kv cache", "ripple", "quantisaton", "reward", "text2sql", "has:code", '"language model"', "agents"] * 20
    alone = [handles(query) for query in queries]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(handles, queries)) == alone


@settings(deadline=None)
@given(
    st.one_of(
        st.text(),
        st.text(alphabet=printable),
        st.lists(
            st.sampled_from(
                ["kv", "cache", "AND", "OR", "NOT", "body:", "*", "~2", "^3", "[a TO b]", "(", ")", '"', "\\"]
            ),
            max_size=12,
        ).map(" ".join),
    )
)
def test_no_text_is_an_error(text: str) -> None:
    hits = INDEX.search(text)
    assert len(hits) <= 10
    INDEX.find(parse(text), 3, 2)


def test_an_english_word_is_no_slip_of_another_where_the_rest_finds_papers() -> None:
    corpus = Corpus(
        (
            paper("gate", "A Gate", "We train a gate that opens before the experts of a layer are read.", name="Gate"),
            paper(
                "other", "Other", "We plan the routes of lorries between towns by the hour of the day.", name="Other"
            ),
        ),
        fingerprint="gate",
    )
    index = SearchIndex.build(corpus)
    found = index.find(parse("experts of a game layer"))
    assert (found.hits[0].paper.handle, found.searched_for) == ("gate", None)
    slip = index.find(parse("lorreis towns"))
    assert (slip.hits[0].paper.handle, slip.searched_for) == ("other", "lorries towns")


def test_an_english_word_is_taken_for_a_slip_where_nothing_is_found_else() -> None:
    corpus = Corpus((paper("split", "Split", "We split the model between two owners.", name="Model Split"),))
    found = SearchIndex.build(corpus).find(parse("spilt"))
    assert (found.hits[0].paper.handle, found.searched_for) == ("split", "split")


def test_a_name_of_several_words_is_found_by_another_ending() -> None:
    filler = [paper(f"f{n}", f"F{n}", f"Reinforced beams of kind {n} carry a load.", name=f"F{n}") for n in range(12)]
    named = paper("rmr", "RMR", "A method for looping text.", name="Reinforced Mode Regulation")
    index = SearchIndex.build(Corpus((named, *filler), fingerprint="rmr"))
    assert index.search("reinforced mode regularization")[0].paper.handle == "rmr"
    assert not index.search("reinforced concrete regularization")


@pytest.mark.parametrize(
    ("word", "english"),
    [("keep", True), ("defence", True), ("bread", True), ("trifuze", False), ("confidance", False), ("τ", False)],
)
def test_english_words_are_known(word: str, *, english: bool) -> None:
    assert is_english(word) is english


@pytest.mark.parametrize(
    "request_",
    [
        "anything on grokking",
        "do we have something about grokking",
        "interesting papers on grokking",
        "the latest on grokking",
        "who works on grokking these days",
        "grokking, anything?",
    ],
)
def test_a_request_finds_what_its_subject_finds(request_: str) -> None:
    filler = [
        paper(f"l{n}", f"L{n}", f"The latest interesting model number {n} learns.", name=f"L{n}") for n in range(9)
    ]
    named = paper("late", "Late", "Networks that memorise first show grokking later.", name="Late")
    index = SearchIndex.build(Corpus((*filler, named), fingerprint="grokking"))
    assert [hit.paper.handle for hit in index.search(request_)] == ["late"]


def test_before_a_no_the_words_of_talk_are_left_out() -> None:
    filler = [paper(f"n{n}", f"N{n}", f"We train a network of depth {n}.", name=f"N{n}") for n in range(30)]
    papers = [paper(f"g{n}", f"G{n}", f"On grokking in regime {n}.", name=f"G{n}") for n in range(5)]
    index = SearchIndex.build(Corpus((*filler, *papers), fingerprint="talk"))
    assert {hit.paper.handle for hit in index.search("my neighbour bought grokking yesterday")} == {
        "g0", "g1", "g2", "g3", "g4",
    }  # fmt: skip
    problem = index.find(parse("my neighbour bought a deep network for the garden party")).problem
    assert problem
    assert problem.alone == ("network", "deep")[: len(problem.alone)]


@pytest.mark.parametrize("typed", ["mosiac moe", "mosaic moee", "mosaic meo"])
def test_a_name_with_a_slip_and_in_parts(typed: str) -> None:
    assert INDEX.find(parse(typed)).hits[0].paper.handle == "mosaicmoe"


def acronyms() -> SearchIndex:
    papers = [
        *(paper(f"dps{n}", f"Guided {n}", f"Diffusion posterior sampling (DPS) in case {n}.") for n in range(3)),
        *(paper(f"dp{n}", f"Private {n}", f"Differential privacy (DP) of learners, case {n}.") for n in range(6)),
        *(paper(f"gpt{n}", f"Asking {n}", f"We ask GPT-4 for answers, case {n}.") for n in range(4)),
        paper("bandit", "Bandits", "GP-TS samples from a Gaussian process. GP-TS has low regret, and GP-TS is fast."),
        paper("cut", "Masks", "A stateof- the-art method for segmentation of scans."),
        paper("seg", "Scans", "Segmentation at the state of the art: segmentation of scans and of cells."),
        paper("sharp", "Sharp", "Sharpness: a sharp minimum is worse, and sharp ones are found."),
        paper("cjk", "Sparse", "我们研究稀疏注意力机制的最佳参数。 확산모델을 위한 방법."),
    ]
    return SearchIndex.build(Corpus(tuple(papers), fingerprint="acronyms"))


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("DPS", "dps"),
        ("dps", "dps"),
        ("GPT-4", "gpt"),
        ("gp ts", "bandit"),
        ("state of the art segmentation", "seg"),
        ("稀疏注意力", "cjk"),
        ("확산모델", "cjk"),
        ("最佳参数", "cjk"),
    ],
)
def test_acronyms_compounds_and_scripts_without_spaces(typed: str, first: str) -> None:
    assert acronyms().search(typed)[0].paper.handle.startswith(first)


def test_what_only_looks_alike_is_not_found() -> None:
    index = acronyms()
    assert not index.search("C#")
    assert not [
        hit for hit in index.search("DPS") if hit.paper.handle.startswith("dp") and hit.paper.handle[2:].isdigit()
    ]
    assert "bandit" not in {hit.paper.handle for hit in index.search("GPT-4")}
    assert not index.search("数据库")


def test_pairs_of_characters_are_marked_as_one() -> None:
    (hit,) = acronyms().find(parse("稀疏注意力")).hits
    assert [plain(node.children) for node in hit.snippet if isinstance(node, Mark)] == ["稀疏注意力"]


def test_a_label_does_not_count_as_words_of_the_paper() -> None:
    text = "We fold proteins. The trust region is small, as others are."
    derived = replace(paper("a", "trust region", text), title_source="derived")
    real = paper("b", "Titled", "A trust region bounds a step. A trust region is a ball, as others are.")
    index = SearchIndex.build(Corpus((derived, real), fingerprint="labels"))
    assert index.search("region trust")[0].paper.handle == "b"


def test_a_short_acronym_alone_opens_nothing() -> None:
    css = paper("css", "Sets", "Core subset selection (CSS) picks examples of a training set.", name="CSS")
    filler = [paper(f"n{n}", f"N{n}", f"We train a network of depth {n}.", name=f"N{n}") for n in range(9)]
    index = SearchIndex.build(Corpus((css, *filler), fingerprint="css"))
    assert not index.search("CSS center a div")
    assert index.search("CSS")[0].paper.handle == "css"


def test_a_long_question_about_other_things_is_judged() -> None:
    assert not handles(
        "bake a chocolate cake for my daughter's birthday party next saturday with no eggs and little sugar"
    )


def test_everyday_words_are_not_repaired() -> None:
    filler = [
        paper(f"n{n}", f"N{n}", f"On the glu of ten layers in case {n}, day by day.", name=f"N{n}") for n in range(9)
    ]
    index = SearchIndex.build(Corpus(tuple(filler), fingerprint="gluten"))
    found = index.find(parse("gluten free birthday cake"))
    assert (found.hits, found.searched_for) == ((), None)


def test_what_is_left_out_in_plain_words_is_said() -> None:
    found = INDEX.find(parse("experts not accuracy"))
    assert "mosaicmoe" not in {hit.paper.handle for hit in found.hits}
    assert found.notes == ("Read as `experts -accuracy`: papers that say “accuracy” are left out.",)
    found = INDEX.find(parse("language model but not ripple"))
    assert {"ripple", "mentions-ripple"}.isdisjoint(hit.paper.handle for hit in found.hits)
    assert found.notes == ("Read as `language model -ripple`: papers that say “ripple” are left out.",)


def test_doing_without_is_a_subject_where_papers_are_about_it() -> None:
    papers = [
        *(paper(f"p{n}", f"P{n}", f"We quantize without calibration, case {n}.", name=f"P{n}") for n in range(20)),
        *(paper(f"q{n}", f"Q{n}", f"We quantize pictures with calibration {n}.", name=f"Q{n}") for n in range(500)),
    ]
    index = SearchIndex.build(Corpus(tuple(papers), fingerprint="without"))
    assert index.find(parse("quantize without calibration")).notes == ()
    assert "left out" in index.find(parse("quantize without pictures")).notes[0]
    assert index.find(parse("quantize without pictures"), limit=50).total == 20


def test_totals_are_what_was_found() -> None:
    papers = [paper(f"p{n}", f"P{n}", f"On diffusion in case number {n}.", name=f"P{n}") for n in range(120)]
    index = SearchIndex.build(Corpus(tuple(papers), fingerprint="many"))
    assert index.find(parse("diffusion")).total == 120
    assert index.find(parse("diffusion case")).total == 120
    assert len(index.find(parse("diffusion"), 100, 50).hits) == 20


def test_another_language_gets_one_line() -> None:
    found = INDEX.find(parse("Verstärkungslernen"))
    assert found.problem
    assert found.notes == ("Abstracts here are in English: try “reinforcement learning”.",)


def test_a_term_that_nobody_says_by_chance_opens_alone() -> None:
    filler = [paper(f"n{n}", f"N{n}", f"We treat a disease of kind {n}.", name=f"N{n}") for n in range(30)]
    rare = paper("rare", "Rare", "The burden of onchocerciasis in three regions.", name="Rare")
    index = SearchIndex.build(Corpus((*filler, rare), fingerprint="terms"))
    assert index.search("ivermectin against onchocerciasis")[0].paper.handle == "rare"
