"""Topics that a corpus declares by what its abstracts share."""

from hypothesis import given
from hypothesis import strategies as st

from bot.corpus.topics import MAX_PER_TEXT, TopicModel, derive_topics

CACHE = "The KV cache grows. A KV-cache of half the size keeps quality; KV caches are everywhere."
EXPERTS = "Mixture-of-Experts (MoE) layers route. Mixture of experts saves work; an MoE layer is sparse."
ROUTING = "We balance mixture of experts (MoE). Mixture-of-experts training fails when MoE routers collapse."
SQL = "Text-to-SQL parsers write queries. We train text-to-SQL models, and text-to-SQL gets better."
DULL = "Extensive experiments show strong results. Experimental results improve; experimental results hold. "


def test_variants_of_one_phrase_are_one_topic() -> None:
    other = "Evicting from the KV cache loses facts. The KV caches of two layers agree, so one KV-cache is enough."
    found = derive_topics([CACHE, other, "Nothing here."])
    assert [topic.replace("-", " ").rstrip("s") for topic in found.topics] == ["KV cache"]
    assert found.by_text[0] == found.by_text[1] == found.topics
    assert found.by_text[2] == ()


def test_an_acronym_counts_for_its_expansion() -> None:
    found = derive_topics([EXPERTS, ROUTING, "An MoE is large, and another MoE is larger."])
    assert len(found.topics) >= 1
    topic = found.topics[0]
    assert topic.casefold().replace("-", " ") == "mixture of experts"
    assert all(topic in topics for topics in found.by_text)


def test_a_phrase_around_to_is_a_topic() -> None:
    found = derive_topics([SQL, SQL.replace("better", "worse"), CACHE])
    assert "text-to-SQL" in found.topics


def test_how_papers_are_written_is_no_topic() -> None:
    assert derive_topics([DULL, DULL + " Again.", DULL + " And again."]).topics == ()


def test_one_text_alone_shares_nothing() -> None:
    assert derive_topics([CACHE, SQL]).topics == ()


def test_a_part_of_a_longer_phrase_gives_way_to_it() -> None:
    text = "Some {} sparse attention heads. Others {} sparse attention heads, and a few {} sparse attention heads."
    found = derive_topics([text.format(*verbs) for verbs in (("own", "eat", "sew"), ("mow", "tow", "sow"))])
    assert found.topics == ("sparse attention heads",)


def test_no_texts_have_no_topics() -> None:
    assert derive_topics([]) == TopicModel((), ())


def test_the_limits_are_kept() -> None:
    texts = [CACHE + EXPERTS + SQL] * 4
    assert len(derive_topics(texts, at_most=1).topics) == 1
    assert derive_topics(texts, at_least=5).topics == ()


words = st.sampled_from(
    ["sparse", "attention", "expert", "RL", "(RL)", "reinforcement", "learning", "of", ".", "MoE", "é", "-"]
)


@given(st.lists(st.one_of(st.lists(words, max_size=40).map(" ".join), st.text(max_size=80)), max_size=8))
def test_any_texts_have_a_model(texts: list[str]) -> None:
    found = derive_topics(texts)
    assert found == derive_topics(texts)
    assert len(found.by_text) == len(texts)
    assert len(set(found.topics)) == len(found.topics)
    for topics in found.by_text:
        assert set(topics) <= set(found.topics)
        assert len(topics) <= MAX_PER_TEXT
    for topic in found.topics:
        assert sum(topic in topics for topics in found.by_text) >= 2 or any(
            len(t) == MAX_PER_TEXT for t in found.by_text
        )
