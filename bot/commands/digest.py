"""The paper of the day, set up by the people in a channel: group `digest`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time

from bot.commands.base import Command, Context, Example, Invocation, Kind, Parameter, line, storage_of
from bot.commands.channel_digest import access_to, changed, facts_of, local_time, may_manage, own, upcoming
from bot.commands.fetch import fetch
from bot.connections import Offer
from bot.errors import UsageError, UserError
from bot.message import Button, Call, Reply
from bot.richtext import Bullets, Code, Fields, Heading, Paragraph, text
from bot.schedule import zones
from bot.schedule.dates import date_in_words, parse_date, parse_days, parse_time
from bot.schedule.values import OPEN, WEEKDAYS, Schedule, Style, Subscription
from bot.search import parse


@dataclass(frozen=True, slots=True)
class _When:
    at: time | None
    zone: str | None
    weekdays: frozenset[int] | None


def _when(words: str) -> _When:
    """`9:00 Europe/Berlin weekdays`, `9 am mon,wed,fri new york`, any part of it. Raises UsageError for other words."""
    parts = words.split()
    at = None
    if len(parts) > 1 and parts[0].lower() == "at":
        del parts[0]
    for count in (2, 1):
        at = parse_time(" ".join(parts[:count]))
        if at is not None:
            parts = parts[count:]
            break
    days, rest = _days_of(parts)
    return _When(at, _zone(rest, timed=at is not None) if rest else None, days)


def _days_of(parts: Sequence[str]) -> tuple[frozenset[int] | None, str]:
    """The longest run of words that names days, and the other words."""
    for count in range(len(parts), 0, -1):
        for start in range(len(parts) - count + 1):
            days = parse_days(" ".join(parts[start : start + count]))
            if days is not None:
                return days, " ".join([*parts[:start], *parts[start + count :]])
    return None, " ".join(parts)


def _zone(words: str, *, timed: bool) -> str:
    answer = zones.find(words)
    if answer.zone is None:
        if not timed:
            raise UsageError(
                f"I read no time of day in “{words}”: write `9:00`, `9am` or `21h`, as in `digest on 9:00`."
            )
        near = " or ".join(f"`{name}`" for name in answer.suggestions[:3])
        hint = f"Did you mean {near}?" if near else "Name it by a city, such as `berlin` or `new york`."
        raise UsageError(f"I know no time zone or days called “{words}”. {hint}")
    return answer.zone


def _style(words: str) -> Style:
    match words:
        case "brief" | "full":
            return words
        case "":
            return "full"
        case _:
            raise UsageError("`style` is `brief` or `full`.")


def _topic(context: Context, invocation: Invocation) -> str | None:
    """What the papers are to be about: None for as before, where nothing is said, and "" for anything again.

    Raises UsageError where no paper here is about it: the channel would be given none, day after day.
    """
    words = invocation.text("topic")
    if not words:
        return None
    if words.lower() in {"none", "any", "all"}:
        return ""
    query = parse(words)
    if not (query.words or query.phrases or query.filtered) or not context.library.index.find(query, 0, 1).hits:
        raise UsageError(f"No paper here is about “{words}”. `topics` lists what they are about; `topic:none` is any.")
    return words


async def on(context: Context, invocation: Invocation) -> Reply:
    """Set up, change or resume the channel's digest; answers with the next three posts."""
    storage = storage_of(context)
    before = await fetch(storage.subscriptions.here(invocation.channel))
    words = " ".join(invocation.text(name) for name in ("time", "zone", "days")).strip()
    if before is not None and before.declared and before.ended is None:
        return await _resume_declared(context, before, invocation)
    if before is not None and before.declared:
        before = None  # it was the operator's, and is declared no more
    if not words and before is None:
        raise UsageError("Say when: for example `digest on 9:00`.")
    when = _when(words)
    if when.at is None and before is None:
        raise UsageError(f"At what time? For example `digest on 9:00 {words}`.")
    await may_manage(context, invocation)
    access = access_to(context, invocation.channel)
    if reason := await fetch(access.may_post(invocation.channel)):
        raise UserError(reason)
    zone = when.zone or (before.schedule.zone if before else None)
    if zone is None:
        zone = await fetch(access.zone_of(invocation.user, invocation.channel))
    if zone is None:
        raise UsageError(f"In which time zone? Say a city: `digest on {words} berlin`.")
    now = storage.clock()
    style = _style(invocation.text("style")) if invocation.text("style") else None
    topic = _topic(context, invocation)

    def asked(before: Subscription | None) -> Subscription:
        """What was said, and for the rest what is there by now."""
        weekdays = when.weekdays or (before.schedule.weekdays if before else WEEKDAYS)
        at = when.at or (before.schedule.at if before else time(9))
        return Subscription(
            id=before.id if before else 0,
            channel=invocation.channel,
            schedule=Schedule(at, when.zone or (before.schedule.zone if before else zone), now, weekdays),
            set_up_by=invocation.user.id,
            topic=(before.topic if before else "") if topic is None else topic,
            count=invocation.integer("count", before.count if before else 1),
            thread=invocation.flag("thread") or bool(before and before.thread and "thread" not in invocation.arguments),
            style=style or (before.style if before else "full"),
        )

    if before is not None:
        entry = await changed(storage, before, asked)
    else:
        entry = await fetch(storage.subscriptions.put(asked(None)))
    posts = (await upcoming(storage, entry, 3)).lines(entry)
    return Reply(
        "digest on",
        (
            Heading(text("The paper of the day is set up")),
            Fields(facts_of(entry, now)),
            Paragraph(text("The next posts here:")),
            Bullets(tuple(map(text, posts))),
        ),
        buttons=(Button("Preview", Call("digest preview")), Button("Post one now", Call("digest now"))),
        hints=(text(Code("digest preview"), " · ", Code("digest status"), " · ", Code("digest off")),),
    )


