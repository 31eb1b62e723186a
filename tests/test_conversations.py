"""The conversation table and every declared example, through the dispatcher and the terminal."""

import io
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from connected import EVERYTHING, connected
from conversations import CONVERSATIONS, Turn
from rich.console import Console

from bot.adapters.terminal import CHANNEL, USER, show
from bot.commands import all_commands
from bot.commands.base import Command, CommandSet, Example
from bot.commands.dispatch import Dispatcher
from bot.config import default_corpus
from bot.connections import Connection, Connections, Offer
from bot.corpus import load_corpus
from bot.library import Library
from bot.message import Call, ChannelRef, Reply, User
from bot.richtext import plain_blocks
from bot.store.database import Database
from bot.store.last_list import LIFETIME
from bot.store.storage import Storage

EXAMPLES = [(command, example) for command in all_commands().all for example in command.examples]


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.of(load_corpus(default_corpus()))


@pytest.fixture
def dispatcher(library: Library) -> Dispatcher:
    return Dispatcher(lambda: library, all_commands())


@pytest.fixture
async def storing_dispatcher(library: Library) -> AsyncIterator[Dispatcher]:
    """One that keeps things, as in Slack and Discord."""
    database = await Database.open("sqlite:///:memory:")
    yield Dispatcher(
        lambda: library, all_commands(), storage=Storage.of(database, "test"), connections=connected("console")
    )
    await database.close()


def holds(answer: str, turn: Turn) -> None:
    flat = " ".join(answer.split())
    for expected in turn.expect:
        assert expected in flat, f"{turn.say!r} lacks {expected!r}:\n{answer}"
    for never in turn.never:
        assert never not in flat, f"{turn.say!r} holds {never!r}:\n{answer}"


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_conversation_as_plain_text(name: str, dispatcher: Dispatcher) -> None:
    for turn in CONVERSATIONS[name]:
        reply = await dispatcher.say(turn.say, USER, CHANNEL)
        holds(reply.typed, turn)
        assert reply.error is None or reply.error.kind != "internal"


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_conversation_in_the_terminal(name: str, dispatcher: Dispatcher) -> None:
    for turn in CONVERSATIONS[name]:
        out = io.StringIO()
        console = Console(file=out, width=100, highlight=False, emoji=False, markup=False)
        show(await dispatcher.say(turn.say, USER, CHANNEL), console)
        holds(out.getvalue(), turn)


@pytest.mark.parametrize(("command", "example"), EXAMPLES, ids=[example.say for _, example in EXAMPLES])
async def test_declared_example(command: Command, example: Example, storing_dispatcher: Dispatcher) -> None:
    if example.after:
        before = await storing_dispatcher.say(example.after, USER, CHANNEL)
        assert before.error is None
    reply = await storing_dispatcher.say(example.say, USER, CHANNEL)
    assert reply.error is None, reply.error
    assert reply.command == command.path
    for expected in example.shows:
        assert expected in reply.typed


@pytest.mark.parametrize("command", all_commands().all, ids=lambda command: command.path)
async def test_help_of_every_command_shows_its_examples(command: Command, storing_dispatcher: Dispatcher) -> None:
    reply = await storing_dispatcher.say(f"help {command.path}", USER, CHANNEL)
    assert command.examples
    for example in command.examples:
        assert example.say in reply.text


async def test_lists_belong_to_a_person_in_a_channel(dispatcher: Dispatcher) -> None:
    await dispatcher.say("kv cache", USER, CHANNEL)
    other_person = await dispatcher.say("tldr 1", User("somebody"), CHANNEL)
    other_channel = await dispatcher.say("tldr 1", USER, ChannelRef("console", "", "elsewhere"))
    assert other_person.error is not None
    assert other_channel.error is not None


async def test_a_list_expires_with_a_clear_message(library: Library) -> None:
    now = [datetime(2026, 7, 1, tzinfo=UTC)]
    dispatcher = Dispatcher(lambda: library, all_commands(), clock=lambda: now[0])
    await dispatcher.say("kv cache", USER, CHANNEL)
    now[0] += LIFETIME
    assert (await dispatcher.say("tldr 1", USER, CHANNEL)).error is None
    now[0] += timedelta(seconds=1)
    expired = await dispatcher.say("tldr 1", USER, CHANNEL)
    assert "expired" in expired.text


async def test_a_failing_command_gives_a_reference_that_finds_the_log_entry(
    library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_context: object, _invocation: object) -> Reply:
        raise RuntimeError("the reason")

    commands = CommandSet([Command("boom", "", broken, (Example("boom", "", ()),))])
    reply = await Dispatcher(lambda: library, commands).call(Call("boom"), USER, CHANNEL)
    assert reply.error is not None
    assert reply.error.kind == "internal"
    assert "the reason" not in reply.text
    reference = reply.error.message.rpartition(" ")[2]
    assert reference in caplog.text
    assert "the reason" in caplog.text


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (Call("nope"), "no command"),
        (Call("search", {"colour": "red"}), "has no `colour`"),
        (Call("search", {"page": "two"}), "a number from 1"),
        (Call("search", {"page": 0}), "a number from 1"),
        (Call("search", {"code": "yes"}), "yes or no"),
        (Call("tldr", {"paper": 3}), "is text"),
        (Call("tldr"), "needs a paper"),
    ],
)
async def test_typed_calls_are_checked(call: Call, words: str, dispatcher: Dispatcher) -> None:
    reply = await dispatcher.call(call, USER, CHANNEL)
    assert reply.error is not None
    assert words in reply.error.message


