"""Tokens of workspaces, encrypted before they reach the store."""

import logging

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from bot.adapters.slack.section import TOKEN_KEY
from bot.errors import OperatorError
from bot.store.installations import Installations

logger = logging.getLogger(__name__)


class Vault:
    """Encrypts with the first of its keys, decrypts with any: so that a new key can be put before the old one."""

    def __init__(self, keys: str) -> None:
        """`keys` are Fernet keys with commas between them. Raises OperatorError where one is none."""
        try:
            fernets = [Fernet(key.strip()) for key in keys.split(",") if key.strip()]
        except ValueError as error:
            raise OperatorError(
                f"{TOKEN_KEY} is not a key: make one with python -c "
                "'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())'"
            ) from error
        if not fernets:
            raise OperatorError(f"{TOKEN_KEY} holds no key")
        self._newest = fernets[0]
        self._all = MultiFernet(fernets)

    def lock(self, body: str) -> str:
        """The body, encrypted."""
        return self._all.encrypt(body.encode()).decode()

    def unlock(self, kept: str) -> str | None:
        """The body again; None where no key fits, which the log says."""
        try:
            return self._all.decrypt(kept.encode()).decode()
        except InvalidToken:
            logger.error(  # noqa: TRY400 - one clear line
                "slack: an installation was encrypted with a key that %s no longer has: put that key back behind the "
                "new one, or install the app there again",
                TOKEN_KEY,
            )
            return None

    def is_newest(self, kept: str) -> bool:
        """Whether the first key encrypted this."""
        try:
            self._newest.decrypt(kept.encode())
        except InvalidToken:
            return False
        return True

    async def renew(self, installations: Installations) -> int:
        """Encrypt everything anew that an older key encrypted, so that the older key can go; gives how many."""
        changed = 0
        for workspace, user, kept in await installations.all("slack"):
            if not self.is_newest(kept) and (body := self.unlock(kept)) is not None:
                await installations.put("slack", workspace, user, self.lock(body))
                changed += 1
        return changed
