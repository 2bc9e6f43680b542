"""When a call may be repeated."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from .options import Limits

#: With these and Retry-After the server asks for the same request again.
repeatable_statuses = frozenset({429, 503})

#: The longest jitter; it keeps many clients from coming back at once.
jitter_max_seconds = 1.0


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """The seconds that Retry-After asks for; None without one that can be read. A date counts from the header Date."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,12}", value):
        return float(value)
    at = http_date(value)
    if at is None:
        return None
    now = http_date(headers.get("date", "")) or datetime.now(timezone.utc)
    return max(0.0, (at - now).total_seconds())


def http_date(value: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=timezone.utc)


class Patience:
    """The remaining repetitions of a call and its remaining seconds of waiting."""

    def __init__(self, limits: Limits) -> None:
        self.retries = limits.retries
        self.seconds = limits.retry_wait

    def wait(self, asked: float | None) -> float | None:
        """Returns the seconds to wait before the call is repeated, at least `asked`; None if it must not be
        repeated."""
        if asked is None or self.retries < 1 or asked > self.seconds:
            return None
        jitter = random.uniform(0, min(jitter_max_seconds, 0.1 + asked / 4))  # noqa: S311 spreads load, guards nothing
        seconds = min(asked + jitter, self.seconds)
        self.retries -= 1
        self.seconds -= seconds
        return seconds
