from collections.abc import Iterable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from bot.richtext import Inlines, Mark, plain
from bot.search.snippet import LENGTH, Matcher, Snippets
from bot.search.words import stems

TEXT = (
    "Long-context inference is slow. " * 6
    + "We propose a cache of keys and values that is shared between layers of the model, and show that it helps. "
    + "Nothing else is said here, at some length, to fill the page with words. " * 5
)


def snippet(text: str, marked: Iterable[str], rarity: Mapping[str, float] | None = None) -> Inlines:
    wanted = frozenset(marked)
    return Snippets(Matcher(wanted), wanted, rarity or {}).of(text)


def marks(nodes: object) -> list[str]:
    assert isinstance(nodes, tuple)
    return [plain([node]) for node in nodes if isinstance(node, Mark)]


def test_the_stretch_with_the_most_different_words_is_shown() -> None:
    shown = snippet(TEXT, stems("shared cache layers"))
    assert marks(shown) == ["cache", "shared", "layers"]
    assert plain(shown).startswith("…")
    assert plain(shown).endswith("…")
    assert len(plain(shown)) <= LENGTH


def test_a_rare_word_outweighs_common_ones() -> None:
    text = "slow inference here " + "filling words " * 20 + "one zebra " + "filling words " * 20
    assert marks(snippet(text, stems("slow inference zebra"), {"zebra": 9.0}))[0] == "zebra"


def test_a_short_text_is_shown_whole() -> None:
    assert plain(snippet("A cache of keys.", stems("cache"))) == "A cache of keys."


def test_a_text_without_a_match_shows_its_beginning() -> None:
    shown = plain(snippet(TEXT, ["zebra"]))
    assert shown.startswith("Long-context inference")
    assert shown.endswith("…")


def test_other_forms_and_spellings_are_marked() -> None:
    assert marks(snippet("Quantised models cache.", stems("quantization caching"))) == ["Quantised", "cache"]
    assert marks(snippet("The τ-Shop opens.", stems("tau shop"))) == ["τ-Shop"]
    assert marks(snippet("It merges with MosaicMoE here.", stems("mosaic"))) == ["MosaicMoE"]
    assert marks(snippet("The KV-Cache is large (KV-Cache).", stems("kvcache"))) == ["KV-Cache", "KV-Cache"]


def test_lines_and_runs_of_spaces_become_single_spaces() -> None:
    assert plain(snippet("one  two\n\tthree", stems("two"))) == "one two three"


@given(st.text(), st.lists(st.text(min_size=1, max_size=6), max_size=4), st.integers(1, 4))
def test_any_text_is_cut_to_length_between_words(text: str, wanted: list[str], times: int) -> None:
    text = (text + " ") * times
    whole = " ".join(text.split())
    shown = plain(snippet(text, [stem for word in wanted for stem in stems(word)]))
    assert len(shown) <= LENGTH
    inside = shown.removeprefix("…").removesuffix("…")
    assert inside in whole or inside.strip() in whole


@given(st.lists(st.sampled_from(["cache", "model", "a", "layers,", "KV-Cache", "naïve", "(shared)"]), max_size=80))
def test_words_are_never_broken(words: list[str]) -> None:
    shown = plain(snippet(" ".join(words), stems("cache layers")))
    cut = {word.rstrip(",") for word in shown.replace("…", " ").split()}
    assert cut <= {word.rstrip(",") for word in words}
