"""Names in addresses: what a repository or project page is called."""

import re
from collections.abc import Sequence

_CLEAN = re.compile(
    r"[-_.]?(?:official|code|main|release|public|pytorch|repo|project|page|[0-9a-f]{4,})$", re.IGNORECASE
)
_HASH = re.compile(r"[0-9a-f-]{20,}$", re.IGNORECASE)


def repository_names(links: Sequence[str]) -> list[str]:
    """Names of the repositories and project pages behind addresses: `github.com/owner/Name` gives `Name`."""
    names: list[str] = []
    for link in links:
        bare = next(iter(link[:300].split()), "").removeprefix("https://").removeprefix("http://").rstrip(".,;)}\"'/")
        path = re.split(r"[?#]", bare)[0].split("/")
        part = _part(path[0].casefold(), path)
        for _ in range(2):
            part = _CLEAN.sub("", part.removesuffix(".git").removesuffix(".io").removesuffix(".github"))
        if len(part) > 1 and not _HASH.match(part) and part not in names and any(char.isalpha() for char in part):
            names.append(part)
    return names


def _part(host: str, path: list[str]) -> str:
    if host.endswith(("github.com", "gitlab.com")) and len(path) > 2:
        return path[2]
    if host == "anonymous.4open.science" and len(path) > 2:
        return path[2]
    if host.endswith(".github.io"):
        return path[1] if len(path) > 1 else host.removesuffix(".github.io")
    if host.endswith("huggingface.co") and len(path) > 1:
        return path[-1]
    return ""
