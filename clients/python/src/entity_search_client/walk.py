"""From one page to the next."""

from __future__ import annotations

from typing import Literal, TypedDict

from typing_extensions import NotRequired

from .errors import UnexpectedAnswerError
from .generated import models
from .generated.operations import SearchParameters


class RemovalsParameters(TypedDict):
    """The parameters of `removal_pages`."""

    type: Literal["companies", "people", "investors", "events"]
    cursor: NotRequired[str | None]
    limit: NotRequired[int | None]


class Walk:
    """Follows the cursors of a search."""

    def __init__(self, parameters: SearchParameters) -> None:
        self.parameters = parameters
        self.goes_on = True

    def follow(self, page: models.SearchAnswer) -> None:
        cursor = page.data.next_cursor
        self.goes_on = cursor is not None
        if cursor is not None:
            moved_on(cursor, self.parameters.get("cursor"))
        # A cursor knows its page.
        rest: SearchParameters = {**self.parameters, "cursor": cursor}
        rest.pop("page", None)
        self.parameters = rest


def moved_on(cursor: str, given: str | None) -> str:
    """The cursor, if it is not the one that was given."""
    if cursor == given:
        raise UnexpectedAnswerError("The server leads from a page to the same page", status=200, request_id=None)
    return cursor
