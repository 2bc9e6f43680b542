"""Options of a client, other than its credentials."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Limits:
    """Limits on a call's time, repetitions and size.

    A call is repeated only after 429 or 503 with Retry-After. A search whose payment was signed is also repeated after
    a lost answer, with the same payment.
    """

    #: Seconds for one request and its answer.
    timeout: float = 30.0
    #: The number of times a call is repeated.
    retries: int = 3
    #: Seconds of waiting in all; if the server asks for more, its error is raised at once.
    retry_wait: float = 60.0
    #: Bytes of an answer, unpacked.
    answer_bytes: int = 32 * 1024 * 1024

    def __post_init__(self) -> None:
        if not 0 < self.timeout < float("inf"):
            raise ValueError("timeout must be a number of seconds above 0")
        if self.retries < 0 or not 0 <= self.retry_wait < float("inf"):
            raise ValueError("retries and retry_wait must not be negative, nor without end")
        if self.answer_bytes < 1:
            raise ValueError("answer_bytes must be at least 1")


def checked_base_url(base_url: str) -> str:
    """The address without a slash at its end.

    Raises ValueError if it is none.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError('base_url must be the address of the API, such as "https://api.example.com"')
    if parts.username is not None or parts.password is not None:
        raise ValueError("base_url must not hold a name or password; give the key as api_key")
    return base_url.rstrip("/")


def checked_key(api_key: str | None) -> str | None:
    """The key as it is sent. The text of the error never has it."""
    if api_key is None:
        return None
    if not re.fullmatch(r"[\x21-\x7e]{1,512}", api_key):
        raise ValueError(
            "api_key must be the key alone, such as es_live_…: it has a space, a line end or another letter"
        )
    if api_key.startswith("0x"):
        raise ValueError("api_key looks like a wallet's private key: give that as wallet")
    return api_key
