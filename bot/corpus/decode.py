"""From bytes to text: encodings, line ends, characters that no abstract means."""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import charset_normalizer

from bot.errors import CorpusError, Fault
from bot.text import from_windows

MAX_BYTES = 64 * 1024 * 1024
"""Of one file, unpacked: three whole conferences. What is read of it takes ten times as much memory for a while."""
_STEP = 65_536
_SAMPLE = 262_144
"""Bytes that an encoding is told by; each of ninety is tried on them."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file. `damage` says why they are not all; then the last line may be cut off."""

    data: bytes
    damage: str = ""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with unix line ends and without control characters; notices say what was done to get it."""

    text: str
    notices: tuple[Fault, ...] = ()


def read_bytes(path: Path) -> Content:
    """The content of a file, unpacked where its name ends in `.gz`; of a damaged one what came before the damage.

    Raises CorpusError where it cannot be read, or is larger than MAX_BYTES; never more than that is in memory.
    """
    try:
        if not path.is_file():
            raise CorpusError("cannot be read: it is no file")
        if path.stat().st_size > MAX_BYTES:
            raise CorpusError(_TOO_LARGE)
        with path.open("rb") as file:
            if path.suffix.lower() == ".gz":
                return _unpacked(iter(lambda: file.read(_STEP), b""))
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CorpusError(f"cannot be read: {error.strerror or error}") from error
    if len(content) > MAX_BYTES:
        raise CorpusError(_TOO_LARGE)
    return Content(content)


_TOO_LARGE = f"larger than {MAX_BYTES // 1024 // 1024} MB unpacked: split it"


class _Unpacker:
    """The gzip members of a stream, one after another; `out` has what came so far."""

    def __init__(self) -> None:
        self.out = bytearray()
        self.begun = False
        """Whether a member has begun that has not ended."""
        self._inflater = zlib.decompressobj(wbits=31)

    def feed(self, packed: bytes) -> None:
        """Unpack a piece. Raises zlib.error where it is damaged, CorpusError where it becomes too much."""
        while packed:
            if not self.begun:
                if not packed.strip(b"\0"):
                    return  # padding behind the last member
                self._inflater = zlib.decompressobj(wbits=31)
                self.begun = True
            self.out += self._inflater.decompress(packed, MAX_BYTES + 1 - len(self.out))
            if len(self.out) > MAX_BYTES:
                raise CorpusError(_TOO_LARGE)
            self.begun = not self._inflater.eof
            packed = self._inflater.unconsumed_tail or self._inflater.unused_data

    def copy(self) -> "tuple[bool, zlib._Decompress, int]":
        """Where it stands, to go back to."""
        return self.begun, self._inflater.copy(), len(self.out)

    def back(self, to: "tuple[bool, zlib._Decompress, int]") -> None:
        """Stand there again."""
        self.begun, self._inflater, length = to
        del self.out[length:]


def _unpacked(pieces: Iterator[bytes]) -> Content:
    unpacker = _Unpacker()
    for piece in pieces:
        before = unpacker.copy()
        try:
            unpacker.feed(piece)
        except zlib.error as error:
            # what the piece gave before its damage was lost with the error: fed byte by byte, it comes out
            unpacker.back(before)
            damage = _upto_damage(unpacker, piece) or str(error)
            return _kept(bytes(unpacker.out), damage.partition(": ")[2] or damage)
    return _kept(bytes(unpacker.out), "it ends too early") if unpacker.begun else Content(bytes(unpacker.out))


def _upto_damage(unpacker: _Unpacker, piece: bytes) -> str:
    for at in range(len(piece)):
        try:
            unpacker.feed(piece[at : at + 1])
        except zlib.error as error:
            return str(error)
    return ""


def _kept(data: bytes, damage: str) -> Content:
    if not data:
        raise CorpusError(f"cannot be read: damaged ({damage})")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end == len(data):
            data = data[: error.start]  # half a character
    return Content(data, damage)


def decode(content: bytes, file: str) -> Decoded:
    """Text of a file: UTF-8, UTF-16 with its byte order mark, else the encoding that detection finds.

    Raises CorpusError where no encoding fits.
    """
    notices: list[Fault] = []
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            text = content.decode("utf-16")
        except UnicodeDecodeError as error:
            raise CorpusError(f"has the mark of UTF-16 but is not: {error.reason} at byte {error.start}") from error
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            text, said = _otherwise(content, error.start)
            notices.append(Fault(file, line, said))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        text, count = _CONTROL.subn("", text)
        notices.append(Fault(file, line, f"{count} control character(s) dropped, the first here"))
    return Decoded(text, tuple(notices))


def _otherwise(content: bytes, at: int) -> tuple[str, str]:
    """The text of what is not UTF-8 from byte `at` on, and what is said of it. Raises CorpusError: no encoding fits."""
    text = content.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    if sum(len(run) for run in _NOT_ASCII.findall(text)) > 4 * bad:
        return text, f"is UTF-8 but for {bad} place(s), the first here, which became a \ufffd: mend them"
    start = content.rfind(b"\n", 0, max(0, at - _SAMPLE // 2)) + 1
    end = content.rfind(b"\n", start, start + _SAMPLE) if len(content) > start + _SAMPLE else len(content)
    guess = charset_normalizer.from_bytes(content[start : end if end > 0 else start + _SAMPLE]).best()
    if guess is None:
        raise CorpusError("is in no encoding that we know: save it as UTF-8")
    said = f"is not UTF-8; read as {guess.encoding} (detected): save it as UTF-8 to be sure"
    return content.decode(guess.encoding, "replace"), said


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def clean(text: str) -> str:
    """Text without what JSON escapes can smuggle past `decode`: control characters and lone surrogates."""
    return from_windows(_CONTROL.sub("", text.encode("utf-8", "replace").decode()))


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text, split at line feeds alone (str.splitlines also splits inside JSON strings)."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1
