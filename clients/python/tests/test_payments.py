"""Paid search: what is signed, how often, and what counts."""

from __future__ import annotations

import base64
import json
import logging
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import anyio
import pytest
from server import Answer, Seen, error, offer, paid_answer, payment_required, serving

import entity_search_client as api
from entity_search_client import AsyncClient, Client, Limits, Spending

wallet = "0x" + "11" * 32
limits = Limits(timeout=20)


def client(url: str, spending: Spending | None = None) -> Client:
    return Client(url, wallet=wallet, spending=spending, limits=limits)


def signature(seen: Seen) -> str | None:
    return seen.headers.get("payment-signature")


def signed(seen: Seen) -> dict[str, object]:
    payload: dict[str, object] = json.loads(base64.b64decode(seen.headers["payment-signature"]))
    return payload


def shop(*answers: Answer | Callable[[socket.socket], None]) -> Callable[[Seen, int], object]:
    """Asks for a payment, and answers paid requests one after the other; the last answer forever."""
    paid = iter(range(10_000))

    def handler(seen: Seen, turn: int) -> Answer | Callable[[socket.socket], None]:
        return payment_required(offer()) if signature(seen) is None else answers[min(next(paid), len(answers) - 1)]

    return handler


def test_pays_once_and_counts_it() -> None:
    with serving(shop(paid_answer())) as server, client(server.url) as c:
        answer = c.paid_search(q="ünïcode 貝")
        assert answer.meta.price_paid_usd == "0.01"
        assert (c.spent_usd, c.unresolved_payments) == (Decimal("0.01"), ())
    first, second = server.seen
    assert first.target == second.target
    authorization = signed(second)["payload"]["authorization"]  # type: ignore[index]
    assert authorization["value"] == "10000"
    assert authorization["to"] == offer()["payTo"]


refused = [
    ("ten times the price", {"amount": "1000000"}, api.SpendingLimitError),
    ("more than any purse", {"amount": "9" * 77}, api.SpendingLimitError),
    ("an amount that is not a number", {"amount": "1e4"}, api.OfferRefusedError),
    ("a negative amount", {"amount": "-1"}, api.OfferRefusedError),
    ("a number with other digits", {"amount": "١٠"}, api.OfferRefusedError),
    ("another token", {"asset": "0x" + "33" * 20}, api.OfferRefusedError),
    ("another network", {"network": "eip155:1"}, api.OfferRefusedError),
    ("another scheme", {"scheme": "upto"}, api.OfferRefusedError),
    ("a signature for a year", {"maxTimeoutSeconds": 365 * 86_400}, api.OfferRefusedError),
    ("no recipient", {"payTo": "me"}, api.OfferRefusedError),
    ("no domain of the token", {"extra": {}}, api.OfferRefusedError),
]


@pytest.mark.parametrize(("changes", "kind"), [each[1:] for each in refused], ids=[each[0] for each in refused])
def test_signs_nothing_that_it_may_not_pay(changes: dict[str, object], kind: type[Exception]) -> None:
    with serving(lambda seen, turn: payment_required(offer(**changes))) as server, client(server.url) as c:
        with pytest.raises(kind):
            c.paid_search(q="a")
        assert c.unresolved_payments == ()
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "answer",
    [
        Answer({}, 402),
        Answer("<p>", 402, {"Content-Type": "text/html"}),
        Answer({"x402Version": 1, "accepts": []}, 402),
        Answer({"x402Version": 2, "accepts": []}, 402),
        Answer({"x402Version": 2, "accepts": [None, 5]}, 402),
        Answer({"x402Version": 2, "accepts": [offer()]}, 402, {"PAYMENT-REQUIRED": "%%%"}),
    ],
)
def test_signs_nothing_for_an_offer_that_cannot_be_read(answer: Answer) -> None:
    with serving(lambda seen, turn: answer) as server, client(server.url) as c:
        with pytest.raises(api.OfferRefusedError):
            c.paid_search(q="a")
    assert len(server.seen) == 1