def _declared(entry: Subscription) -> str:
    return (
        f"Whoever runs this bot declares the digest of this channel, as “{entry.digest}” in its config: only they "
        "change it or take it away. `digest pause` and `digest skip` work, and `digest on` alone ends a pause."
    )


async def _resume_declared(context: Context, entry: Subscription, invocation: Invocation) -> Reply:
    """End a pause or a hold of a declared digest. Raises UserError where that is not what was asked."""
    storage = storage_of(context)
    await may_manage(context, invocation)
    if invocation.arguments or not (entry.schedule.paused_until or entry.held_for):
        raise UserError(_declared(entry))
    now = storage.clock()

    def resumed(entry: Subscription) -> Subscription:
        return replace(entry, held_for=None, schedule=replace(entry.schedule, paused_until=None, since=now))

    entry = await changed(storage, entry, resumed)
    posts = (await upcoming(storage, entry, 1)).lines(entry)
    return line("digest on", f"It goes on: {posts[0]}." if posts else "It goes on.")


async def off(context: Context, invocation: Invocation) -> Reply:
    """Switch the channel's digest off; its settings are kept."""
    storage = storage_of(context)
    entry = await own(storage, invocation)
    await may_manage(context, invocation)
    if entry.declared:
        raise UserError(_declared(entry))
    now = storage.clock()
    await changed(storage, entry, lambda entry: replace(entry, ended=now))
    return line("digest off", "The paper of the day is off here. `digest on` brings it back as it was.")


async def pause(context: Context, invocation: Invocation) -> Reply:
    """No posts until a date."""
    storage = storage_of(context)
    entry = await own(storage, invocation)
    await may_manage(context, invocation)
    until = _date(invocation.text("until"), entry, storage.clock())
    entry = await changed(
        storage, entry, lambda entry: replace(entry, schedule=replace(entry.schedule, paused_until=until))
    )
    posts = (await upcoming(storage, entry, 1)).lines(entry)
    after = f" The next post is {posts[0]}." if posts else ""
    return line("digest pause", f"Paused until {date_in_words(until)}.{after}{_held(entry)}")


async def skip(context: Context, invocation: Invocation) -> Reply:
    """Leave one date out."""
    storage = storage_of(context)
    entry = await own(storage, invocation)
    await may_manage(context, invocation)
    day = _date(invocation.text("date"), entry, storage.clock())
    for row in await fetch(storage.ledger.scheduled(entry.id, day)):
        if row.day == day and (row.message or row.state in OPEN):
            became = "was posted already" if row.message else "is on its way already"
            raise UserError(f"The paper of {date_in_words(day)} {became}.")
    entry = await changed(
        storage,
        entry,
        lambda entry: replace(entry, schedule=replace(entry.schedule, skips=entry.schedule.skips | {day})),
    )
    anyway = "" if day.weekday() in entry.schedule.weekdays else " It is none of its days anyway."
    return line("digest skip", f"Nothing is posted on {date_in_words(day)}.{anyway}")


