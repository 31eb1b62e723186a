"""Finding papers and reading them: search, similar, random, topics, the abstract and its summary."""

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter, utterances
from bot.corpus.references import named_in, pages_of
from bot.errors import NotFoundError
from bot.message import Button, Call, Reply, ReplyError, Shown
from bot.papers import Paper
from bot.richtext import Block, Bullets, Code, Fields, Heading, Inlines, Link, Paragraph, Strong, Text, said, text
from bot.search import Problem, Query, Results, matching, parse
from bot.search.query import Asked, Years, knowable
from bot.summary import summarise
from bot.summary.sentences import paragraphs
from bot.views import (
    PAGE_SIZE,
    cards,
    joined,
    list_hints,
    meta_of,
    page_buttons,
    paper_buttons,
    paper_call,
    title_of,
)

_MOST_PAGES = 200
MOST_A_PAGE = 25
_TOPICS_PAGE = 20


def _query_of(invocation: Invocation) -> Query:
    """The typed query with the options that a platform has as fields of their own."""
    query = parse(knowable(invocation.text("query")).text)
    if topic := invocation.text("topic"):
        query = replace(query, topics=(*query.topics, topic))
    if venue := invocation.text("venue"):
        query = replace(query, venues=(*query.venues, venue))
    if year := invocation.integer("year", 0):
        query = replace(query, years=Years(year, year))
    if invocation.flag("code"):
        query = replace(query, has_code=True)
    return query


_ADDRESS = re.compile(r"<?https?://\S+>?", re.IGNORECASE)


