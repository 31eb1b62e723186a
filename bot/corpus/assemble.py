"""From parsed records to papers: duplicates merged, identities kept, handles given, topics found."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from bot.corpus.codec import paper_to_json
from bot.corpus.identity import Fingerprint, group, match
from bot.corpus.labels import Label, assign, derive
from bot.corpus.markup.repair import join_broken, vocabulary_of
from bot.corpus.parsing import Parsed, ParsedFile
from bot.corpus.records import public_keys
from bot.corpus.topics import derive_topics
from bot.papers import Corpus, Paper, Source, id_of_words, normalised
from bot.richtext import Text, plain

ASSEMBLY_VERSION = 1

_CODE_HOSTS = (
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "huggingface.co",
    "anonymous.4open.science",
    "zenodo.org",
    "osf.io",
    "sourceforge.net",
    "kaggle.com",
)


def assemble(files: Sequence[ParsedFile], previous: Corpus | None) -> Corpus:
    """The corpus of these files. Papers that `previous` knew (also retired ones) keep their id and handle."""
    parsed = [paper for file in files for paper in file.papers]
    prints = [_fingerprint(entry) for entry in parsed]
    drafts = [_draft([parsed[index] for index in members], prints[members[0]]) for members in group(prints)]
    known = (*previous.papers, *previous.retired) if previous else ()
    papers = _identified(drafts, known)
    vocabulary = vocabulary_of(paper.text for paper in papers)
    papers = [replace(paper, abstract=join_broken(paper.abstract, vocabulary)) for paper in papers]
    papers = _with_topics(papers)
    present = {paper.id for paper in papers}
    body = json.dumps([paper_to_json(paper) for paper in papers], ensure_ascii=False)
    return Corpus(
        papers=tuple(papers),
        fingerprint=hashlib.sha256(f"{ASSEMBLY_VERSION}{body}".encode()).hexdigest(),
        faults=tuple(fault for file in files for fault in file.faults),
        notices=tuple(notice for file in files for notice in file.notices),
        retired=tuple(paper for paper in known if paper.id not in present),
    )


def _fingerprint(entry: Parsed) -> Fingerprint:
    record = entry.record
    words = normalised(plain(entry.abstract))
    return Fingerprint(
        id=id_of_words(words),
        keys=public_keys(record),
        records=frozenset({f"{record.file}#{record.record_id}"} if record.record_id else ()),
        title=normalised(plain(entry.title)),
        text=words,
    )


_Draft = tuple[Paper, Fingerprint, Label]


def _draft(entries: Sequence[Parsed], print_: Fingerprint) -> _Draft:
    """One paper from its records: of each field the first that has it, of lists everything."""
    first = entries[0]
    records = [entry.record for entry in entries]
    titled = next((entry for entry in entries if entry.title), first)
    links = tuple(dict.fromkeys(link for entry in entries for link in entry.links))
    label = first.label if titled is first else derive(first.abstract, title=titled.title, links=links)
    url = next((record.url for record in records if record.url), None)
    declared = [link for record in records for link in record.code]
    code = tuple(dict.fromkeys([*declared, *(link for link in links if _is_code(link))]))
    paper = Paper(
        id=print_.id,
        handle="",
        name=label.name,
        aliases=label.aliases,
        title=titled.title or (Text(label.title),),
        title_source=titled.record.title_source if titled.title else "derived",
        abstract=first.abstract,
        sources=tuple(Source(r.file, r.position, r.line, r.record_id) for r in records),
        authors=next((record.authors for record in records if record.authors), ()),
        links=tuple(dict.fromkeys([*links, *([url] if url else [])])),
        code=code,
        url=url or (links[0] if links and not code else None),
        venue=next((record.venue for record in records if record.venue), None),
        year=next((record.year for record in records if record.year), None),
        session=next((record.session for record in records if record.session), None),
        topics=tuple(dict.fromkeys(topic for record in records for topic in record.topics)),
        keys=frozenset(key for record in records for key in public_keys(record)),
        extra={name: value for record in reversed(records) for name, value in record.extra.items()},
    )
    record_ids = frozenset(f"{r.file}#{r.record_id}" for r in records if r.record_id)
    return paper, replace(print_, keys=paper.keys, records=record_ids), label


def _is_code(link: str) -> bool:
    host = link.partition("://")[2].partition("/")[0].lower()
    return any(host == known or host.endswith("." + known) for known in _CODE_HOSTS)


def _identified(drafts: Sequence[_Draft], known: Sequence[Paper]) -> list[Paper]:
    """Ids and handles: of the known paper where there is one, else new and never one that was ever given."""
    matched = match([print_ for _, print_, _ in drafts], known)
    taken = {paper.handle: paper.id for paper in known}
    new = [index for index in range(len(drafts)) if index not in matched]
    handles = dict(zip(new, assign([drafts[index][2] for index in new], taken), strict=True))
    papers: list[Paper] = []
    for index, (paper, print_, _) in enumerate(drafts):
        before = matched.get(index)
        if before is None:
            papers.append(replace(paper, handle=handles[index]))
            continue
        former = dict.fromkeys([*before.former_ids, *([print_.id] if print_.id != before.id else [])])
        papers.append(replace(paper, id=before.id, handle=before.handle, former_ids=tuple(former)))
    return papers


def _with_topics(papers: Sequence[Paper]) -> list[Paper]:
    """Papers without declared topics get the corpus' own: its frequent noun phrases."""
    bare = [index for index, paper in enumerate(papers) if not paper.topics]
    found = derive_topics([papers[index].text for index in bare])
    result = list(papers)
    for index, topics in zip(bare, found.by_text, strict=True):
        result[index] = replace(papers[index], topics=topics)
    return result
