"""The steps of a call, as a generator that yields requests and pauses. Both clients carry them out.

    request ──► 200 ──► the answer; a payment is charged
       │ ▲
       │ └── pause ◄── 429 or 503 with Retry-After; with a signed payment also no answer
       │
       └──► 402 ──► sign once, request with the payment; a second 402 ends it

A payment is signed at most once per call, whatever the server answers.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import TypeVar, overload

from pydantic import BaseModel, ValidationError

from .call import Call
from .errors import (
    AnswerError,
    ApiError,
    ConnectionFailedError,
    EntitySearchError,
    MissingCredentialsError,
    PaymentRefusedError,
    Problem,
    UnexpectedAnswerError,
)
from .generated import models
from .generated.errors import error_types
from .options import Limits
from .payment import Payment
from .retry import Patience, repeatable_statuses, retry_after_of
from .spending import Purse
from .wallet import Wallet

Answer = TypeVar("Answer", bound=BaseModel)

version = metadata.version("entity-search-client")

#: After these nothing was taken, and nothing will be.
uncharged_codes = frozenset(
    {
        *("invalid_parameter", "malformed_request", "paid_search_off", "payment_identifier_used", "too_many_payments"),
        *("search_unavailable", "facilitator_unavailable", "chain_unavailable", "shutting_down", "overloaded"),
        *("rate_limited", "request_timeout", "headers_too_large", "expectation_failed"),
    }
)

#: Seconds before a paid search that got no answer is asked for again.
unanswered_wait_seconds = 1.0


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = field(repr=False)


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Reply:
    """An answer, read to its end. The names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Step = Request | Pause


@dataclass(frozen=True)
class Settings:
    base_url: str
    api_key: str | None = field(repr=False)
    limits: Limits
    purse: Purse
    wallet: Wallet | None


def request_of(settings: Settings, call: Call, payment: Payment | None) -> Request:
    headers = {"Accept": "application/json, application/*+json, text/*", "Accept-Encoding": "gzip"}
    headers["User-Agent"] = f"entity-search-client-python/{version}"
    if call.secured:
        if settings.api_key is None:
            raise MissingCredentialsError(f"{call.operation} needs a key: pass api_key to the client")
        headers["Authorization"] = f"Bearer {settings.api_key}"
    if payment is not None:
        headers["PAYMENT-SIGNATURE"] = payment.header
    content = call.content()
    if content is not None:
        headers["Content-Type"] = "application/json"
    return Request(call.method, settings.base_url + call.target(), headers, content)


@overload
def exchange(
    settings: Settings, call: Call, model: type[Answer], payment: Payment | None = None
) -> Generator[Step, Reply | None, Answer]: ...


@overload
def exchange(
    settings: Settings, call: Call, model: None, payment: Payment | None = None
) -> Generator[Step, Reply | None, str]: ...


@overload
def exchange(
    settings: Settings, call: Call, model: type[Answer] | None, payment: Payment | None = None
) -> Generator[Step, Reply | None, Answer | str]: ...


def exchange(
    settings: Settings, call: Call, model: type[Answer] | None, payment: Payment | None = None
) -> Generator[Step, Reply | None, Answer | str]:
    """Asks for requests and pauses until it has an answer, and returns that.

    A request is answered by a Reply, or by throwing an EntitySearchError. Raises EntitySearchError.
    """
    paid = Sale(settings.purse, payment)
    patience = Patience(settings.limits)
    request = request_of(settings, call, payment)
    try:
        while True:
            paid.sending()
            try:
                reply = yield request
                assert reply is not None  # noqa: S101 a request is answered by a reply
            except ConnectionFailedError:
                paid.unanswered()
                wait = None if paid.payment is None else patience.wait(unanswered_wait_seconds)
                if wait is None:
                    raise
                yield Pause(wait)
                continue
            if reply.status == 402 and call.sold and paid.payment is None:
                if settings.wallet is None:
                    raise MissingCredentialsError(f"{call.operation} is paid for: pass wallet to the client")
                paid.payment = settings.wallet.pay(call, reply.headers.get("payment-required"), reply.body)
                request = request_of(settings, call, paid.payment)
                continue
            if is_answer(reply, call, model):
                answer = read_answer(reply, model)
                paid.charged(reply)
                return answer
            error = error_of(reply)
            paid.failed(error)
            asked = retry_after_of(reply.headers) if reply.status in repeatable_statuses else None
            wait = patience.wait(asked)
            if wait is None:
                raise error
            yield Pause(wait)
    except EntitySearchError as error:
        error.payment = paid.payment
        raise


