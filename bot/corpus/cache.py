"""Caches: papers and rich text as JSON, quick to read back, in files that are either the old ones or the new ones."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, assert_never

from bot.papers import Paper, Source
from bot.richtext import Code, Emphasis, Inline, Inlines, LineBreak, Link, Mark, Math, Strong, Text

CODEC_VERSION = 1

Json = Any  # what json.loads gives; read back only by the functions below, from files that they wrote


def inlines_to_json(nodes: Inlines) -> list[Json]:
    """A text node is its string; every other node a list that starts with its letter."""
    return [_to_json(node) for node in nodes]


def _to_json(node: Inline) -> Json:
    match node:
        case Text(text):
            return text
        case Strong(children):
            return ["b", inlines_to_json(children)]
        case Emphasis(children):
            return ["i", inlines_to_json(children)]
        case Mark(children):
            return ["k", inlines_to_json(children)]
        case Code(text):
            return ["c", text]
        case Link(url, children):
            return ["a", inlines_to_json(children), url]
        case Math(text, source):
            return ["m", text, source]
        case LineBreak():
            return ["n"]
        case _:
            assert_never(node)


def inlines_from_json(values: list[Json]) -> Inlines:
    """The nodes that `inlines_to_json` wrote. Raises ValueError for anything else."""
    return tuple([Text(value) if isinstance(value, str) else _from_json(value) for value in values])


def _from_json(value: Json) -> Inline:
    match value:
        case ["b", children]:
            return Strong(inlines_from_json(children))
        case ["i", children]:
            return Emphasis(inlines_from_json(children))
        case ["k", children]:
            return Mark(inlines_from_json(children))
        case ["c", text]:
            return Code(text)
        case ["a", children, url]:
            return Link(url, inlines_from_json(children))
        case ["m", text, source]:
            return Math(text, source)
        case ["n"]:
            return LineBreak()
        case _:
            raise ValueError(f"not a rich text node: {value!r:.80}")


def paper_to_json(paper: Paper) -> Json:
    """One paper as a list of its fields, in the order of the dataclass."""
    return [
        paper.id,
        paper.handle,
        paper.name,
        paper.aliases,
        inlines_to_json(paper.title),
        paper.title_source,
        inlines_to_json(paper.abstract),
        [[source.file, source.position, source.line, source.record_id] for source in paper.sources],
        paper.authors,
        paper.links,
        paper.code,
        paper.url,
        paper.venue,
        paper.year,
        paper.session,
        paper.topics,
        paper.former_ids,
        sorted(paper.keys),
        dict(paper.extra),
    ]


def paper_from_json(value: Json) -> Paper:
    """The paper that `paper_to_json` wrote. Raises ValueError or TypeError for anything else."""
    (
        paper_id,
        handle,
        name,
        aliases,
        title,
        title_source,
        abstract,
        sources,
        authors,
        links,
        code,
        url,
        venue,
        year,
        session,
        topics,
        former_ids,
        keys,
        extra,
    ) = value
    return Paper(
        id=paper_id,
        handle=handle,
        name=name,
        aliases=tuple(aliases),
        title=inlines_from_json(title),
        title_source=title_source,
        abstract=inlines_from_json(abstract),
        sources=tuple([Source(*source) for source in sources]),
        authors=tuple(authors),
        links=tuple(links),
        code=tuple(code),
        url=url,
        venue=venue,
        year=year,
        session=session,
        topics=tuple(topics),
        former_ids=tuple(former_ids),
        keys=frozenset(keys),
        extra=extra,
    )


def write_text(path: Path, text: str) -> None:
    """Write a file beside its place and move it there, so that a reader never sees half of it. Makes its folder."""
    write_parts(path, (text,))


def write_parts(path: Path, parts: Iterable[str]) -> None:
    """The same for a text that is never whole in memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(parts)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