def _date(words: str, entry: Subscription, now: datetime) -> date:
    today = now.astimezone(zones.load(entry.schedule.zone)).date()
    day = parse_date(words, today)
    if day is None:
        raise UsageError(f"“{words}” is no date that I can read: write `2026-08-03`, `3 aug` or `monday`.")
    if day < today:
        raise UsageError(f"{date_in_words(day)} is over.")
    return day


def _held(entry: Subscription) -> str:
    return f" Posts are held here: {entry.held_for}" if entry.held_for else ""


async def now_(context: Context, invocation: Invocation) -> Reply:
    """Post at once: today's paper, or an extra one."""
    storage = storage_of(context)
    entry = await own(storage, invocation)
    await may_manage(context, invocation)
    word = invocation.text("extra").lower()
    if word not in {"", "extra"}:
        raise UsageError("`digest now` posts today's paper, `digest now extra` another one.")
    if reason := await fetch(access_to(context, invocation.channel).may_post(invocation.channel)):
        raise UserError(f"Posts are held here: {reason}" if entry.held_for else reason)
    if entry.held_for:  # its cause is gone, which would be found within the hour
        await fetch(storage.subscriptions.end_hold(entry.id))
        entry = replace(entry, held_for=None)
    today = storage.clock().astimezone(zones.load(entry.schedule.zone)).date()
    if not await fetch(storage.ledger.enter_now(entry, today, extra=word == "extra")):
        raise UserError("Today's paper is posted or on its way. `digest now extra` posts another one.")
    runs = (await upcoming(storage, entry, 2)).runs
    after = f" The next one comes {local_time(runs[0], entry)}." if runs else ""
    return line("digest now", f"On its way: it will be here in a moment.{after}")


_SETTINGS = (
    Parameter("time", Kind.TEXT, "Local time: 9:00, 9am, 21h"),
    Parameter("zone", Kind.TEXT, "Time zone: a city or an IANA name; in Slack yours is the default"),
    Parameter("days", Kind.TEXT, "weekdays (the default), daily, or mon,wed,fri"),
    Parameter("topic", Kind.TEXT, "Only papers that these words find", keyword=True, many_words=True),
    Parameter("count", Kind.INTEGER, "Papers a time", keyword=True, minimum=1, maximum=5),
    Parameter("thread", Kind.FLAG, "A thread with the abstract under each post", keyword=True),
    Parameter("style", Kind.TEXT, "brief or full", keyword=True),
)
_A_DATE = "A date: 2026-08-03, 3 aug, monday"
_SET_UP = "digest on 9:00 berlin"

COMMANDS = (
    Command(
        name="on",
        group="digest",
        summary="Set up the paper of the day in this channel.",
        handler=on,
        order=70,
        needs=Offer.STORAGE | Offer.DIGEST,
        parameters=_SETTINGS,
        details="Said again, it changes what is given and keeps the rest; after `digest off` it brings all back.",
        examples=(
            Example("digest on 9:00 berlin", "at nine, Berlin time, Monday to Friday", ("09:00", "Europe/Berlin")),
            Example("digest on 8am new york mon,wed,fri count:2", "two papers, three days a week", ("Mon, Wed, Fri",)),
        ),
    ),
    Command(
        name="off",
        group="digest",
        summary="Switch it off; its settings are kept.",
        handler=off,
        order=71,
        needs=Offer.STORAGE | Offer.DIGEST,
        examples=(Example("digest off", "no more posts", ("is off here",), after=_SET_UP),),
    ),
    Command(
        name="pause",
        group="digest",
        summary="No posts until a date.",
        handler=pause,
        order=72,
        needs=Offer.STORAGE | Offer.DIGEST,
        parameters=(Parameter("until", Kind.TEXT, _A_DATE, required=True),),
        examples=(Example("digest pause monday", "go on next Monday", ("Paused until",), after=_SET_UP),),
    ),
    Command(
        name="skip",
        group="digest",
        summary="Leave one date out.",
        handler=skip,
        order=73,
        needs=Offer.STORAGE | Offer.DIGEST,
        parameters=(Parameter("date", Kind.TEXT, _A_DATE, required=True),),
        examples=(Example("digest skip tomorrow", "no post tomorrow", ("Nothing is posted on",), after=_SET_UP),),
    ),
    Command(
        name="now",
        group="digest",
        summary="Post today's paper at once, or an extra one.",
        handler=now_,
        order=76,
        needs=Offer.STORAGE | Offer.DIGEST,
        parameters=(Parameter("extra", Kind.TEXT, "The word extra, for one beside today's"),),
        examples=(Example("digest now extra", "one more, beside today's", ("On its way",), after=_SET_UP),),
    ),
)