async def test_options_narrow_a_search(dispatcher: Dispatcher) -> None:
    reply = await dispatcher.call(Call("search", {"query": "experts", "code": True, "year": 2026}), USER, CHANNEL)
    assert all(shown.paper.code for shown in reply.papers)
    none = await dispatcher.call(Call("search", {"query": "experts", "year": 1999}), USER, CHANNEL)
    assert not none.papers


async def test_ambiguity_lists_candidates_to_choose_by_number(dispatcher: Dispatcher) -> None:
    reply = await dispatcher.say("tldr reasoning", USER, CHANNEL)
    assert reply.error is not None
    assert reply.error.kind == "ambiguous"
    assert len(reply.papers) > 1
    chosen = await dispatcher.say("tldr 2", USER, CHANNEL)
    assert chosen.papers[0].paper.id == reply.papers[1].paper.id


async def test_reply_is_the_same_value_for_text_and_call(dispatcher: Dispatcher) -> None:
    said = await dispatcher.say("show xkv", USER, CHANNEL)
    called = await dispatcher.call(Call("show", {"paper": "xkv"}), USER, CHANNEL)
    assert plain_blocks(said.blocks) == plain_blocks(called.blocks)


@pytest.fixture
def terminal(library: Library) -> Dispatcher:
    """As `paperboy chat` builds it: nothing is kept, and both platforms are known."""
    elsewhere = Connections({"slack": EVERYTHING, "discord": Offer.STORAGE | Offer.NEWS})
    return Dispatcher(lambda: library, all_commands(), connections=elsewhere)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("save xkv", "save works in Slack and Discord: nothing is kept here."),
        ("save 1", "save works in Slack and Discord: nothing is kept here."),
        ("save", "needs a paper"),
        ("saved", "saved works in Slack and Discord: nothing is kept here."),
        ("export", "export works in Slack and Discord: nothing is kept here."),
        ("export control", "export works in Slack and Discord: nothing is kept here."),
        ("data delete", "data delete works in Slack and Discord: nothing is kept here."),
        ("watch time prediction", "search time prediction looks for these words."),
        ("seen experts", "seen works in Slack: nothing is kept here. search experts looks for these words."),
        ("digest on 9:00", "digest on works in Slack: nothing is kept here."),
        ("digest", "digest works in Slack: nothing is kept here."),
        ("help save", "save works in Slack and Discord: nothing is kept here."),
    ],
)
async def test_what_the_terminal_does_not_offer_is_said_with_where_it_works(
    words: str, told: str, terminal: Dispatcher
) -> None:
    reply = await terminal.say(words, USER, CHANNEL)
    assert told in reply.typed
    assert reply.command != "search"


@pytest.mark.parametrize("words", ["save GPU memory", "vote for the best answer"])
async def test_several_words_that_name_no_paper_are_a_search_as_everywhere(words: str, terminal: Dispatcher) -> None:
    assert (await terminal.say(words, USER, CHANNEL)).command == "search"


async def test_help_leaves_out_what_is_not_offered(terminal: Dispatcher) -> None:
    shown = (await terminal.say("help", USER, CHANNEL)).text
    assert "search" in shown
    for word in ("digest", "save", "watch", "vote", "export", "data"):
        assert word not in shown


async def test_where_digests_are_switched_off_they_are_not_promised(library: Library) -> None:
    database = await Database.open("sqlite:///:memory:")
    lent = connected(offers=Offer.STORAGE | Offer.NEWS)
    dispatcher = Dispatcher(lambda: library, all_commands(), storage=Storage.of(database, "test"), connections=lent)
    place = ChannelRef("slack", "T1", "C1")
    told = (await dispatcher.say("digest on 9:00 berlin", USER, place)).text
    assert "digest on does not work here: no paper of the day is posted here. Whoever runs this bot can" in told
    assert "digest" not in (await dispatcher.say("help", USER, place)).text
    assert (await dispatcher.say("save xkv", USER, place)).error is None
    assert (await dispatcher.say("watch kv cache", USER, place)).error is None
    await database.close()


async def test_a_platform_that_nobody_lent_offers_nothing(library: Library) -> None:
    database = await Database.open("sqlite:///:memory:")
    storage, stranger = Storage.of(database, "test"), ChannelRef("toy", "1", "1")
    dispatcher = Dispatcher(lambda: library, all_commands(), storage=storage, connections=connected())
    assert "save works in Slack" in (await dispatcher.say("save xkv", USER, stranger)).text
    assert "digest on works in Slack" in (await dispatcher.say("digest on 9:00 berlin", USER, stranger)).text
    await database.close()


async def test_between_tries_to_connect_nothing_is_promised(library: Library) -> None:
    database = await Database.open("sqlite:///:memory:")
    lent = Connections({"slack": EVERYTHING})
    dispatcher = Dispatcher(lambda: library, all_commands(), storage=Storage.of(database, "test"), connections=lent)
    told = (await dispatcher.say("digest on 9:00 berlin", USER, ChannelRef("slack", "T1", "C1"))).text
    assert "cannot post yet" in told
    await database.close()


def test_a_connection_lends_what_it_offers() -> None:
    with pytest.raises(ValueError, match="nothing that posts"):
        Connection("toy", Offer.NEWS, lambda: True)
    with pytest.raises(ValueError, match="who may set them up"):
        Connection("toy", Offer.DIGEST, lambda: True, poster=connected().poster("slack", Offer.DIGEST))
    assert Connection("toy", Offer.STORAGE, lambda: True).poster is None
