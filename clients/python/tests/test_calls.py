"""Keyed calls: what is sent, what comes back, and what a server that lies or fails can do."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timezone
from email.utils import formatdate
from urllib.parse import parse_qsl, urlsplit

import anyio
import pytest
from server import Answer, Seen, error, meta, search_answer, serving

import entity_search_client as api
from entity_search_client import AsyncClient, Client, Limits, models

key = "es_test_secret"


def client(url: str, **limits: float) -> Client:
    return Client(url, api_key=key, limits=Limits(**{"timeout": 20.0, **limits}))  # type: ignore[arg-type]


def test_sends_arguments_as_the_document_says() -> None:
    with serving(lambda seen, turn: search_answer([1])) as server, client(f"{server.url}/") as c:
        c.search(
            type="companies",
            query="ünïcode & 貝 +",
            tag=["a", "b, c\\d"],
            country="Chile",
            online=True,
            founded_from=2020,
            starts_from=date(2026, 1, 2),
            updated_since=datetime(2026, 1, 2, tzinfo=timezone.utc),
        )
    (seen,) = server.seen
    assert urlsplit(seen.target).path == "/api/v1/search"
    assert parse_qsl(urlsplit(seen.target).query) == [
        ("type", "companies"),
        ("query", "ünïcode & 貝 +"),
        ("country", "Chile"),
        ("tag", "a"),
        ("tag", "b\\, c\\\\d"),
        ("founded_from", "2020"),
        ("starts_from", "2026-01-02"),
        ("online", "true"),
        ("updated_since", "2026-01-02T00:00:00Z"),
    ]
    assert seen.headers["authorization"] == f"Bearer {key}"


def test_keeps_an_identifier_in_its_place() -> None:
    with serving(lambda seen, turn: error(404, "not_found")) as server, client(server.url) as c:
        for identifier in ("a/b?c#d é", 5):
            with pytest.raises(api.NotFoundError):
                c.get_company(identifier)
        for wrong in (".", "..", ""):
            with pytest.raises(ValueError, match="id or a slug"):
                c.get_company(wrong)
    assert [seen.target for seen in server.seen] == ["/api/v1/companies/a%2Fb%3Fc%23d%20%C3%A9", "/api/v1/companies/5"]


def test_sends_a_bulk_request_as_model_or_mapping() -> None:
    with serving(lambda seen, turn: error(400, "malformed_body")) as server, client(server.url) as c:
        for request in (
            models.BulkExistsRequest(operation="exists", entity_type="people", identifiers=[1]),
            {"operation": "exists", "entity_type": "people", "identifiers": [1]},
        ):
            with pytest.raises(api.MalformedBodyError):
                c.bulk(request)
    assert [json.loads(seen.body) for seen in server.seen] == [
        {"operation": "exists", "entity_type": "people", "identifiers": [1]}
    ] * 2


def test_reads_an_answer_of_a_newer_server() -> None:
    answer = search_answer([7], matchedBy="by_magic", novelty={"x": 1})
    with serving(lambda seen, turn: answer) as server, client(server.url) as c:
        data = c.search(type="all").data
    assert data.matched_by == "by_magic"
    (item,) = data.results
    assert isinstance(item, models.CompanyItem)
    assert (item.id, item.name) == (7, "Quartz 7")


def test_raises_the_exception_of_the_code_with_all_it_knows() -> None:
    body = {"error": "Bad \x1b[31mtag.", "code": "invalid_parameter", "details": [{"path": "tag", "message": "no"}]}
    with serving(lambda seen, turn: Answer(body, 400)) as server, client(server.url) as c:
        with pytest.raises(api.InvalidParameterError) as caught:
            c.search(type="all")
    raised = caught.value
    assert (raised.code, raised.status, raised.request_id) == ("invalid_parameter", 400, "req-1")
    assert [(each.path, each.message) for each in raised.details] == [("tag", "no")]
    assert "req-1" in str(raised) and "\x1b" not in str(raised) and key not in str(raised)


def test_raises_an_api_error_for_a_code_that_is_new() -> None:
    with serving(lambda seen, turn: error(418, "teapot")) as server, client(server.url) as c:
        with pytest.raises(api.ApiError) as caught:
            c.usage()
    assert type(caught.value) is api.ApiError and caught.value.code == "teapot"


def hang(connection: socket.socket) -> None:
    time.sleep(8)


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(160):
        connection.sendall(b" ")
        time.sleep(0.05)


def drip_packed(connection: socket.socket) -> None:
    head = b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n"
    # A file name in front of the packed bytes, which unpacks to nothing.
    connection.sendall(head + b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03")
    for _ in range(160):
        connection.sendall(b"a")
        time.sleep(0.05)


def cut(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")


bomb = gzip.compress(b" " * 3_000_000)
lies: list[tuple[str, Answer | Callable[[socket.socket], None], type[api.EntitySearchError]]] = [
    ("HTML", Answer("<p>", 200, {"Content-Type": "text/html"}), api.UnexpectedAnswerError),
    ("no JSON", Answer("{", 200), api.UnexpectedAnswerError),
    ("deep JSON", Answer("[" * 100_000, 200), api.UnexpectedAnswerError),
    ("another form", Answer({"success": True}, 200), api.UnexpectedAnswerError),
    ("bytes that are not text", Answer(b'"\xff\xfe"', 200), api.UnexpectedAnswerError),
    ("a status that is not a success", Answer(b"", 204), api.UnexpectedAnswerError),
    ("a redirect", Answer(b"", 302, {"Location": "http://127.0.0.1:1/"}), api.UnexpectedAnswerError),
    ("a proxy's page", Answer("<h1>", 502, {"Content-Type": "text/html"}), api.UnexpectedAnswerError),
    ("an error of another form", Answer({"error": {"message": "no"}}, 400), api.UnexpectedAnswerError),
    ("a large answer", Answer(b" " * 2_000_001, 200), api.UnexpectedAnswerError),
    ("a bomb", Answer(bomb, 200, {"Content-Encoding": "gzip"}), api.UnexpectedAnswerError),
    ("packed twice", Answer(gzip.compress(bomb), 200, {"Content-Encoding": "gzip, gzip"}), api.UnexpectedAnswerError),
    ("not packed as declared", Answer(b"{}", 200, {"Content-Encoding": "gzip"}), api.ConnectionFailedError),
    ("silence", hang, api.TimedOutError),
    ("a byte at a time", drip, api.TimedOutError),
    ("a packed byte at a time", drip_packed, api.TimedOutError),
    ("a cut answer", cut, api.ConnectionFailedError),
    ("no HTTP", lambda connection: connection.sendall(b"SSH-2.0\r\n"), api.ConnectionFailedError),
]


@pytest.mark.parametrize(("answer", "kind"), [each[1:] for each in lies], ids=[each[0] for each in lies])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_names_what_is_wrong_with_a_server(
    answer: Answer | Callable[[socket.socket], None], kind: type[api.EntitySearchError], is_async: bool
) -> None:
    # Short only where it is waited for: the others may take their time on a busy machine.
    limits = Limits(timeout=0.5 if kind is api.TimedOutError else 20, answer_bytes=2_000_000)

    async def ask(url: str) -> None:
        async with AsyncClient(url, api_key=key, limits=limits) as c:
            await c.search(type="all")

    started = time.monotonic()
    with serving(lambda seen, turn: answer) as server, pytest.raises(kind) as caught:
        if is_async:
            anyio.run(ask, server.url)
        else:
            with Client(server.url, api_key=key, limits=limits) as c:
                c.search(type="all")
    assert time.monotonic() - started < 7
    assert len(server.seen) == 1
    assert key not in repr(caught.value) + str(caught.value)


def test_says_that_nobody_listens() -> None:
    with client("http://127.0.0.1:1") as c, pytest.raises(api.ConnectionFailedError):
        c.health()


report = {
    "status": "error",
    "timestamp": "2026-11-23T00:00:00.000Z",
    "responseTime": 2,
    "services": {"database": "error", "api": "operational"},
}


def test_answers_what_health_says_of_a_service_that_is_not_ready() -> None:
    answer = Answer(report, 503, {"Retry-After": "1"})
    with serving(lambda seen, turn: answer) as server, client(server.url) as c:
        health = c.health()
    assert (health.status, health.services.database) == ("error", "error")
    assert len(server.seen) == 1


def test_raises_where_health_is_not_what_answers() -> None:
    with serving(lambda seen, turn: error(503, "overloaded")) as server, client(server.url) as c:
        with pytest.raises(api.OverloadedError):
            c.health()
    with serving(lambda seen, turn: Answer(report, 503)) as server, client(server.url) as c:
        with pytest.raises(api.UnexpectedAnswerError):
            c.usage()


@pytest.mark.parametrize("retry_after", ["0", "date"])
def test_repeats_a_call_after_the_time_that_the_server_asks_for(retry_after: str) -> None:
    def handler(seen: Seen, turn: int) -> Answer:
        now = time.time()
        asked = formatdate(now + 1, usegmt=True) if retry_after == "date" else retry_after
        waited.append(now)
        if turn < 3:
            return error(
                429 if turn == 1 else 503, "rate_limited", Retry_After=asked, Date=formatdate(now, usegmt=True)
            )
        return search_answer([1])

    waited: list[float] = []
    with serving(handler) as server, client(server.url) as c:
        assert c.search(type="all").data.results
    assert len(server.seen) == 3
    assert waited[2] - waited[0] >= (2 if retry_after == "date" else 0)


@pytest.mark.parametrize(
    ("status", "headers", "calls"),
    [
        (429, {"Retry-After": str(365 * 86_400)}, 1),
        (429, {"Retry-After": formatdate(time.time() + 365 * 86_400, usegmt=True)}, 1),
        (429, {"Retry-After": "soon"}, 1),
        (429, {"Retry-After": "9" * 30}, 1),
        (429, {"Retry-After": "-1"}, 1),
        (429, {}, 1),
        (500, {"Retry-After": "0"}, 1),
        (400, {"Retry-After": "0"}, 1),
        (503, {"Retry-After": "0"}, 4),
    ],
)
def test_repeats_only_where_the_server_says_so_and_within_limits(
    status: int, headers: dict[str, str], calls: int
) -> None:
    body: dict[str, object] = {"error": "Later.", "code": "rate_limited"}
    started = time.monotonic()
    with serving(lambda seen, turn: Answer(body, status, headers)) as server, client(server.url) as c:
        with pytest.raises(api.RateLimitedError):
            c.usage()
    assert len(server.seen) == calls
    assert time.monotonic() - started < 20


def test_follows_cursors_to_the_end() -> None:
    def handler(seen: Seen, turn: int) -> Answer:
        return search_answer([turn * 2 - 1, turn * 2], None if turn == 3 else f"c{turn}")

    with serving(handler) as server, client(server.url) as c:
        assert [each.id for each in c.search_all(type="companies", query="q", page=1)] == [1, 2, 3, 4, 5, 6]
    queries = [dict(parse_qsl(urlsplit(seen.target).query)) for seen in server.seen]
    assert queries == [
        {"type": "companies", "query": "q", "page": "1"},
        {"type": "companies", "query": "q", "cursor": "c1"},
        {"type": "companies", "query": "q", "cursor": "c2"},
    ]


def test_says_that_a_cursor_expired_after_giving_what_it_had() -> None:
    def handler(seen: Seen, turn: int) -> Answer:
        return search_answer([1], "c") if turn == 1 else error(400, "cursor_expired")

    found = []
    with serving(handler) as server, client(server.url) as c, pytest.raises(api.CursorExpiredError):
        for item in c.search_all(type="companies"):
            found.append(item.id)
    assert found == [1]


def test_ends_a_walk_that_leads_in_a_circle() -> None:
    with serving(lambda seen, turn: search_answer([1], "same")) as server, client(server.url) as c:
        with pytest.raises(api.UnexpectedAnswerError, match="same page"):
            list(c.search_all(type="companies"))
    assert len(server.seen) == 2


def removals_answer(ids: list[int], cursor: str, more: bool) -> Answer:
    removed = [{"entity_type": "companies", "id": each, "removed_at": "2026-11-23T00:00:00.000Z"} for each in ids]
    data = {"results": removed, "nextCursor": cursor, "hasMore": more}
    return Answer({"success": True, "data": data, "message": "Found.", "meta": meta})


def test_follows_removals_until_there_are_no_more() -> None:
    with serving(lambda seen, turn: removals_answer([turn], f"c{turn}", turn < 3)) as server, client(server.url) as c:
        pages = list(c.removal_pages(type="companies", cursor="c0", limit=1))
    assert [each.id for page in pages for each in page.data.results] == [1, 2, 3]
    assert pages[-1].data.next_cursor == "c3"
    queries = [dict(parse_qsl(urlsplit(seen.target).query)) for seen in server.seen]
    assert queries == [{"type": "companies", "cursor": f"c{at}", "limit": "1"} for at in range(3)]


def test_ends_removals_that_lead_in_a_circle() -> None:
    with serving(lambda seen, turn: removals_answer([], "same", True)) as server, client(server.url) as c:
        with pytest.raises(api.UnexpectedAnswerError, match="same page"):
            list(c.removal_pages(type="companies"))
    assert len(server.seen) == 2


def test_asks_for_no_page_before_it_is_wanted() -> None:
    with serving(lambda seen, turn: search_answer([1], f"c{turn}")) as server, client(server.url) as c:
        assert next(iter(c.search_all(type="companies")))
    assert len(server.seen) == 1


def test_async_walks_many_at_once_and_ends_when_cancelled() -> None:
    async def walk(url: str) -> None:
        async with AsyncClient(url, api_key=key, limits=Limits(timeout=20)) as c:
            found: list[int] = []

            async def one() -> None:
                found.extend([each.id async for each in c.search_all(type="companies")])

            async with anyio.create_task_group() as group:
                for _ in range(8):
                    group.start_soon(one)
            assert found == [1] * 8
            started = time.monotonic()
            with anyio.move_on_after(0.3) as scope:
                await c.usage()
            assert scope.cancelled_caught and time.monotonic() - started < 6
            assert (await c.search(type="companies")).data.results

    def handler(seen: Seen, turn: int) -> Answer | Callable[[socket.socket], None]:
        return hang if "usage" in seen.target else search_answer([1])

    with serving(handler) as server:
        anyio.run(walk, server.url)


def test_threads_may_share_a_client() -> None:
    def handler(seen: Seen, turn: int) -> Answer:
        return search_answer([int(dict(parse_qsl(urlsplit(seen.target).query))["query"])])

    with serving(handler) as server, client(server.url) as c, ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda n: c.search(type="companies", query=str(n)).data.results[0].id, range(1, 65))
        assert list(answers) == list(range(1, 65))


@pytest.mark.parametrize("wrong", ["", " es_live_a", "es_live_a\n", "es_live_ä", "a b", "0x" + "1" * 64, "x" * 513])
def test_refuses_a_key_that_is_none_without_telling_it(wrong: str) -> None:
    with pytest.raises(ValueError, match="api_key") as caught:
        Client("http://localhost", api_key=wrong)
    assert not wrong.strip() or wrong.strip() not in str(caught.value)


@pytest.mark.parametrize("wrong", ["", "localhost:3000", "ftp://a", "https://", "http://u:p@a", "http://a?b=c"])
def test_refuses_an_address_that_is_none(wrong: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        Client(wrong)


def test_asks_for_what_a_call_needs() -> None:
    with serving(lambda seen, turn: search_answer([])) as server, Client(server.url) as c:
        with pytest.raises(api.MissingCredentialsError, match="api_key"):
            c.usage()
    assert server.seen == []


def test_tells_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(lambda seen, turn: error(401, "invalid_api_key")) as server, client(server.url) as c:
        with pytest.raises(api.InvalidApiKeyError) as caught:
            c.usage()
        told = repr(c) + repr(vars(c)) + repr(caught.value) + str(caught.value) + caplog.text
    assert "HTTP Request" in caplog.text
    assert key not in told


def test_sends_no_key_where_none_is_taken() -> None:
    text = Answer("# Entity Search", 200, {"Content-Type": "text/plain"})
    with serving(lambda seen, turn: text) as server, client(server.url) as c:
        assert c.llms() == "# Entity Search"
    assert "authorization" not in server.seen[0].headers
