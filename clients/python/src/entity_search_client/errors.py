"""Exceptions. Each one of this package is an `EntitySearchError`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .payment import Payment


class EntitySearchError(Exception):
    """Anything that this client raises by itself.

    `payment` is set once a payment was signed for the call: whether it was charged is then `payment.state`, and
    `resume_paid_search(payment)` asks again without paying a second time.
    """

    payment: Payment | None = None


class MissingCredentialsError(EntitySearchError):
    """The call needs a key or a wallet that the client was not given."""


class ConnectionFailedError(EntitySearchError):
    """No answer came: the address cannot be reached, or the connection broke."""


class TimedOutError(ConnectionFailedError):
    """No complete answer came in time."""


class OfferRefusedError(EntitySearchError):
    """The server's price or payment method is not one that this client accepts; nothing was signed."""


class SpendingLimitError(OfferRefusedError):
    """The price is over what one call, or all calls together, may cost; nothing was signed."""


class AnswerError(EntitySearchError):
    """An answer that is not a success."""

    def __init__(self, text: str, *, status: int, request_id: str | None) -> None:
        super().__init__(text, status, request_id)
        self.text = text
        self.status = status
        #: The server's log has this call under it.
        self.request_id = request_id

    def __str__(self) -> str:
        request = "" if self.request_id is None else f", request {self.request_id}"
        return f"{self.text} (HTTP {self.status}{request})"


class UnexpectedAnswerError(AnswerError):
    """The answer is not one of this API: another status, type or form, a redirect, or too large."""


@dataclass(frozen=True)
class Problem:
    """A problem with one parameter, or with one place in the body."""

    path: str
    message: str


class ApiError(AnswerError):
    """An error of the API. There is a subclass for each `code`; a newer server may send codes without one."""

    def __init__(
        self,
        text: str,
        *,
        status: int,
        request_id: str | None,
        code: str,
        details: Sequence[Problem] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(text, status=status, request_id=request_id)
        self.code = code
        #: All problems with the parameters at once.
        self.details = tuple(details)
        #: Seconds to wait before the call is repeated, from Retry-After.
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.code}: {super().__str__()}"


class PaymentRefusedError(ApiError):
    """The payment was not accepted; `code` gives the reason. The server took nothing."""
