"""What every adapter must do, said once: each platform's tests wrap it as a `Surface` and run every check."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Seen:
    """What a person sees after they did something."""

    text: str
    buttons: tuple[str, ...]
    private: bool
    replaced: bool
    """Whether it took the place of what they saw before."""


class Surface(Protocol):
    """One person in one channel of a platform."""

    async def say(self, words: str) -> Seen:
        """Type a command, as `/papers words`."""
        ...

    async def press(self, label: str) -> Seen:
        """Action a button of the last private answer."""
        ...

    async def press_shared(self, label: str) -> Seen:
        """Action a button of the last post that everyone sees."""
        ...

    def posts(self) -> list[str]:
        """The texts that everyone in the channel sees now."""
        ...


async def answers_are_private(surface: Surface) -> None:
    seen = await surface.say("kv cache")
    assert seen.private
    assert "xKV" in seen.text
    assert surface.posts() == []


async def bare_command_is_help(surface: Surface) -> None:
    assert "search" in (await surface.say("")).text


async def buttons_replace_and_back_returns(surface: Surface) -> None:
    first = await surface.say("tldr xkv")
    second = await surface.press("Similar")
    assert second.replaced
    assert "Closest to" in second.text
    back = await surface.press("Back")
    assert back.replaced
    assert back.text == first.text


async def pages_turn(surface: Surface) -> None:
    first = await surface.say("search language models")
    second = await surface.press("Next")
    assert second.replaced
    assert second.text != first.text
    assert "Previous" in second.buttons
    again = await surface.press("Previous")
    assert again.text == first.text


async def sharing_names_the_sharer_who_can_delete(surface: Surface) -> None:
    await surface.say("tldr xkv")
    await surface.press("Share to channel")
    posts = surface.posts()
    assert len(posts) == 1
    assert "xKV" in posts[0]
    assert "hared by" in posts[0]
    await surface.press_shared("Delete")
    assert surface.posts() == []


async def buttons_of_a_shared_post_answer_privately(surface: Surface) -> None:
    await surface.say("tldr xkv")
    await surface.press("Share to channel")
    before = surface.posts()
    seen = await surface.press_shared("Abstract")
    assert seen.private
    assert "Centered Kernel Alignment" in seen.text
    assert surface.posts() == before


CONTRACT: tuple[Callable[[Surface], Awaitable[None]], ...] = (
    answers_are_private,
    bare_command_is_help,
    buttons_replace_and_back_returns,
    pages_turn,
    sharing_names_the_sharer_who_can_delete,
    buttons_of_a_shared_post_answer_privately,
)