def search(context: Context, invocation: Invocation) -> Reply:
    """Ranked hits, a page at a time, with snippets that show why."""
    linked, unknown = named_in(invocation.text("query"), context.library.corpus)
    if linked:
        return _linked(linked)
    if unknown:
        raise NotFoundError(f"{unknown[0]} is not among these papers. Words of its title find what is near.")
    if _ADDRESS.fullmatch(invocation.text("query")):
        raise NotFoundError("No paper here has this address. Its title, or words of it, may find the paper.")
    query = _query_of(invocation)
    page = invocation.integer("page", 1)
    size = min(query.limit, MOST_A_PAGE) if query.limit else PAGE_SIZE
    asked = knowable(invocation.text("query"))
    if asked.notes and query == replace(parse(""), marks=query.marks):
        return _cannot_know(asked)
    results = context.library.index.find(query, offset=(page - 1) * size, limit=size)
    if results.problem is not None:
        return _nothing(invocation, results, results.problem)
    if not results.hits:
        pages = -(-results.total // size)
        on = "one page" if pages == 1 else f"{pages} pages"
        raise NotFoundError(f"There are {results.total} papers on {on}, so no page {page}.")
    first = (page - 1) * size + 1
    more = first + len(results.hits) - 1 < results.total
    notes = (*asked.notes, *unread_filters(invocation.text("query")), *notes_of(results))
    blocks: list[Block] = [Paragraph(said(note), quiet=True) for note in notes]
    blocks.extend(cards([hit.paper for hit in results.hits], [hit.snippet for hit in results.hits], first))
    blocks.append(Paragraph(text(_count(results.total, first, len(results.hits))), quiet=True))
    arguments = dict(invocation.arguments)
    hints = list(list_hints("search", first))
    if more:
        hints.append(text("More: ", Code(f"search {invocation.text('query')} page:{page + 1}".replace("  ", " "))))
    return Reply(
        "search",
        tuple(blocks),
        papers=tuple(Shown(hit.paper, hit.score) for hit in results.hits),
        listed=True,
        first_number=first,
        page=page,
        total=results.total,
        searched_for=results.searched_for,
        notes=notes,
        buttons=page_buttons("search", arguments, page, more and page < _MOST_PAGES),
        hints=tuple(hints),
    )


def _cannot_know(asked: Asked) -> Reply:
    """Nothing but what cannot be known was asked."""
    message = " ".join(note.removesuffix(" The rest was searched.") for note in asked.notes)
    hints = (text("Search by words, a name or a topic: ", Code("topics"), " lists those."),)
    return Reply("search", (Paragraph(said(message)),), total=0, hints=hints, error=ReplyError("no_match", message))


def _linked(papers: Sequence[Paper]) -> Reply:
    """The papers whose addresses or ids were typed."""
    return Reply(
        "search",
        cards(papers),
        papers=tuple(Shown(paper) for paper in papers),
        listed=True,
        total=len(papers),
        buttons=paper_buttons(papers[0]) if len(papers) == 1 else (),
        hints=list_hints("search", 1),
    )


_FILTER = re.compile(r"(?<!\S)(year|limit|has|page):(\S{1,40})")
_READABLE = {
    "year": "`year:2026`, `year:2024-2026` or `year:>2024`",
    "limit": f"`limit:1` to `limit:{MOST_A_PAGE}`",
    "has": "`has:code`",
    "page": f"`page:1` to `page:{_MOST_PAGES}`",
}


def unread_filters(typed: str) -> tuple[str, ...]:
    """A line for each filter whose value cannot be read, and which was therefore searched for as words."""
    notes: list[str] = []
    for found in _FILTER.finditer(typed[:2000]):
        query = parse(found[0])
        if not (query.years or query.has_code or query.limit):
            notes.append(f"`{found[0]}` was searched for as words: the filter is {_READABLE[found[1]]}.")
        elif query.limit and query.limit > MOST_A_PAGE:
            notes.append(f"At most {MOST_A_PAGE} papers fit a page.")
    return tuple(notes)


def notes_of(results: Results) -> tuple[str, ...]:
    """What the reply says beside its hits; always what was searched for, where that is not what was typed."""
    if results.searched_for is None or any(results.searched_for in note for note in results.notes):
        return results.notes
    return (f"Searched for “{results.searched_for}”.", *results.notes)


def _count(total: int, first: int, shown: int) -> str:
    if total == 1:
        return "1 paper"
    if shown == total:
        return f"{total} papers"
    return f"{first} to {first + shown - 1} of {total} papers"


def _nothing(invocation: Invocation, results: Results, problem: Problem) -> Reply:
    """No hits: why, and what may help."""
    blocks: list[Block] = [Paragraph(said(problem.message))]
    hints: list[Inlines] = []
    if problem.alone:
        blocks.append(Paragraph(text("Alone, these find papers: ", ", ".join(problem.alone))))
    if problem.words:
        blocks.append(Paragraph(text("Words here that look alike: ", ", ".join(problem.words))))
    if problem.topics:
        blocks.append(Paragraph(text("Topics here: ", ", ".join(problem.topics))))
    if problem.kind == "no_match":
        hints.append(text(Code("topics"), " lists what these papers are about."))
    else:
        hints.append(text(Code("help search"), " shows what you can type."))
    notes = (*knowable(invocation.text("query")).notes, *unread_filters(invocation.text("query")), *notes_of(results))
    asked = {word: word for word in problem.alone} | {topic: f'topic:"{topic}"' for topic in problem.topics}
    buttons = tuple(Button(name[:60], Call("search", {"query": query})) for name, query in list(asked.items())[:5])
    return Reply(
        "search",
        (*blocks, *(Paragraph(said(note), quiet=True) for note in notes)),
        page=invocation.integer("page", 1),
        total=0,
        searched_for=results.searched_for,
        notes=notes,
        buttons=buttons,
        hints=tuple(hints),
        error=ReplyError(problem.kind, problem.message),
    )


def similar(context: Context, invocation: Invocation) -> Reply:
    """Papers that share a paper's most telling words."""
    paper = invocation.papers["paper"]
    hits = context.library.index.similar(paper, limit=PAGE_SIZE)
    if not hits:
        raise NotFoundError(f"Nothing in the corpus is close to `{paper.handle}`.")
    found = [hit.paper for hit in hits]
    return Reply(
        "similar",
        (
            Paragraph(text("Closest to ", Strong(title_of(paper)), ":")),
            *cards(found),
        ),
        papers=tuple(Shown(hit.paper, hit.score) for hit in hits),
        listed=True,
        total=len(hits),
        buttons=paper_buttons(paper, without="similar"),
        hints=list_hints("similar", 1),
    )


def pick_random(context: Context, invocation: Invocation) -> Reply:
    """A paper by chance, or some, of a topic if one is named."""
    papers = context.library.corpus.papers
    topic = invocation.text("topic")
    if topic:
        known = tuple({own for paper in papers for own in paper.topics})
        wanted = {known[place] for place in matching(topic, known)}
        papers = tuple(paper for paper in papers if not wanted.isdisjoint(paper.topics))
    if not papers:
        raise NotFoundError(
            f"No paper has the topic “{topic}”. `topics` lists them." if topic else "The corpus is empty."
        )
    count = min(invocation.integer("count", 1), len(papers))
    reply = _together([tldr_reply(paper) for paper in random.sample(papers, count)])
    again = Button("Another" if count == 1 else "Others", Call("random", dict(invocation.arguments)))
    return replace(reply, command="random", buttons=(*reply.buttons, again))


def topics(context: Context, invocation: Invocation) -> Reply:
    """What the corpus is about, the most frequent first."""
    page = invocation.integer("page", 1)
    counts = Counter(topic for paper in context.library.corpus for topic in paper.topics)
    if not counts:
        raise NotFoundError("The corpus has no topics: it is too small for its own, and none are declared.")
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    if words := invocation.text("words"):
        named = {ranked[place][0] for place in matching(words, tuple(topic for topic, _ in ranked))}
        ranked = [entry for entry in ranked if entry[0] in named or words.casefold() in entry[0].casefold()]
        if not ranked:
            raise NotFoundError(f"No topic has “{words}” in its name. `search {words}` looks in the abstracts.")
    shown = ranked[(page - 1) * _TOPICS_PAGE : page * _TOPICS_PAGE]
    if not shown:
        raise NotFoundError(f"There are {len(ranked)} topics, so no page {page} of them.")
    items: tuple[Inlines, ...] = tuple(text(topic, f" ({count})") for topic, count in shown)
    example = shown[0][0]
    command = f'search topic:"{example}"' if " " in example else f"search topic:{example}"
    more = page * _TOPICS_PAGE < len(ranked)
    hints = [text(Code(command), " lists the papers of one.")]
    if more:
        filtered = f'words:"{words}" ' if words else ""
        hints.append(text("More: ", Code(f"topics {filtered}page:{page + 1}")))
    return Reply(
        "topics",
        (Heading(text("Topics")), Bullets(items)),
        page=page,
        total=len(ranked),
        buttons=page_buttons("topics", {"words": words} if words else {}, page, more),
        hints=tuple(hints),
    )


_PAPER = Parameter("paper", Kind.PAPER, "A handle, part of a title, or a number of your last list", required=True)
_PAGE = Parameter("page", Kind.INTEGER, "Which page of the list", keyword=True, minimum=1, maximum=_MOST_PAGES)


_PHONE_LINES = 420
"""Characters a paragraph of an abstract has at most, if its sentences allow: some ten lines on a phone."""


def show(_context: Context, invocation: Invocation) -> Reply:
    """The whole abstract of each paper, in short paragraphs, with all that is known of it."""
    return _together([_shown(paper) for paper in invocation.several["paper"]])


def _together(replies: Sequence[Reply]) -> Reply:
    """What each of several replies about a paper says, one under the other."""
    if len(replies) == 1:
        return replies[0]
    blocks = [block for reply in replies for block in reply.blocks]
    return Reply(replies[0].command, tuple(blocks), papers=tuple(one for reply in replies for one in reply.papers))


def _shown(paper: Paper) -> Reply:
    blocks: list[Block] = [Heading(title_of(paper)), Paragraph(meta_of(paper), quiet=True)]
    if paper.authors:
        blocks.append(Paragraph(text(", ".join(paper.authors)), quiet=True))
    blocks.extend(Paragraph(part) for part in paragraphs(paper.abstract, _PHONE_LINES))
    facts: list[tuple[str, Inlines]] = []
    if paper.topics:
        facts.append(("Topics", text(", ".join(paper.topics))))
    if links := links_of(paper):
        facts.append(("Links", joined([(Link(address, (Text(name),)),) for name, address in links], ", ")))
    if facts:
        blocks.append(Fields(tuple(facts)))
    return Reply(
        "show",
        tuple(blocks),
        papers=(Shown(paper),),
        buttons=(*paper_buttons(paper, without="show"), Button("Cite", paper_call("cite", paper))),
        hints=(text(Code(f"tldr {paper.handle}"), " · ", Code(f"similar {paper.handle}")),),
    )


def links_of(paper: Paper) -> list[tuple[str, str]]:
    """Where a paper leads to beside its own page, each with a name: PDF and pages by its ids, code, other addresses."""
    found = [(name, address) for name, address in pages_of(paper.keys) if address != paper.url]
    code = [(f"Code {number}" if number > 1 else "Code", address) for number, address in enumerate(paper.code, 1)]
    known = {paper.url, *(address for _, address in (*found, *code))}
    return [*found, *code, *((link, link) for link in paper.links if link not in known)]


def tldr(_context: Context, invocation: Invocation) -> Reply:
    """One line, then Problem, Approach, Result, Code: each from the abstract, with its place there."""
    return _together([tldr_reply(paper) for paper in invocation.several["paper"]])


def tldr_reply(paper: Paper) -> Reply:
    """The summary of a paper as a reply."""
    summary = summarise(paper)
    fields = tuple(
        (line.role.capitalize(), text(f"{line.text} ", Text(f"[{line.sentence}]"))) for line in summary.lines
    )
    blocks: list[Block] = [
        Heading(title_of(paper)),
        Paragraph(meta_of(paper), quiet=True),
        Paragraph(text(summary.tldr)),
    ]
    if fields:
        blocks.append(Fields(fields))
        blocks.append(Paragraph(text("In the abstract's own words; [n] is the sentence."), quiet=True))
    return Reply(
        "tldr",
        tuple(blocks),
        papers=(Shown(paper),),
        buttons=paper_buttons(paper, without="tldr"),
        hints=(text(Code(f"show {paper.handle}"), " · ", Code(f"similar {paper.handle}")),),
    )


_UP_TO_3 = replace(_PAPER, summary=f"{_PAPER.summary}; up to 3 at once", many=3)
_UP_TO_5 = replace(_PAPER, summary=f"{_PAPER.summary}; up to 5 at once", many=5)


COMMANDS = (
    Command(
        name="search",
        summary="Find papers by words, names or topics.",
        handler=search,
        utterances=utterances(
            "how many papers about …",
            "how many papers on …",
            "how many papers are there about …",
            "how many papers are there on …",
        ),
        order=10,
        parameters=(
            Parameter("query", Kind.TEXT, "What to look for; quotes, -without and filters work"),
            Parameter("topic", Kind.TOPIC, "Only papers of this topic", keyword=True, options_only=True),
            Parameter("venue", Kind.VENUE, "Only papers of this venue", keyword=True, options_only=True),
            Parameter(
                "year",
                Kind.INTEGER,
                "Only papers of this year",
                keyword=True,
                options_only=True,
                minimum=1800,
                maximum=2200,
            ),
            Parameter("code", Kind.FLAG, "Only papers with a link to code", keyword=True, options_only=True),
            _PAGE,
        ),
        details=(
            "The word `search` may be left out. "
            '`"exact words"` stand together, `-word` leaves papers out, and filters narrow the list: '
            "`topic:`, `has:code`, `year:2026` (or `year:2024-2026`), `venue:`, `limit:`."
        ),
        examples=(
            Example("search kv cache", "papers about the KV cache", ("xkv",)),
            Example("kv cache", "the same: other words are a search", ("xkv",)),
            Example('"load balancing" -pruning', "exact words, and words to leave out", ("phi-balancing",)),
            Example("kv cache has:code", "only papers that link to code", ("xkv",)),
            Example("mixture of experts limit:10", "more hits on a page", ("puzzlemoe", "dot-moe")),
            Example("search experts page:2", "the next page", ("6.",)),
        ),
    ),
    Command(
        name="similar",
        summary="Papers close to one that you name.",
        handler=similar,
        utterances=(
            *utterances("more like …", "closest to …", "neighbours of …", "similar to …", "papers similar to …"),
            *utterances("like …", "papers like …", "related to …", "papers related to …", exact=True),
        ),
        order=40,
        parameters=(_PAPER,),
        examples=(
            Example("similar puzzlemoe", "what else is about merging experts", ("dot-moe",)),
            Example("similar 1", "by the number in your last list", ("Closest to",), after="search kv cache"),
        ),
    ),
    Command(
        name="random",
        summary="A paper by chance, or some.",
        handler=pick_random,
        said=("surprise me", "random paper", "a random paper", "any paper", "pick one", "pick a paper"),
        utterances=utterances(
            "random paper about …",
            "random paper on …",
            "a random paper about …",
            "a random paper on …",
            "random … paper",
            "random …",
            "# random papers about …",
            "# random papers on …",
            "# random … papers",
            "# random papers",
        ),
        order=50,
        parameters=(
            Parameter("topic", Kind.TOPIC, "Only papers of this topic", keyword=True, many_words=True),
            Parameter("count", Kind.INTEGER, "How many, up to 5", keyword=True, minimum=1, maximum=5),
        ),
        examples=(
            Example("random", "any paper, in short", ("Approach",)),
            Example("random topic:moe", "of a topic", ("Approach",)),
        ),
    ),
    Command(
        name="topics",
        summary="What the papers are about.",
        handler=topics,
        said=("list topics", "the topics", "topic list", "what topics are there", "what are the topics"),
        order=60,
        parameters=(Parameter("words", Kind.TEXT, "Only topics with this in their name", keyword=True), _PAGE),
        examples=(Example("topics", "the most frequent topics", ("Topics",)),),
    ),
    Command(
        name="show",
        summary="A paper's abstract, authors and links.",
        handler=show,
        utterances=(
            *utterances(
                "abstract of …",
                "the abstract of …",
                "pdf of …",
                "the pdf of …",
                "link to …",
                "who wrote …",
                "authors of …",
                "the authors of …",
                "code for …",
                "code of …",
                "the code for …",
                "details of …",
            ),
            *utterances("abstract …", "open …", "read …", "pdf …", "code …", "what is …", exact=True),
        ),
        order=20,
        parameters=(_UP_TO_3,),
        examples=(
            Example(
                "show xkv", "by its handle", ("xKV: Cross-Layer KV-Cache Compression", "Centered Kernel Alignment")
            ),
            Example("show sinkhorn-normalized quantization", "by part of its title", ("SINQ",)),
            Example("show 1", "by the number in your last list", ("WarmServe",), after="search warmserve"),
            Example("show openreview.net/pdf?id=XDb69lykA8", "by an address, DOI or arXiv id", ("xKV",)),
        ),
    ),
    Command(
        name="tldr",
        summary="A paper in one line, then its problem, approach and result.",
        handler=tldr,
        utterances=(
            *utterances(
                "summary of …",
                "the summary of …",
                "a summary of …",
                "summarise …",
                "summarize …",
                "sum up …",
                "tl;dr of …",
                "tldr of …",
                "what is … about",
                "what's … about",
            ),
            *utterances("tl;dr …", "summary …", "explain …", "in short …", exact=True),
        ),
        order=30,
        parameters=(_UP_TO_5,),
        examples=(
            Example("tldr trifuse", "by its handle", ("Trifuse", "Approach")),
            Example("tldr 1", "by the number in your last list", ("Approach",), after="search gui grounding"),
            Example("tldr 1-2", "several, by their numbers", ("xKV", "WarmServe"), after="kv cache"),
        ),
    ),
)
