"""The registered commands: within Discord's limits, registered only when they changed; choices while one types."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from platforms.discord import openapi
from platforms.discord.rules import characters, command_faults
from platforms.discord.running import services_of, serving, settings_of, store_at
from platforms.discord.server import discord_double
from platforms.discord.world import Json
from shared import shared_path

from bot.adapters.discord.manifest import invite, manifest
from bot.adapters.discord.registration import LONGEST_CHOICE, definition
from bot.adapters.discord.section import DiscordSection, application_id, configured, missing
from bot.adapters.suggest import Suggestions
from bot.commands import all_commands
from bot.commands.base import Command, CommandSet, Example, Kind, Parameter
from bot.config import Settings, default_corpus, load_settings
from bot.corpus import load_corpus
from bot.library import Library
from bot.message import Reply
from bot.papers import Corpus
from bot.search import SearchIndex
from bot.search.suggest import Suggester


@pytest.fixture(scope="module")
def library() -> Library:
    return Library.of(load_corpus(default_corpus()))


def nothing(_context: object, _invocation: object) -> Reply:
    raise AssertionError


def command(name: str, group: str | None = None, summary: str = "Does it.") -> Command:
    return Command(name, summary, nothing, (Example(name, "", ()),), group=group)


def test_tree_is_within_every_limit() -> None:
    tree = definition(all_commands())
    assert command_faults([tree]) == []
    assert openapi.faults("PUT", "/applications/1/commands", [tree]) == []
    assert characters(tree) <= 8_000
    assert all(len(level) <= 25 for level in _levels(tree))


def _options(node: Mapping[str, object]) -> list[Json]:
    options = node.get("options") or []
    assert isinstance(options, list)
    return options


def _levels(node: Mapping[str, object]) -> list[list[Json]]:
    options = _options(node)
    return [options, *(level for option in options for level in _levels(option))]


def test_every_declared_command_is_there_with_its_options() -> None:
    tree = definition(all_commands())
    found: dict[str, Json] = {}
    for option in _options(tree):
        if option["type"] == 2:
            found.update({f"{option['name']} {leaf['name']}": leaf for leaf in option["options"]})
        else:
            found[option["name"]] = option
    assert sorted(found) == sorted(entry.path for entry in all_commands().all)
    kinds = {Kind.INTEGER: 4, Kind.FLAG: 5}
    for entry in all_commands().all:
        made = {option["name"]: option for option in found[entry.path]["options"]}
        assert set(made) == {parameter.name for parameter in entry.parameters}
        for parameter in entry.parameters:
            option = made[parameter.name]
            assert option["type"] == kinds.get(parameter.kind, 3)
            assert option["required"] is parameter.required
            if parameter.kind is Kind.INTEGER:
                assert option.get("max_value") == parameter.maximum
            suggested = parameter.kind in {Kind.PAPER, Kind.TOPIC, Kind.VENUE, Kind.COMMAND}
            assert option.get("autocomplete", False) is suggested


def test_required_options_come_first_whatever_the_declaration_says() -> None:
    parameters = (Parameter("page", Kind.INTEGER, "Which"), Parameter("paper", Kind.PAPER, "What", required=True))
    made = definition(CommandSet([Command("odd", "Odd.", nothing, (Example("odd", "", ()),), parameters)]))
    assert command_faults([made]) == []


@pytest.mark.parametrize(
    "commands",
    [
        [command(f"c{number}") for number in range(26)],
        [command(f"c{number}", group="many") for number in range(26)],
        [
            command(f"c{number}-{other}", group=f"g{number}", summary="x" * 100)
            for number in range(9)
            for other in range(9)
        ],
    ],
    ids=["26 subcommands", "26 in a group", "over 8,000 characters"],
)
def test_a_tree_beyond_the_limits_is_noticed(commands: list[Command]) -> None:
    """By discord.py, which counts children, or by the rules that the double checks with."""
    try:
        made = definition(CommandSet(commands))
    except ValueError:
        return
    assert command_faults([made])


async def test_commands_are_registered_only_when_they_changed(library: Library, tmp_path: Path) -> None:
    def puts() -> int:
        return sum(method == "PUT" for method, _, _ in double.world.requests)

    async with store_at(f"sqlite:///{tmp_path / 'store'}") as database, discord_double() as double:
        for expected in (1, 1):
            async with serving(double, services_of(database, library)):
                assert puts() == expected
        fewer = CommandSet([entry for entry in all_commands().all if entry.name != "random"])
        async with serving(double, services_of(database, library, commands=fewer)):
            assert puts() == 2
        names = [option["name"] for option in double.world.commands[0][0]["options"]]
        assert "random" not in names
        assert "search" in names


async def test_guilds_in_config_get_the_commands_and_nobody_twice(library: Library, tmp_path: Path) -> None:
    async with store_at(f"sqlite:///{tmp_path / 'store'}") as database, discord_double() as double:
        async with serving(double, services_of(database, library)):
            assert [entry["name"] for entry in double.world.commands[0]] == ["papers"]
        guild = double.world.guild()
        settings = settings_of(DiscordSection(guilds=(guild,)))
        for _ in range(2):
            async with serving(double, services_of(database, library), settings):
                assert [entry["name"] for entry in double.world.commands[guild]] == ["papers"]
                assert double.world.commands[0] == []
                channel = double.world.channel(guild)
                done = await double.answered(await double.say(5, channel, "tldr", paper="xkv"))
                assert "xKV" in done.shown["embeds"][0]["title"]
        assert sum(method == "PUT" for method, _, _ in double.world.requests) == 3
        assert double.world.refused == []


@pytest.mark.parametrize("still_there", [True, False], ids=["still there", "bot taken out"])
async def test_a_guild_taken_out_of_the_config_loses_its_commands_once(
    still_there: bool, library: Library, tmp_path: Path
) -> None:
    async with store_at(f"sqlite:///{tmp_path / 'store'}") as database, discord_double() as double:
        kept, gone = double.world.guild(), double.world.guild()
        async with serving(double, services_of(database, library), settings_of(DiscordSection(guilds=(kept, gone)))):
            assert [entry["name"] for entry in double.world.commands[gone]] == ["papers"]
        if not still_there:
            double.world.closed_guilds.add(gone)
        for _ in range(2):
            async with serving(double, services_of(database, library), settings_of(DiscordSection(guilds=(kept,)))):
                assert [entry["name"] for entry in double.world.commands[kept]] == ["papers"]
                assert still_there is (double.world.commands[gone] == [])
        tried = [path for method, path, _ in double.world.requests if method == "PUT" and str(gone) in path]
        assert len(tried) == 2  # told once, withdrawn once


async def test_without_guilds_in_the_config_everyone_has_the_commands_and_nobody_twice(
    library: Library, tmp_path: Path
) -> None:
    async with store_at(f"sqlite:///{tmp_path / 'store'}") as database, discord_double() as double:
        guild = double.world.guild()
        async with serving(double, services_of(database, library), settings_of(DiscordSection(guilds=(guild,)))):
            assert [entry["name"] for entry in double.world.commands[guild]] == ["papers"]
        async with serving(double, services_of(database, library)):
            assert [entry["name"] for entry in double.world.commands[0]] == ["papers"]
            assert double.world.commands[guild] == []


async def test_a_guild_that_refuses_stops_nobody_else(
    library: Library, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with store_at(f"sqlite:///{tmp_path / 'store'}") as database, discord_double() as double:
        closed, fine = double.world.guild(), double.world.guild()
        double.world.closed_guilds.add(closed)
        async with serving(double, services_of(database, library), settings_of(DiscordSection(guilds=(closed, fine)))):
            assert fine in double.world.commands
    assert f"server {closed}" in caplog.text
    assert "applications.commands" in caplog.text


async def test_choices_over_the_socket_in_guilds_and_direct_messages(library: Library, tmp_path: Path) -> None:
    xkv = library.corpus.get("xkv")
    assert xkv is not None
    async with store_at(f"sqlite:///{tmp_path / 'store'}") as database, discord_double() as double:
        async with serving(double, services_of(database, library)):
            for channel in (double.world.channel(double.world.guild()), double.world.channel(None)):
                papers = await double.type(7, channel, "tldr", "paper", "xk")
                assert papers[0]["name"].startswith("xkv · ")
                assert papers[0]["value"] == xkv.id
                topics = await double.type(7, channel, "search", "topic", "large")
                assert "large language models" in [choice["value"] for choice in topics]
                venues = await double.type(7, channel, "search", "venue", "")
                assert [choice["value"] for choice in venues] == ["ICML"]
                commands = await double.type(7, channel, "help", "command", "sim")
                assert [choice["value"] for choice in commands] == ["similar"]
                assert await double.type(7, channel, "search", "topic", "no such topic at all") == []
        assert double.world.refused == []


@pytest.mark.parametrize("kind", [Kind.PAPER, Kind.TOPIC, Kind.VENUE, Kind.COMMAND])
@pytest.mark.parametrize("typed", ["", "a", "x" * 5_000, "@everyone", "τ", "the", " ", "\u202e", "]("])
def test_choices_fit_for_a_whole_conference(kind: Kind, typed: str) -> None:
    library = _conference()
    choices = Suggestions(all_commands(), LONGEST_CHOICE).choices(kind, typed, library)
    assert len(choices) <= 25
    assert all(1 <= len(name) <= 100 and 1 <= len(value) <= 100 for name, value in choices)
    assert len({value for _, value in choices}) == len(choices)
    if kind is Kind.PAPER and typed in {"", "a", "the"}:
        assert len(choices) == 25
        for name, value in choices:
            offered = library.corpus.get(value)
            assert offered is not None
            assert name.startswith(offered.handle[:50])


_LIBRARIES: list[Library] = []


def _conference() -> Library:
    if not _LIBRARIES:
        corpus = load_corpus([shared_path("data/icml2026.jsonl.gz")])
        _LIBRARIES.append(Library(corpus, SearchIndex.build(Corpus(())), Suggester(corpus)))  # searches nothing
    return _LIBRARIES[0]


def test_missing_token_is_named_with_where_to_get_it() -> None:
    settings = Settings(settings_of().core, {}, Path.cwd(), None, {})
    (lacking,) = missing(settings)
    assert lacking.setting == "DISCORD_TOKEN"
    assert "discord.com/developers/applications" in lacking.where
    assert not configured(settings)
    assert missing(settings_of()) == ()


def test_section_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("discord:\n  guilds: [123456789012345678]\n  shards: auto\n  share: false\n")
    section = load_settings(file, {"discord": DiscordSection}, {}).sections["discord"]
    assert section == DiscordSection(guilds=(123456789012345678,), shards="auto", share=False)


def test_invite_link_has_the_least_permissions() -> None:
    assert application_id(settings_of()) == "112233445566778899"
    link = invite(settings_of(DiscordSection(digests=False)))
    # View Channel, Send Messages, Embed Links, Send Messages in Threads: 1<<10 | 1<<11 | 1<<14 | 1<<38
    assert link.endswith("client_id=112233445566778899&scope=bot+applications.commands&permissions=274877926400")
    assert invite(settings_of(DiscordSection(share=False, digests=False))).endswith("&permissions=0")
    # with digests also Read Message History and Create Public Threads: 1<<16 | 1<<35
    assert invite(settings_of()).endswith("&permissions=309237730304")


def test_manifest_names_link_and_commands_and_no_token() -> None:
    text = manifest(settings_of(), all_commands())
    assert "https://discord.com/oauth2/authorize?" in text
    assert json.loads(text[text.index("[\n") :])[0]["name"] == "papers"
    assert "secret" not in text


def test_looking_for_adapters_does_not_import_discord() -> None:
    code = (
        "import sys, bot.adapters.base as b, bot.adapters.discord.manifest; b.all_adapters(); "
        "sys.exit('discord' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
