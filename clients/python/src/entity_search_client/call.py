"""One call of an operation, and the request that it becomes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timezone
from urllib.parse import quote, urlencode

from pydantic import BaseModel


@dataclass(frozen=True)
class Call:
    """An operation of the API with the arguments of one call."""

    operation: str
    method: str
    path: str
    secured: bool
    sold: bool
    path_values: Mapping[str, object]
    query: Mapping[str, object]
    body: BaseModel | Mapping[str, object] | None
    #: The statuses of its answer: health has one for a service that is not ready, too.
    statuses: tuple[int, ...] = (200,)

    def target(self) -> str:
        """Path and query."""
        path = self.path
        for name, value in self.path_values.items():
            path = path.replace(f"{{{name}}}", segment(name, value))
        pairs = [(name, each) for name, value in self.query.items() if value is not None for each in values_of(value)]
        return f"{path}?{urlencode(pairs)}" if pairs else path

    def content(self) -> bytes | None:
        """The body as JSON."""
        if self.body is None:
            return None
        if isinstance(self.body, BaseModel):
            return self.body.model_dump_json(by_alias=True, exclude_unset=True).encode()
        return json.dumps(self.body, allow_nan=False).encode()


def values_of(value: object) -> Sequence[str]:
    """A list is sent as one parameter per value, in which a comma would begin another; a text is sent as it is."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return [text(value)]
    return [text(each).replace("\\", "\\\\").replace(",", "\\,") for each in value]


def text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone: add one, such as datetime.timezone.utc")
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str | int):
        return str(value)
    raise TypeError(f"{value!r} cannot be sent as a parameter: give a text, a whole number, a boolean or a date")


def segment(name: str, value: object) -> str:
    """One step of a path. "." and ".." would lead to another address."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"{name} must be a text or a whole number")
    encoded = quote(str(value), safe="")
    if encoded.strip(".") == "":
        raise ValueError(f"{name} must be an id or a slug")
    return encoded
