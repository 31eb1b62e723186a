"""What buttons and menus carry: presses, in full or by a key of the store, so that they outlive restarts."""

import asyncio
from collections.abc import Sequence

from bot.adapters.discord.render import Frame, Key
from bot.adapters.presses import Control, Press, PressCodec, PressKeeper, controls, shared_controls
from bot.message import Call, Reply

LONGEST = 100
"""Characters of a `custom_id`."""

_MENU = "pls:"
_PREFIX = len(_MENU)
"""`p00:` to `p24:` for buttons, which makes them unique in a message, and `pls:` for the menu of papers."""


class Buttons:
    """Controls to drawn buttons, and pressed ones back to presses."""

    def __init__(self, keeper: PressKeeper) -> None:
        self._codec = PressCodec(keeper, LONGEST - _PREFIX)

    async def private(self, reply: Reply, press: Press, *, share: bool, note: str = "") -> Frame:
        """What stands around an answer that one person sees; `share` is whether it may be shared from here."""
        chosen = controls(reply, press, may_share=share)
        return Frame(await self._keys(chosen), await self._menu(reply, press), note=note)

    async def shared(self, reply: Reply, call: Call, sharer: str) -> Frame:
        """What stands around a post that everyone sees."""
        keys = await self._keys(shared_controls(reply, call, sharer))
        return Frame(keys, await self._menu(reply, Press("open", call)), sharer=sharer)

    async def posted(self, chosen: Sequence[Control]) -> Frame:
        """What stands around a post of the bot's own accord: these buttons, numbered."""
        return Frame(await self._keys(chosen))

    async def _keys(self, chosen: Sequence[Control]) -> tuple[Key, ...]:
        codes = await asyncio.gather(*(self._codec.encode(control.press) for control in chosen))
        numbered = enumerate(zip(chosen, codes, strict=True))
        return tuple(Key(control.label, f"p{place:02d}:{code}", control.primary) for place, (control, code) in numbered)

    async def _menu(self, reply: Reply, press: Press) -> str:
        return _MENU + await self._codec.encode(press) if reply.listed and reply.papers else ""

    async def pressed(self, custom_id: str, values: Sequence[str], *, private: bool) -> Press | None:
        """The press of a button, or of a choice of the menu; None where it is forgotten.

        From a private answer a choice leads on, with Back; from a public post it begins anew.
        """
        press = await self._codec.decode(custom_id[_PREFIX:])
        if press is None or not custom_id.startswith(_MENU):
            return press
        command, _, paper = (values[0] if values else "").partition(":")
        call = Call(command, {"paper": paper})
        return press.onward(call) if private else Press("open", call)


def ours(custom_id: str) -> bool:
    """Whether a button is one of these, and not of another part of the bot."""
    return custom_id.startswith(_MENU) or (
        custom_id[:1] == "p" and custom_id[1:3].isdigit() and custom_id[3:_PREFIX] == ":"
    )