def test_takes_the_offer_that_it_may_pay_and_signs_no_other_form() -> None:
    wanted = offer(extra={"name": "USDC", "version": "2", "assetTransferMethod": "permit2"})

    def handler(seen: Seen, turn: int) -> Answer:
        return payment_required(offer(network="eip155:1"), wanted) if signature(seen) is None else paid_answer()

    with serving(handler) as server, client(server.url) as c:
        c.paid_search(q="a")
    payload = signed(server.seen[1])
    assert "authorization" in payload["payload"]  # type: ignore[operator]
    assert payload["accepted"]["extra"] == {"name": "USDC", "version": "2"}  # type: ignore[index]


def test_keeps_the_limit_in_all_whatever_the_server_says() -> None:
    spending = Spending(per_call_usd="0.01", total_usd="0.03")
    bad = payment_required(offer(), code="invalid_signature")
    with serving(shop(paid_answer(), bad)) as server, client(server.url, spending) as c:
        c.paid_search(q="a")
        for _ in range(2):
            with pytest.raises(api.PaymentRefusedError):
                c.paid_search(q="a")
        # A refused signature counts: the server could still take the money.
        with pytest.raises(api.SpendingLimitError):
            c.paid_search(q="a")
        assert c.spent_usd == Decimal("0.01")
    assert len({signature(seen) for seen in server.seen} - {None}) == 3


@pytest.mark.parametrize(
    "between",
    [
        error(503, "settlement_unknown", Retry_After="0"),
        error(503, "facilitator_unavailable", Retry_After="0"),
        error(429, "too_many_payments", Retry_After="0"),
        lambda connection: connection.sendall(b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\n"),
        lambda connection: None,
    ],
)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_repeats_with_the_same_payment(between: Answer | Callable[[socket.socket], None], is_async: bool) -> None:
    async def ask(url: str) -> Decimal:
        async with AsyncClient(url, wallet=wallet, limits=limits) as c:
            await c.paid_search(q="a")
            return c.spent_usd

    with serving(shop(between, between, paid_answer(**{"Payment_Replayed": "true"}))) as server:
        if is_async:
            spent = anyio.run(ask, server.url)
        else:
            with client(server.url) as c:
                c.paid_search(q="a")
                spent = c.spent_usd
    assert spent == Decimal("0.01")
    assert len(server.seen) == 4
    assert len({signature(seen) for seen in server.seen}) == 2


@pytest.mark.parametrize("code", ["payment_required", "invalid_payload", "expired"])
def test_never_signs_a_second_time_for_a_call(code: str) -> None:
    with serving(lambda seen, turn: payment_required(offer(), code=code)) as server, client(server.url) as c:
        with pytest.raises(api.PaymentRefusedError) as caught:
            c.paid_search(q="a")
    assert len(server.seen) == 2
    assert caught.value.payment is not None and caught.value.payment.state == "refused"


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (error(500, "search_unavailable"), "refused"),
        (error(500, "internal_error"), "unknown"),
        (error(503, "settlement_unknown", Retry_After="99999"), "unknown"),
        (Answer("{", 200), "unknown"),
        (Answer("<p>", 502, {"Content-Type": "text/html"}), "unknown"),
        (Answer(b" " * (33 * 1024 * 1024), 200), "unknown"),
    ],
)
def test_says_what_is_known_of_a_payment(answer: Answer, state: str) -> None:
    with serving(shop(answer)) as server, client(server.url) as c:
        with pytest.raises(api.EntitySearchError) as caught:
            c.paid_search(q="a")
        payment = caught.value.payment
        assert payment is not None and payment.state == state
        assert c.unresolved_payments == ((payment,) if state == "unknown" else ())
        assert c.spent_usd == 0
    assert len(server.seen) == 2


def test_a_refusal_does_not_undo_what_is_open() -> None:
    first = error(503, "settlement_unknown", Retry_After="0")
    with serving(shop(first, error(500, "search_unavailable"))) as server, client(server.url) as c:
        with pytest.raises(api.SearchUnavailableError):
            c.paid_search(q="a")
        assert len(c.unresolved_payments) == 1


def test_a_refused_payment_that_is_sent_again_is_open_again() -> None:
    refused_first = error(503, "facilitator_unavailable", Retry_After="0")
    with (
        serving(shop(refused_first, lambda connection: None)) as server,
        Client(server.url, wallet=wallet, limits=Limits(retries=1)) as c,
    ):
        with pytest.raises(api.ConnectionFailedError) as caught:
            c.paid_search(q="a")
        payment = caught.value.payment
        assert payment is not None and payment.state == "unknown"
        assert c.unresolved_payments == (payment,)


