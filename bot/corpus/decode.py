"""From bytes to text: encodings, line ends, characters that no abstract means."""

import gzip
import io
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import charset_normalizer

from bot.errors import CorpusError, Fault

MAX_BYTES = 512 * 1024 * 1024
"""Of one file, unpacked: some fifty whole conferences; more is a mistake or an attack (a gzip bomb)."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with unix line ends and without control characters; notices say what was done to get it."""

    text: str
    notices: tuple[Fault, ...] = ()


def read_bytes(path: Path) -> bytes:
    """The content of a file, unpacked where its name ends in `.gz`.

    Raises CorpusError where it cannot be read, is damaged, or is larger than MAX_BYTES.
    """
    try:
        if path.suffix == ".gz":
            with gzip.open(path) as packed:
                content = packed.read(MAX_BYTES + 1)
        else:
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"cannot be read: {error}") from error
    if len(content) > MAX_BYTES:
        raise CorpusError(f"larger than {MAX_BYTES // 1024 // 1024} MB unpacked: split it")
    return content


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
            guess = charset_normalizer.from_bytes(content).best()
            if guess is None:
                raise CorpusError("is in no encoding that we know: save it as UTF-8") from error
            text = str(guess)
            line = content.count(b"\n", 0, error.start) + 1
            notices.append(
                Fault(
                    file,
                    line,
                    f"is not UTF-8; read as {guess.encoding} (detected): save it as UTF-8 to be sure",
                )
            )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        count = len(_CONTROL.findall(text))
        notices.append(Fault(file, line, f"{count} control character(s) dropped, the first here"))
        text = _CONTROL.sub("", text)
    return Decoded(text, tuple(notices))


def clean(text: str) -> str:
    """Text without what JSON escapes can smuggle past `decode`: control characters and lone surrogates."""
    return _CONTROL.sub("", text.encode("utf-8", "replace").decode())


def lines_of(text: str) -> io.StringIO:
    """The lines of a text, split at line feeds alone (str.splitlines also splits inside JSON strings)."""
    return io.StringIO(text, newline="\n")
