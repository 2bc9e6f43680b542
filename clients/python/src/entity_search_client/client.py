"""The two clients: one waits, one is awaited."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Generator, Iterator
from decimal import Decimal
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import httpx
from pydantic import BaseModel
from typing_extensions import Self, Unpack

from .body import Body, UntilDeadline
from .call import Call
from .errors import ConnectionFailedError, EntitySearchError, TimedOutError
from .exchange import Pause, Reply, Request, Settings, Step, exchange
from .generated import models
from .generated.operations import AsyncOperations, Operations, SearchParameters
from .options import Limits, checked_base_url, checked_key
from .payment import Payment
from .spending import Purse, Spending
from .walk import RemovalsParameters, Walk, moved_on
from .wallet import Wallet

if TYPE_CHECKING:
    from eth_account.signers.base import BaseAccount

Answer = TypeVar("Answer", bound=BaseModel)
Result = TypeVar("Result")


class Base:
    """The parts that both clients share."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        wallet: str | BaseAccount | None,
        spending: Spending | None,
        limits: Limits | None,
    ) -> None:
        purse = Purse(spending or Spending())
        self._settings = Settings(
            base_url=checked_base_url(base_url),
            api_key=checked_key(api_key),
            limits=limits or Limits(),
            purse=purse,
            wallet=None if wallet is None else Wallet(wallet, purse),
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings.base_url!r})"

    @property
    def spent_usd(self) -> Decimal:
        """The amount charged for this client's paid searches."""
        return self._settings.purse.charged_usd

    @property
    def unresolved_payments(self) -> tuple[Payment, ...]:
        """Signed payments whose outcome is unknown, such as those of cancelled calls. `resume_paid_search` resolves
        one."""
        return self._settings.purse.unresolved

    def _http_options(self) -> dict[str, Any]:
        return {"timeout": self._settings.limits.timeout, "follow_redirects": False}


