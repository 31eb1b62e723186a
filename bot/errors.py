"""The error hierarchy.

    PaperboyError               everything this package raises on purpose
    ├── UserError               what a person can mend; its message is shown to them, in their words
    │   ├── UsageError          a command was typed in a way that it cannot take
    │   │   └── CannotTakeError     the words after a command word are no arguments of it: they are a search
    │   ├── NotFoundError       nothing is called that; the message says what may have been meant
    │   └── AmbiguousError      several papers are called that; carries their ids
    ├── RefusedError            a platform does not take an answer; carries its word for why
    ├── UnansweredError         a platform did not say whether it took an answer: it may be there
    └── OperatorError           what the person who runs the bot must mend; its message goes to the log
        ├── ConfigError         config or environment; carries every fault with file and line
        ├── YamlError           a YAML file that cannot be read, with the line
        ├── CorpusError         a corpus file that cannot be read at all
        ├── StoreError          the store cannot be opened or brought up to date
        └── DeliveryError       a digest could not be posted; its subclass says what follows
            ├── RetryLaterError     surely not posted; the same again after `seconds`
            ├── AmbiguousPostError  perhaps posted: look before anything is sent again
            ├── ContentRefusedError what the message says is refused: another paper goes out instead
            ├── ChannelTroubleError this channel is held until somebody mends it
            └── InstallTroubleError the whole workspace is held

A single bad record is no exception but a `Fault` in the loading report: it never stops the rest.
"""

from dataclasses import dataclass


class PaperboyError(Exception):
    """Everything this package raises on purpose."""


class UserError(PaperboyError):
    """What a person can mend. The message is shown to them and says how."""

    kind = "user"


class UsageError(UserError):
    """A command was typed in a way that it cannot take."""

    kind = "usage"


class CannotTakeError(UsageError):
    """The words after a command word are not arguments of it; the message completes "`random` …"."""


class NotFoundError(UserError):
    """Nothing is called that."""

    kind = "not_found"


class AmbiguousError(UserError):
    """Several papers are called that; `paper_ids` has them, best first."""

    kind = "ambiguous"

    def __init__(self, message: str, paper_ids: tuple[str, ...]) -> None:
        super().__init__(message)
        self.paper_ids = paper_ids


class RefusedError(PaperboyError):
    """A platform does not take an answer. `code` is its word for why.

    `too_old` says that the way back to the message has run out, and another may lead there; `gone` that none does.
    """

    def __init__(self, code: str, *, too_old: bool = False, gone: bool = False) -> None:
        super().__init__(code)
        self.code = code
        self.too_old = too_old
        self.gone = gone


class UnansweredError(PaperboyError):
    """A platform did not say whether it took what all would see: it may be there, and is not sent twice."""


class OperatorError(PaperboyError):
    """What the person who runs the bot must mend; the message goes to the log with the remedy."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a file: the line it starts on (from 1; 0 for the whole file) and how to mend it."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


class ConfigError(OperatorError):
    """Config or environment is not usable; `faults` has each with file and line."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = faults


class YamlError(OperatorError):
    """The text is not YAML that we read; `fault` says where and why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class CorpusError(OperatorError):
    """A corpus file cannot be read at all."""


class StoreError(OperatorError):
    """The database cannot be reached or used."""


class DeliveryError(OperatorError):
    """A digest could not be posted; the subclass says what follows."""


class RetryLaterError(DeliveryError):
    """Surely not posted (a rate limit, a refused connection): the same again after `seconds`."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class AmbiguousPostError(DeliveryError):
    """A time-out, a dropped connection, an internal error: it may have been posted."""


class ContentRefusedError(DeliveryError):
    """What the message says is refused, and not the place: surely not posted, and not mended by time."""


class ChannelTroubleError(DeliveryError):
    """The channel refuses (archived, no permission, bot not in it). The message says how a person mends it."""


class InstallTroubleError(DeliveryError):
    """The workspace refuses (token revoked, account inactive). The message says how the operator mends it."""
