"""Text that must stay text, and papers and topics that are made of it."""

from bot.papers import Corpus, Paper, Source, paper_id
from bot.richtext import Link, Text

ATTACKS = {
    "everyone": "@everyone",
    "channel": "<!channel>",
    "here": "<!here>",
    "person": "<@U1>",
    "place": "<#C1>",
    "time": "<t:0>",
    "date": "<!date^1392734382^{date}|x>",
    "command": "</cmd:1>",
    "guide": "<id:guide>",
    "emoji": ":smile:",
    "heading": "# heading",
    "quote": "> quote",
    "long quote": ">>> block",
    "list": "- list",
    "spoiler": "||spoiler||",
    "label": "[label](https://evil.example)",
    "link": "<https://evil.example|label>",
    "address": "https://evil.example/x",
    "script": "<javascript:alert(1)|x>",
    "bold": "*bold* **bold** __bold__",
    "slanted": "_slanted_",
    "struck": "~struck~",
    "code": "`code` ```block```",
    "entity": "&lt;!here&gt; &amp;lt;",
    "ampersand": "a & b",
}
"""Each must be read as it stands."""

HIDDEN = {
    "turned": "a\u202eb\u2066c",
    "hidden": "a\u200bb\u2060c\ufeff",
    "control": "a\x00b\x07c",
    "half": "a\ud83db",
}
"""Each is read without what hides or turns."""


def paper(number: int, title: str, abstract: str, url: str | None = None, links: tuple[str, ...] = ()) -> Paper:
    """A paper with this title and abstract; the same words are its name and topic where they may be."""
    return Paper(
        id=paper_id(f"{abstract} {number}"),
        handle=f"paper-{number}",
        name=title,
        aliases=(),
        title=(Text(title),),
        title_source="file",
        abstract=(Text(abstract),),
        sources=(Source("attacks.txt", number, 1),),
        topics=(title,),
        authors=(title,),
        venue=title,
        url=url,
        links=links,
    )


def corpus() -> Corpus:
    """A paper for each attack; all share words to search for."""
    texts = [*ATTACKS.values(), *HIDDEN.values()]
    return Corpus(
        tuple(
            paper(
                number,
                f"Zebra {text} stripes",
                f"Zebras are {text} striped. We propose {text} quaggas, and show that {text} helps.",
                url="https://papers.example/1",
                links=(f"https://papers.example/{number}",),
            )
            for number, text in enumerate(texts)
        ),
        "attacks",
    )


def inline(text: str) -> Link:
    """An attack as the label of a link of ours."""
    return Link("https://papers.example/1", (Text(text),))
