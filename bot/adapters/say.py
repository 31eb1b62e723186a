"""Answers on standard output: one reply as plain text, or as a line of JSON for programs (see docs/say.md)."""

import json

from bot.message import Reply, Shown


def as_plain(reply: Reply) -> str:
    """The reply as somebody at a terminal without colours reads it."""
    return reply.typed


def as_json(reply: Reply) -> str:
    """One line; the fields are a public interface and only ever grow."""
    value: dict[str, object] = {
        "command": reply.command,
        "ok": reply.error is None,
        "papers": [_paper(shown) for shown in reply.papers],
        "page": reply.page,
        "total": reply.total,
        "searched_for": reply.searched_for,
        "text": reply.typed,
        "private": reply.private,
        "notes": list(reply.notes),
        "error": {"kind": reply.error.kind, "message": reply.error.message} if reply.error else None,
    }
    return json.dumps(value, ensure_ascii=False)


def _paper(shown: Shown) -> dict[str, object]:
    paper = shown.paper
    return {
        "id": paper.id,
        "handle": paper.handle,
        "name": paper.name,
        "aliases": list(paper.aliases),
        "title": paper.title_text,
        "title_source": paper.title_source,
        "links": list(paper.links),
        "sources": [
            {"file": source.file, "position": source.position, "record_id": source.record_id}
            for source in paper.sources
        ],
        "score": shown.score,
    }
