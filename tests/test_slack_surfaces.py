"""Every place in Slack where the bot can be met: threads, direct messages, home, modals, menus, shared posts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from platforms.slack.attacks import ATTACKS, HIDDEN, corpus
from platforms.slack.live import live
from platforms.slack.people import Person
from platforms.slack.running import Running, running_bot, seeds
from platforms.slack.seen import buttons, elements, links, words
from platforms.slack.server import slack_server
from platforms.slack.world import Fault, View

from bot.adapters.slack.section import SlackSection
from bot.library import Library
from bot.message import ChannelRef, User


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Running]:
    async with slack_server() as server, running_bot(server, tmp_path) as running:
        yield running
    assert server.world.refused == []
    assert server.world.late == []


def xkv() -> str:
    paper = seeds().corpus.get("xkv")
    assert paper is not None
    return paper.id


# threads and direct messages


async def test_a_mention_is_answered_in_its_thread_for_all(bot: Running) -> None:
    answer = await bot.person().mention("kv cache")
    assert answer.thread
    assert answer.only == ""
    assert "xKV" in words(answer.blocks)
    assert "Delete" in buttons(answer.blocks)


async def test_a_mention_in_a_thread_stays_there(bot: Running) -> None:
    assert (await bot.person().mention("tldr xkv", thread="5.5")).thread == "5.5"


async def test_a_bare_mention_is_help(bot: Running) -> None:
    assert "What you can type" in words((await bot.person().mention("")).blocks)


async def test_buttons_of_a_mention_s_answer_open_privately_in_the_thread(bot: Running) -> None:
    person = bot.person()
    answer = await person.mention("tldr xkv")
    before = words(answer.blocks)
    seen = await person.press_shared("Abstract")
    assert seen.private
    assert not seen.replaced
    assert "Centered Kernel Alignment" in seen.text
    assert person.last().thread == answer.thread
    assert words(answer.blocks) == before
    assert answer.version == 0


async def test_numbers_of_a_mention_s_list_count_for_whoever_asked(bot: Running) -> None:
    person = bot.person()
    await person.mention("kv cache")
    assert "xKV" in (await person.say("tldr 1")).text


@pytest.mark.parametrize(
    "event",
    [
        {"type": "app_mention", "text": "<@UBOT> kv", "bot_id": "B2", "ts": "1.1"},
        {"type": "app_mention", "text": "<@UBOT> kv", "edited": {"user": "U1", "ts": "1.2"}, "ts": "1.1"},
        {"type": "message", "channel_type": "im", "text": "kv", "subtype": "message_changed", "ts": "1.1"},
        {"type": "message", "channel_type": "im", "text": "kv", "bot_id": "B1", "user": "UBOT", "ts": "1.1"},
        {"type": "message", "channel_type": "channel", "text": "kv", "ts": "1.1"},
        {"type": "reaction_added", "reaction": "tada", "item": {}},
        {"type": "something_new", "more": {"deep": [1, 2]}},
    ],
    ids=["bot", "edited", "changed", "itself", "channel", "reaction", "unknown"],
)
async def test_what_is_not_said_to_the_bot_is_acknowledged_and_left(event: dict[str, object], bot: Running) -> None:
    person = bot.person()
    assert await person.event(event) is not None
    await bot.stop()  # everything under way is finished
    assert bot.server.world.messages == []


async def test_a_direct_message_is_answered_in_place(bot: Running) -> None:
    person = bot.person(channel="D1")
    seen = await person.write("kv cache")
    assert seen.private
    assert "xKV" in seen.text
    assert person.last().thread is None
    second = await person.press("TL;DR")
    assert second.replaced
    back = await person.press("Back")
    assert back.replaced
    assert back.text == seen.text
    assert "Share to channel" not in second.buttons


# shortcut


async def test_the_shortcut_searches_by_the_words_of_a_message(bot: Running) -> None:
    seen = await bot.person().shortcut("Has <@U2> seen this? KV cache compression across layers")
    assert seen.private
    assert "xKV" in seen.text


async def test_the_shortcut_works_where_the_bot_is_no_member(bot: Running) -> None:
    seen = await bot.person(channel="C2").shortcut("kv cache")
    assert "xKV" in seen.text


async def test_a_message_without_words(bot: Running) -> None:
    assert "has no words" in (await bot.person().shortcut("<@U1> :+1:? …")).text


# home


async def test_the_home_says_what_the_bot_can_do(bot: Running) -> None:
    home = await bot.person().open_home()
    assert home["type"] == "home"
    assert "What you can type" in words(home["blocks"])
    assert "Search with filters" in buttons(home["blocks"])


async def test_buttons_at_home_open_a_modal_and_go_on_inside_it(bot: Running) -> None:
    person, world = bot.person(), bot.server.world
    home = await person.open_home()
    await person.use_view({**home, "type": "home"}, "Vhome", "Open a paper…", choose=xkv())
    view: View = await world.until(lambda: next(iter(world.views.values()), None))
    assert "xKV" in words(view.view["blocks"])
    assert "Share to channel" not in buttons(view.view["blocks"])
    await person.use_view(view.view, view.id, "Abstract")
    await world.until(lambda: view.version == 1)
    assert "Centered Kernel Alignment" in words(view.view["blocks"])
    await person.use_view(view.view, view.id, "Back")
    await world.until(lambda: view.version == 2)
    await person.use_view(view.view, view.id, "Back")
    await world.until(lambda: view.version == 3)
    assert "What you can type" in words(view.view["blocks"])


async def test_a_modal_that_cannot_open_any_more_becomes_a_direct_message(bot: Running) -> None:
    person, world = bot.person(), bot.server.world
    home = await person.open_home()
    world.faults.append(Fault("views.open", "expired_trigger_id"))
    await person.use_view({**home, "type": "home"}, "Vhome", "about")
    message = await world.until(lambda: next(iter(world.public("D1")), None))
    assert "could not answer where you asked" in words(message.blocks)
    assert "Version" in words(message.blocks)


# search with filters


async def form(person: Person, label: str = "Search with filters") -> View:
    """Opened by the button of the help, or behind the dots."""
    world = person.server.world
    known = set(world.views)
    await person.use(person.last(), label)
    return await world.until(lambda: next((view for key, view in world.views.items() if key not in known), None))


VALUES = {"query": {"value": {"type": "plain_text_input", "value": "experts"}}}


async def test_search_with_filters_asks_for_each_option_of_the_command(bot: Running) -> None:
    person = bot.person()
    await person.say("")
    shown = await form(person)
    assert [block["block_id"] for block in shown.view["blocks"]] == ["query", "topic", "venue", "year", "code"]
    assert [block["element"]["type"] for block in shown.view["blocks"]] == [
        "plain_text_input",
        "external_select",
        "external_select",
        "number_input",
        "checkboxes",
    ]


async def test_a_submitted_search_is_answered_where_it_was_opened(bot: Running) -> None:
    person = bot.person()
    await person.say("")
    shown = await form(person)
    values = {
        **VALUES,
        "year": {"value": {"type": "number_input", "value": "2026"}},
        "code": {"value": {"type": "checkboxes", "selected_options": [{"value": "yes"}]}},
    }
    seen = await person._after(lambda: person.submit(shown, values))
    assert seen.private
    assert not seen.replaced
    assert bot.server.world.views == {}
    with_code = {paper.handle for paper in seeds().corpus if paper.code}
    handles = [line.split(" · ")[0] for line in seen.text.split("\n") if " · " in line and line[0].islower()]
    assert handles
    assert set(handles) <= with_code


async def test_search_with_filters_is_also_behind_the_dots_of_a_search(bot: Running) -> None:
    person, world = bot.person(), bot.server.world
    await person.say("kv cache")
    await person.use(person.last(), "more", choose="filters")
    await world.until(lambda: world.views)


async def test_help_is_behind_the_dots_too_and_leads_back(bot: Running) -> None:
    person = bot.person()
    first = await person.say("kv cache")
    seen = await person._after(lambda: person.use(person.last(), "more", choose="help"))
    assert seen.replaced
    assert "What you can type" in seen.text
    assert (await person.press("Back")).text == first.text


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "query"),
        ({"query": {"value": {"type": "plain_text_input", "value": "  "}}}, "query"),
        ({"year": {"value": {"type": "number_input", "value": "20x6"}}}, "year"),
    ],
)
async def test_a_form_that_cannot_be_answered_says_which_field(
    values: dict[str, object], field: str, bot: Running
) -> None:
    person = bot.person()
    await person.say("")
    shown = await form(person)
    answer = await person.submit(shown, values)
    assert answer is not None
    assert answer["response_action"] == "errors"
    assert list(answer["errors"]) == [field]


async def test_a_form_opened_at_home_is_answered_inside_itself(bot: Running) -> None:
    person, world = bot.person(), bot.server.world
    home = await person.open_home()
    await person.use_view({**home, "type": "home"}, "Vhome", "Search with filters")
    shown = await world.until(lambda: next(iter(world.views.values()), None))
    answer = await person.submit(shown, VALUES)
    assert answer is not None
    assert answer["response_action"] == "update"
    assert "puzzlemoe" in words(shown.view["blocks"])
    await person.use_view(shown.view, shown.id, "TL;DR")
    await world.until(lambda: shown.version == 2)
    assert "Approach" in words(shown.view["blocks"])


async def test_an_answer_to_a_form_whose_address_ran_out_comes_all_the_same(bot: Running) -> None:
    person = bot.person()
    await person.say("")
    shown = await form(person)
    bot.server.world.pass_seconds(1900)
    seen = await person._after(lambda: person.submit(shown, VALUES))
    assert "puzzlemoe" in seen.text


# menus


async def test_suggestions_begin_with_the_handle_and_carry_the_id(bot: Running) -> None:
    options = await bot.person().suggestions("paper", "xk")
    assert options[0]["value"] == xkv()
    assert options[0]["text"]["text"].startswith("xkv · xKV: Cross-Layer")
    assert all(len(option["text"]["text"]) <= 75 for option in options)


async def test_nothing_typed_offers_the_first_papers(bot: Running) -> None:
    assert len(await bot.person().suggestions("paper", "")) == 25


@pytest.mark.parametrize("typed", ["experts", "EXPERTS"])
async def test_topics_are_suggested(typed: str, bot: Running) -> None:
    options = await bot.person().suggestions("option.topic", typed)
    assert all("experts" in option["value"].casefold() for option in options)


async def test_venues_are_suggested(bot: Running) -> None:
    assert [option["value"] for option in await bot.person().suggestions("option.venue", "ic")] == ["ICML"]


@pytest.mark.parametrize("action", ["unknown", "option.nonsense", "option."])
async def test_a_menu_that_nobody_knows_offers_nothing(action: str, bot: Running) -> None:
    assert await bot.person().suggestions(action, "x") == []


async def test_choosing_a_paper_opens_it_and_back_leads_to_the_menu(bot: Running) -> None:
    person = bot.person()
    first = await person.say("")
    seen = await person._after(lambda: person.use(person.last(), "Open a paper…", choose=xkv()))
    assert seen.replaced
    assert "xKV" in seen.text
    assert (await person.press("Back")).text == first.text


async def test_a_long_list_has_a_menu_of_its_papers(bot: Running) -> None:
    person = bot.person()
    await person.say("search language models limit:25")
    menu = elements(person.last().blocks)[0]
    assert menu.element["type"] == "static_select"
    chosen = menu.element["options"][3]["value"]
    seen = await person._after(lambda: person.use(person.last(), menu.label, choose=chosen))
    paper = seeds().corpus.get(chosen)
    assert paper is not None
    assert paper.handle in seen.text


# back, share, delete


@pytest.mark.parametrize("say", ["tldr 1", "similar 1"])
async def test_back_shows_the_same_paper_although_the_list_has_changed(say: str, bot: Running) -> None:
    person = bot.person()
    await person.say("kv cache")
    first = await person.say(say)
    await person.press("Abstract")
    message = person.last()
    await person.say("gui grounding")
    await person._after(lambda: person.use(message, "Back"))
    assert words(message.blocks) == first.text


async def test_a_random_paper_is_shared_as_it_was_seen(bot: Running) -> None:
    person = bot.person()
    seen = await person.say("random")
    await person.press("Share to channel")
    title = seen.text.split("\n")[0]
    assert title in person.posts()[0]


async def test_a_list_is_shared_and_opens_privately(bot: Running) -> None:
    person = bot.person()
    await person.say("search language models")
    await person.press("Share to channel")
    other = bot.person("U2")
    seen = await other.press_shared("Next")
    assert seen.private
    assert "6." in seen.text
    assert "TL;DR" in buttons(bot.server.world.public("C1")[-1].blocks)


async def test_only_the_sharer_deletes(bot: Running) -> None:
    await bot.person().say("tldr xkv")
    await bot.person().press("Share to channel")
    other = bot.person("U2")
    refused = await other.press_shared("Delete")
    assert refused.private
    assert "Only the person who shared" in refused.text
    assert len(other.posts()) == 1
    await bot.person().press_shared("Delete")
    assert other.posts() == []


async def test_only_who_asked_deletes_an_answer_in_a_thread(bot: Running) -> None:
    await bot.person().mention("tldr xkv")
    assert "Only the person" in (await bot.person("U2").press_shared("Delete")).text
    await bot.person().press_shared("Delete")
    assert bot.person().posts() == []


@pytest.mark.parametrize(
    ("channel", "words_"),
    [("C2", "/invite @Paperboy"), ("G1", "/invite @Paperboy"), ("CARCH", "archived"), ("CREST", "restricted")],
)
async def test_what_stands_in_the_way_of_sharing_is_said(channel: str, words_: str, bot: Running) -> None:
    person = bot.person(channel=channel)
    await person.say("tldr xkv")
    seen = await person.press("Share to channel")
    assert seen.private
    assert not seen.replaced
    assert words_ in seen.text
    assert bot.server.world.public(channel) == []


async def test_who_is_no_member_cannot_share(bot: Running) -> None:
    person = bot.person(channel="C3")
    await person.say("tldr xkv")
    seen = await person.press("Share to channel")
    assert "Only members" in seen.text
    assert bot.server.world.public("C3") == []


async def test_members_are_found_on_every_page(bot: Running) -> None:
    channel = bot.server.world.channels["C1"]
    channel.members |= {f"A{number}" for number in range(2_500)}
    person = bot.person()
    await person.say("tldr xkv")
    await person.press("Share to channel")
    assert len(person.posts()) == 1


async def test_a_missing_scope_is_named_to_who_can_mend_it(bot: Running) -> None:
    bot.server.world.tokens["xoxb-1-good"].scopes.discard("channels:read")
    person = bot.person()
    await person.say("tldr xkv")
    assert "permission" in (await person.press("Share to channel")).text


async def test_deleting_what_is_gone_is_fine(bot: Running) -> None:
    person = bot.person()
    await person.say("tldr xkv")
    await person.press("Share to channel")
    post = bot.server.world.public("C1")[-1]
    bot.server.world.messages.remove(post)
    assert await person.use(post, "Delete") is not None
    await bot.stop()
    assert len(person.visible()) == 1


async def test_a_group_message_is_a_place_to_share_in(bot: Running) -> None:
    person = bot.person(channel="GM")
    await person.say("tldr xkv")
    await person.press("Share to channel")
    (post,) = bot.server.world.public("GM")
    assert "xKV" in words(post.blocks)


async def test_sharing_can_be_switched_off(tmp_path: Path) -> None:
    async with slack_server() as server, running_bot(server, tmp_path, SlackSection(share=False)) as running:
        assert "Share to channel" not in (await running.person().say("tldr xkv")).buttons


# what is too old, or unknown


async def test_a_message_too_old_to_change_is_answered_anew(bot: Running) -> None:
    person = bot.person()
    await person.say("tldr xkv")
    bot.server.world.faults.append(Fault("response_url", "expired_url"))
    seen = await person.press("Similar")
    assert not seen.replaced
    assert "too old to change" in seen.text
    assert "Closest to" in seen.text


async def test_where_the_bot_is_no_member_the_answer_goes_to_direct_messages(bot: Running) -> None:
    person, world = bot.person(channel="C2"), bot.server.world
    await person.say("tldr xkv")
    world.faults.append(Fault("response_url", "used_url"))
    await person.use(person.last(), "Similar")
    message = await world.until(lambda: next(iter(world.public("D1")), None))
    assert "Closest to" in words(message.blocks)


@pytest.mark.parametrize("value", ["", "#0123456789abcdef01234567", "nonsense", '["open",[["nope",{}]],""]'])
async def test_a_button_from_long_ago_is_answered_kindly(value: str, bot: Running) -> None:
    person = bot.person()
    await person.say("tldr xkv")
    for block in person.last().blocks:
        for element in block.get("elements", []):
            if element.get("type") == "button":
                element["value"] = value
    seen = await person.press("Similar")
    assert "went wrong" not in seen.text
    assert "forgotten" in seen.text or "no command" in seen.text


async def test_a_button_that_nobody_knows_is_answered_kindly(bot: Running) -> None:
    person = bot.person()
    await person.say("tldr xkv")
    person.last().blocks[-1]["elements"][0]["action_id"] = "of_an_earlier_version"
    seen = await person._after(lambda: person.use(person.last(), "of_an_earlier_version"))
    assert "forgotten" in seen.text


async def test_an_unknown_shortcut_is_acknowledged(bot: Running) -> None:
    assert "forgotten" in (await bot.person().shortcut("x", "unknown_callback")).text


async def test_an_unknown_view_says_so(bot: Running) -> None:
    person, world = bot.person(), bot.server.world
    view = View("V1", "U1", "T1", {"type": "modal", "callback_id": "old", "title": {}, "blocks": []})
    world.views["V1"] = view
    answer = await person.submit(view, {})
    assert answer is not None
    assert "forgotten" in words(view.view["blocks"]) or "forgotten" in str(view.view["blocks"])


# nothing goes live


async def test_nothing_of_a_corpus_acts_wherever_it_appears(tmp_path: Path) -> None:
    library = Library.of(corpus())
    async with slack_server() as server, running_bot(server, tmp_path, library=lambda: library) as running:
        person, world = running.person(), server.world
        for number, paper in enumerate(library.corpus):
            for say in (f"show {paper.handle}", f"tldr {paper.handle}", f"similar {paper.handle}"):
                assert "went wrong" not in (await person.say(say)).text
            if number == 0:
                await person.press("Share to channel")
        for say in ("zebra", "zebra limit:25", "topics", "zebr", "show zebra", "quagga sourdough", "tldr stripes"):
            await person.say(say)
        await person.mention("zebra limit:25")
        home = await person.open_home()
        await person.use_view({**home, "type": "home"}, "Vh", "Open a paper…", choose=library.corpus.papers[0].id)
        await world.until(lambda: world.views)
        for option in (
            *await person.suggestions("paper", "zebra"),
            *await person.suggestions("option.topic", ""),
            *await person.suggestions("option.venue", ""),
        ):
            assert live({"blocks": [option["text"]]}) == []
        sent = [arguments for name, arguments in world.calls if "text" in arguments]
        views = [arguments["view"] for _, arguments in world.calls if "view" in arguments]
        assert len(sent) > 90
        assert [problem for one in (*sent, *views) for problem in live(one)] == []
        assert {link for one in sent for link in links(one.get("blocks"))} <= {
            "https://papers.example/1",
            *(paper.links[0] for paper in library.corpus),
        }
    assert world.refused == []


@pytest.mark.parametrize("name", ATTACKS)
async def test_what_somebody_types_stays_text(name: str, bot: Running) -> None:
    person = bot.person()
    seen = await person.say(f"{ATTACKS[name]} sourdough bread")
    assert "went wrong" not in seen.text
    post = await person.mention(f"show {ATTACKS[name]}")
    assert live(post.sent) == []
    assert live(person.last().sent) == []


def test_the_tables_are_those_of_the_facts() -> None:
    assert {
        "@everyone",
        "<!channel>",
        "<!here>",
        "<@U1>",
        "<#C1>",
        "<t:0>",
        "</cmd:1>",
        "<id:guide>",
        ":smile:",
    } <= set(ATTACKS.values())
    assert {"# heading", "> quote", ">>> block", "- list", "||spoiler||"} <= set(ATTACKS.values())
    assert HIDDEN


async def test_under_a_list_the_buttons_of_another_paper_say_whose_they_are(bot: Running) -> None:
    person = bot.person()
    seen = await person.say("similar puzzlemoe")
    assert "TL;DR of puzzlemoe" in seen.buttons
    assert "PuzzleMoE" in (await person.press("TL;DR of puzzlemoe")).text
    assert "Back" in person.seen(person.last()).buttons


# who asks, and from where


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_somebody_of_another_organisation_is_in_the_workspace_of_the_channel(mode: str, tmp_path: Path) -> None:
    """In a shared channel a request names the person's own team: what is kept there nobody would find again."""
    section = SlackSection(mode="http" if mode == "http" else "socket")
    async with slack_server() as server, running_bot(server, tmp_path, section) as bot:
        guest = bot.person("U9", team="T9")
        assert "Saved" in (await guest.say("save xkv")).text
        await guest.mention("tldr xkv")
        await guest.say("tldr sinq")
        await guest.press("Similar")
        saves = bot.services.storage.saves
        assert len(await saves.of(User("U9"), ChannelRef("slack", "T1", "C1"))) == 1
        assert await saves.of(User("U9"), ChannelRef("slack", "T9", "C1")) == []
        lists = bot.services.dispatcher._lists
        assert await lists.get(User("U9"), ChannelRef("slack", "T1", "C1")) is not None
        assert await lists.get(User("U9"), ChannelRef("slack", "T9", "C1")) is None


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("restricted_action", "Posting in this channel is restricted."),
        ("is_archived", "This channel is archived."),
        ("not_in_channel", "I am not in this channel."),
    ],
)
async def test_a_mention_where_not_even_that_is_possible_is_answered_in_direct_messages(
    code: str, remedy: str, bot: Running
) -> None:
    world = bot.server.world
    world.faults += [Fault("chat.postMessage", code), Fault("chat.postEphemeral", code)]
    person = bot.person()
    await person.event({"type": "app_mention", "text": "<@UBOT> tldr xkv", "ts": world.new_ts()})
    told = await world.until(lambda: next(iter(world.public("D1")), None))
    assert "Approach" in words(told.blocks)
    assert f"I could not answer where you asked, so the answer is here. {remedy}" in words(told.blocks)


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("restricted_action", "Posting in this channel is restricted."),
        ("is_archived", "This channel is archived."),
        ("not_in_channel", "I am not in this channel."),
        ("a_word_that_is_new", "Slack refuses (a_word_that_is_new)."),
    ],
)
async def test_a_mention_where_the_bot_may_not_post_is_answered_to_the_person(
    code: str, remedy: str, bot: Running
) -> None:
    bot.server.world.faults.append(Fault("chat.postMessage", code))
    person = bot.person()
    event = {"type": "app_mention", "text": "<@UBOT> tldr xkv", "ts": bot.server.world.new_ts()}
    seen = await person._after(lambda: person.event(event))
    assert seen.private
    assert f"I could not answer for all. {remedy}" in seen.text
    assert "Approach" in seen.text