class Sale:
    """Follows the payment of one call through its answers, and records its state in the purse."""

    def __init__(self, purse: Purse, payment: Payment | None) -> None:
        self.payment = payment
        self._purse = purse
        self._resumed = payment is not None
        self._answers = 0
        # True while the payment may still be charged.
        self._open = payment is not None and payment.state == "unknown"

    def sending(self) -> None:
        """Marks the payment as possibly charged, until an answer settles it."""
        if self.payment is not None:
            self._purse.open(self.payment)

    def unanswered(self) -> None:
        self._open = True
        self._answers += 1

    def failed(self, error: AnswerError) -> None:
        if self.payment is None:
            return
        self._answers += 1
        refused = isinstance(error, PaymentRefusedError)
        if not refused and not (isinstance(error, ApiError) and error.code in uncharged_codes):
            self._open = True
        if refused or not self._open:
            self._purse.settle(self.payment, "refused")

    def charged(self, reply: Reply) -> None:
        if self.payment is None:
            return
        earlier = self._earlier() if reply.headers.get("payment-replayed") == "true" else None
        if earlier is None:
            self._purse.settle(self.payment, "charged")
        else:
            # This answer was bought by an earlier payment whose answer never arrived.
            self._purse.settle(earlier, "charged")
            self._purse.settle(self.payment, "refused")

    def _earlier(self) -> Payment | None:
        """A payment for the same search whose answer never came; only the first answer to a new one can be for it."""
        payment = self.payment
        if payment is None or self._resumed or self._answers > 0:
            return None
        same = (each for each in self._purse.unresolved if each.call.target() == payment.call.target())
        return next((each for each in same if each is not payment), None)


def is_answer(reply: Reply, call: Call, model: type[BaseModel] | None) -> bool:
    """Returns true for a success. Health has the same body with 503 as with 200; a 503 of another form is an error."""
    if reply.status == 200:
        return True
    if model is None or reply.status not in call.statuses or not is_json(reply):
        return False
    try:
        model.model_validate_json(reply.body)
    except ValidationError:
        return False
    return True


def read_answer(reply: Reply, model: type[Answer] | None) -> Answer | str:
    if model is None:
        if not content_type(reply).startswith("text/"):
            raise unexpected(reply, "The answer is not a text")
        return reply.body.decode("utf-8", "replace")
    if not is_json(reply):
        raise unexpected(reply, "The answer is not JSON: base_url may not be the address of the API")
    try:
        return model.model_validate_json(reply.body)
    except ValidationError as error:
        # Its texts would hold the answer.
        places = ", ".join(".".join(map(str, each["loc"])) or "the JSON" for each in error.errors()[:3])
        raise unexpected(reply, f"The answer does not have the form of {model.__name__}: {places[:300]}") from None


def error_of(reply: Reply) -> AnswerError:
    if 300 <= reply.status < 400:
        return unexpected(reply, "The server leads to another address, which is not followed: correct base_url")
    try:
        body = None if not is_json(reply) else models.Error.model_validate_json(reply.body)
    except ValidationError:
        body = None
    if body is None:
        return unexpected(reply, "The answer is not one of this API")
    fallback = PaymentRefusedError if reply.status == 402 else ApiError
    return error_types.get(body.code, fallback)(
        readable(body.error),
        status=reply.status,
        request_id=request_id_of(reply.headers),
        code=readable(body.code)[:100],
        details=[Problem(readable(each.path), readable(each.message)) for each in body.details or []],
        retry_after=retry_after_of(reply.headers),
    )


def unexpected(reply: Reply, text: str) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(text, status=reply.status, request_id=request_id_of(reply.headers))


def content_type(reply: Reply) -> str:
    return reply.headers.get("content-type", "").split(";")[0].strip().lower()


def is_json(reply: Reply) -> bool:
    return re.fullmatch(r"application/(.+\+)?json", content_type(reply)) is not None


def request_id_of(headers: Mapping[str, str]) -> str | None:
    value = headers.get("x-request-id", "")
    return value if re.fullmatch(r"[\x21-\x7e]{1,128}", value) else None


def readable(text: str) -> str:
    """A text of bounded length without what would steer a terminal."""
    return "".join(each if each.isprintable() else " " for each in text[:2000])