def test_resumes_an_interrupted_search_with_its_payment() -> None:
    lost = error(503, "settlement_unknown", Retry_After="9999")
    with serving(shop(lost, paid_answer(**{"Payment_Replayed": "true"}))) as server, client(server.url) as c:
        with pytest.raises(api.SettlementUnknownError):
            c.paid_search(q="a")
        (payment,) = c.unresolved_payments
        c.resume_paid_search(payment)
        c.resume_paid_search(payment)
        assert (c.spent_usd, c.unresolved_payments) == (Decimal("0.01"), ())
    assert len({signature(seen) for seen in server.seen}) == 2


def test_counts_one_charge_where_a_new_call_gets_the_answer_of_an_old_payment() -> None:
    lost = error(503, "settlement_unknown", Retry_After="9999")
    with serving(shop(lost, paid_answer(**{"Payment_Replayed": "true"}))) as server, client(server.url) as c:
        with pytest.raises(api.SettlementUnknownError):
            c.paid_search(q="a")
        c.paid_search(q="a")
        assert (c.spent_usd, c.unresolved_payments) == (Decimal("0.01"), ())


@pytest.mark.parametrize("after", [0.0, 0.02, 0.2])
def test_a_cancelled_call_leaves_its_payment_to_be_resumed(after: float) -> None:
    reached = threading.Event()

    def slow(connection: socket.socket) -> None:
        reached.set()
        time.sleep(5)

    async def ask(url: str) -> None:
        async with AsyncClient(url, wallet=wallet, limits=Limits(timeout=10)) as c:
            async with anyio.create_task_group() as group:
                group.start_soon(c.paid_search)
                while not reached.is_set():
                    await anyio.sleep(0.005)
                await anyio.sleep(after)
                group.cancel_scope.cancel()
            (payment,) = c.unresolved_payments
            await c.resume_paid_search(payment)
            assert (c.spent_usd, c.unresolved_payments) == (Decimal("0.01"), ())

    with serving(shop(slow, paid_answer())) as server:
        anyio.run(ask, server.url)
    assert len({signature(seen) for seen in server.seen}) == 2


def test_threads_share_the_limit() -> None:
    spending = Spending(per_call_usd="0.01", total_usd="0.05")

    def buy(c: Client) -> bool:
        try:
            c.paid_search(q="a")
        except api.SpendingLimitError:
            return False
        return True

    with serving(shop(paid_answer())) as server, client(server.url, spending) as c, ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(buy, [c] * 16)) == 5
        assert c.spent_usd == Decimal("0.05")
    assert len({signature(seen) for seen in server.seen} - {None}) == 5


@pytest.mark.parametrize(
    "wrong", ["", "0x12", "g" * 64, "0x" + "0" * 64, "0x" + "f" * 64, "es_live_abc", wallet + "\n"]
)
def test_refuses_a_wallet_that_is_none_without_telling_it(wrong: str) -> None:
    with pytest.raises(ValueError, match="wallet") as caught:
        Client("http://localhost", wallet=wrong)
    assert not wrong or wrong not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("wrong", ["", "a", "-1", "NaN", "Infinity"])
def test_refuses_a_limit_that_is_none(wrong: str) -> None:
    with pytest.raises(ValueError, match="per_call_usd"):
        Spending(per_call_usd=wrong)
    with pytest.raises(TypeError, match="total_usd"):
        Spending(total_usd=0.1)  # type: ignore[arg-type]


def test_asks_for_a_wallet() -> None:
    with serving(shop(paid_answer())) as server, Client(server.url, api_key="es_test_a") as c:
        with pytest.raises(api.MissingCredentialsError, match="wallet"):
            c.paid_search(q="a")
    assert "authorization" not in server.seen[0].headers


def test_tells_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(shop(error(500, "internal_error"))) as server, client(server.url) as c:
        with pytest.raises(api.InternalError) as caught:
            c.paid_search(q="a")
        told = repr(c) + repr(vars(c)) + repr(caught.value) + repr(caught.value.payment) + caplog.text
    sent = signature(server.seen[1])
    assert sent is not None and sent not in told
    assert wallet[2:] not in told