class Client(Base, Operations):
    """Each method is one operation of the API. Threads may share a client.

    api_key: For all but paid search, `/api/health` and the documents.
    wallet: A private key, or an account of eth_account, that pays for `paid_search`.
    spending: Limits on payments.
    transport: In place of httpx's, such as for a proxy.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        wallet: str | BaseAccount | None = None,
        spending: Spending | None = None,
        limits: Limits | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(base_url, api_key, wallet, spending, limits)
        self._http = httpx.Client(transport=transport, **self._http_options())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def search_pages(self, **parameters: Unpack[SearchParameters]) -> Iterator[models.SearchAnswer]:
        """All pages of a search, each when it is asked for. `limit` is their size.

        Raises CursorExpiredError if the results were not kept until the next page was asked for: start again.
        """
        walk = Walk(parameters)
        while walk.goes_on:
            page = self.search(**walk.parameters)
            yield page
            walk.follow(page)

    def search_all(self, **parameters: Unpack[SearchParameters]) -> Iterator[models.Item]:
        """All results of a search, page by page as they are needed."""
        for page in self.search_pages(**parameters):
            yield from page.data.results

    def removal_pages(self, **parameters: Unpack[RemovalsParameters]) -> Iterator[models.RemovalsAnswer]:
        """Yields the pages of removals since a cursor, up to the present.

        Apply the last page's removals, then keep its `next_cursor` for the next time. Raises RemovalsUnknownError if
        a copy must be rebuilt.
        """
        while True:
            page = self.removals(**parameters)
            yield page
            if not page.data.has_more:
                return
            cursor = moved_on(page.data.next_cursor, parameters.get("cursor"))
            parameters = {**parameters, "cursor": cursor}

    def resume_paid_search(self, payment: Payment) -> models.PaidAnswer:
        """The answer to a paid search that was interrupted, with the payment that was signed for it."""
        return self._drive(exchange(self._settings, payment.call, models.PaidAnswer, payment))

    def _run(self, call: Call, model: type[Answer] | None) -> Any:
        return self._drive(exchange(self._settings, call, model))

    def _drive(self, steps: Generator[Step, Reply | None, Result]) -> Result:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    step = steps.send(None)
                    continue
                try:
                    reply = self._send(step)
                except EntitySearchError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as stop:
            result: Result = stop.value
            return result

    def _send(self, request: Request) -> Reply:
        limits = self._settings.limits
        deadline = time.monotonic() + limits.timeout
        try:
            with self._http.stream(
                request.method, request.url, headers=dict(request.headers), content=request.content
            ) as response:
                body = Body(response, limits.answer_bytes)
                response.stream = UntilDeadline(response, deadline)
                for chunk in response.iter_bytes():
                    body.add(chunk)
                return body.reply()
        except httpx.HTTPError as error:
            raise failed(error, limits) from error
        except httpx.InvalidURL as error:
            raise ValueError(f"The arguments make no address: {error}") from error


class AsyncClient(Base, AsyncOperations):
    """As `Client`, with methods to await; a call that is cancelled ends at once. For asyncio and trio."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        wallet: str | BaseAccount | None = None,
        spending: Spending | None = None,
        limits: Limits | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(base_url, api_key, wallet, spending, limits)
        self._http = httpx.AsyncClient(transport=transport, **self._http_options())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def search_pages(self, **parameters: Unpack[SearchParameters]) -> AsyncIterator[models.SearchAnswer]:
        """All pages of a search, each when it is asked for. `limit` is their size.

        Raises CursorExpiredError if the results were not kept until the next page was asked for: start again.
        """
        walk = Walk(parameters)
        while walk.goes_on:
            page = await self.search(**walk.parameters)
            yield page
            walk.follow(page)

    async def search_all(self, **parameters: Unpack[SearchParameters]) -> AsyncIterator[models.Item]:
        """All results of a search, page by page as they are needed."""
        async for page in self.search_pages(**parameters):
            for item in page.data.results:
                yield item

    async def removal_pages(self, **parameters: Unpack[RemovalsParameters]) -> AsyncIterator[models.RemovalsAnswer]:
        """Yields the pages of removals since a cursor, up to the present.

        Apply the last page's removals, then keep its `next_cursor` for the next time. Raises RemovalsUnknownError if
        a copy must be rebuilt.
        """
        while True:
            page = await self.removals(**parameters)
            yield page
            if not page.data.has_more:
                return
            cursor = moved_on(page.data.next_cursor, parameters.get("cursor"))
            parameters = {**parameters, "cursor": cursor}

    async def resume_paid_search(self, payment: Payment) -> models.PaidAnswer:
        """The answer to a paid search that was interrupted, with the payment that was signed for it."""
        return await self._drive(exchange(self._settings, payment.call, models.PaidAnswer, payment))

    async def _run(self, call: Call, model: type[Answer] | None) -> Any:
        return await self._drive(exchange(self._settings, call, model))

    async def _drive(self, steps: Generator[Step, Reply | None, Result]) -> Result:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    await anyio.sleep(step.seconds)
                    step = steps.send(None)
                    continue
                try:
                    reply = await self._send(step)
                except EntitySearchError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as stop:
            result: Result = stop.value
            return result

    async def _send(self, request: Request) -> Reply:
        limits = self._settings.limits
        try:
            with anyio.fail_after(limits.timeout):
                async with self._http.stream(
                    request.method, request.url, headers=dict(request.headers), content=request.content
                ) as response:
                    body = Body(response, limits.answer_bytes)
                    async for chunk in response.aiter_bytes():
                        body.add(chunk)
                    return body.reply()
        except TimeoutError as error:
            raise timed_out(limits) from error
        except httpx.HTTPError as error:
            raise failed(error, limits) from error
        except httpx.InvalidURL as error:
            raise ValueError(f"The arguments make no address: {error}") from error


def timed_out(limits: Limits) -> TimedOutError:
    return TimedOutError(f"No complete answer came within {limits.timeout:g} s")


def failed(error: httpx.HTTPError, limits: Limits) -> ConnectionFailedError:
    if isinstance(error, httpx.TimeoutException):
        return timed_out(limits)
    return ConnectionFailedError(f"No answer could be read: {str(error) or type(error).__name__}")
