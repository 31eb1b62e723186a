"""How the double says no, as Discord does."""

from aiohttp import web


class Problem(Exception):  # noqa: N818 - it is an answer, not a failure of the double
    """An answer that refuses: status, Discord's code, its message, and the single faults."""

    def __init__(self, status: int, code: int, message: str, faults: list[str] | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.faults = status, code, message, faults or []

    def response(self) -> web.Response:
        body: dict[str, object] = {"message": self.message, "code": self.code}
        if self.faults:
            body["errors"] = {"_errors": [{"code": "INVALID", "message": fault} for fault in self.faults]}
        return web.json_response(body, status=self.status)


class Respond:
    @staticmethod
    def limited(seconds: float, *, everywhere: bool = False) -> web.Response:
        """Too fast. Only an answer with `Via` is Discord's own; one without comes from the network before it."""
        scope = "global" if everywhere else "user"
        return web.json_response(
            {"message": "You are being rate limited.", "retry_after": seconds, "global": everywhere},
            status=429,
            headers={"Via": "1.1 google", "Retry-After": str(seconds), "X-RateLimit-Scope": scope},
        )
