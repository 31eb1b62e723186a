"""What people say and what they must be told: one table, run through every adapter."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """One line typed, and what the answer holds or must not hold."""

    say: str
    expect: tuple[str, ...]
    never: tuple[str, ...] = ()


CONVERSATIONS: dict[str, tuple[Turn, ...]] = {
    "a first look": (
        Turn("", ("What you can type", "search", "tldr <paper>")),
        Turn("help tldr", ("tldr trifuse",)),
        Turn("about", ("38 from 2 file(s)", "ICML 2026")),
    ),
    "search, then by number": (
        Turn("kv cache", ("1.", "xkv")),
        Turn("tldr 1", ("xKV", "Approach")),
        Turn("similar 1", ("Closest to",)),
        Turn("show 99", ("numbers 1 to",)),
        Turn("kv cache", ("2. WarmServe",)),
        Turn("2", ("WarmServe: Enabling One-for-Many", "Topics")),
        Turn("#1", ("xKV: Cross-Layer KV-Cache Compression", "Topics")),
        Turn("99", ("numbers 1 to",)),
    ),
    "numbers without a list": (Turn("show 3", ("no list here yet",)), Turn("3", ("no list here yet",))),
    "words to a bot before its commands are known": (
        Turn("Hello!", ("What you can type",)),
        Turn("?", ("What you can type",)),
        Turn("What can you do?", ("What you can type",)),
        Turn("who are you?", ("38 from 2 file(s)",)),
    ),
    "names": (
        Turn("show xkv", ("xKV: Cross-Layer KV-Cache Compression", "Centered Kernel Alignment", "4.23×")),
        Turn("show τ-Knowledge", ("τ-Banking", "~25.5%", "pass^1"), ("\\tau", "$")),
        Turn("show tau-knowledge", ("τ-Banking",)),
        Turn("show SCHUR-A*", ("Schur-A*",)),
        Turn("show trifuze", ("Did you mean", "trifuse")),
        Turn("show sourdough", ("No paper is called",)),
    ),
    "typos are repaired and said": (
        Turn("trifuze", ("trifuse", "Searched for")),
        Turn("xvk", ("1. xKV", "Searched for")),
    ),
    "a name from a page's source": (Turn("<b>SINQ</b>", ("1. SINQ",)),),
    "parts of names": (
        Turn("flex rank", ("1. FlexRank",)),
        Turn("text2sql", ("Text-to-SQL",)),
        Turn("phi balancing", ("1. φ-Balancing",)),
        Turn("φ", ("φ-Balancing",)),
        Turn("A*", ("Schur-A*",)),
        Turn("quantisation", ("SINQ",)),
        Turn("“load balancing”", ("φ-Balancing",)),
    ),
    "command words that are not meant as such": (
        Turn("random forests", ("the command random",)),
        Turn("help desk agents", ("the command help",)),
        Turn("similar work on pruning experts", ("this is a search",)),
    ),
    "topics in other words": (
        Turn("random topic:mixture of experts", ("Approach",), ("No paper",)),
        Turn("topic:moe pruning", ("1. Schur-A*",)),
        Turn("random topic:cooking", ("No paper has the topic “cooking”",)),
    ),
    "nothing there": (
        Turn("sourdough bread recipe", (), ("1.",)),
        Turn("???", (), ("1.",)),
        Turn("x" * 10_000, (), ("1.", "went wrong")),
    ),
    "pages": (
        Turn("search language models", ("1.", "page:2")),
        Turn("search language models page:2", ("6.",)),
        Turn("tldr 1", ("Approach",)),
        Turn("tldr 6", ("Approach",)),
        Turn("search xkv page:100", ("no page 100",)),
    ),
    "what is missing is asked for": (
        Turn("tldr", ("needs a paper", "for example")),
        Turn("search", (), ("went wrong",)),
    ),
}
