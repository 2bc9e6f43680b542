"""A server for tests that sends the answers it is given, including ones that no server should send."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Seen:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    body: bytes | str | dict[str, object] | list[object] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def raw(self) -> bytes:
        body = self.body
        content = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        headers = {"Content-Type": "application/json", "X-Request-Id": "req-1", **self.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"HTTP/1.1 {self.status} X\r\n{lines}Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
        return head.encode() + content


# The answer, or a function that holds the connection itself.
Handler = Callable[[Seen, int], "Answer | Callable[[socket.socket], None]"]


class Server:
    def __init__(self, handler: Handler) -> None:
        self.seen: list[Seen] = []
        self._handler = handler
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                seen = self._read(connection)
                if seen is None:
                    return
                self.seen.append(seen)
                answer = self._handler(seen, len(self.seen))
                if isinstance(answer, Answer):
                    connection.sendall(answer.raw())
                else:
                    answer(connection)
            except OSError:
                return

    @staticmethod
    def _read(connection: socket.socket) -> Seen | None:
        data = b""
        while b"\r\n\r\n" not in data:
            chunk = connection.recv(65536)
            if not chunk:
                return None
            data += chunk
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        while len(body) < int(headers.get("content-length", "0")):
            body += connection.recv(65536)
        method, target, _ = first.split(" ")
        return Seen(method, target, headers, body)

    def close(self) -> None:
        # Closing alone would not wake the thread that waits for a connection.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)


@contextmanager
def serving(handler: Handler) -> Iterator[Server]:
    server = Server(handler)
    try:
        yield server
    finally:
        server.close()


meta = {"requestId": "5f0c6c5e-8a52-4e8c-9a3a-0f0c6c5e8a52", "timestamp": "2026-11-23T00:00:00.000Z", "version": "v1"}


def search_answer(ids: list[int], cursor: str | None = None, **more: object) -> Answer:
    results = [
        {"entity_type": "companies", "id": each, "name": f"Quartz {each}", "slug": f"quartz-{each}"} for each in ids
    ]
    data = {
        "results": results,
        "totalResults": len(ids),
        "totalPages": 1,
        "page": 1,
        "limit": 20,
        "matchedBy": "strict",
        "understood": None,
        "nextCursor": cursor,
        **more,
    }
    return Answer({"success": True, "data": data, "message": "Found.", "meta": meta})


def error(status: int, code: str, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": "Do it otherwise.", "code": code}, status, named)


usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"


def offer(**changes: object) -> dict[str, object]:
    return {
        "scheme": "exact",
        "network": "eip155:84532",
        "amount": "10000",
        "maxAmountRequired": "10000",
        "asset": usdc,
        "payTo": "0x2222222222222222222222222222222222222222",
        "maxTimeoutSeconds": 300,
        "extra": {"name": "USDC", "version": "2"},
        "description": "A search",
        **changes,
    }


def payment_required(*offers: dict[str, object], code: str = "payment_required") -> Answer:
    body = {"x402Version": 2, "error": "Pay.", "code": code, "resource": {}, "extensions": {}, "accepts": list(offers)}
    return Answer(body, 402)


def paid_answer(**headers: str) -> Answer:
    body = {
        "data": {"companies": [], "people": [], "investors": []},
        "meta": {
            "query": "q",
            "type": "all",
            "page": 1,
            "limit": 10,
            "total": 0,
            "payer": "0x1111111111111111111111111111111111111111",
            "transaction": "0x" + "ab" * 32,
            "network": "eip155:84532",
            "price_paid": "10000",
            "price_paid_usd": "0.01",
        },
    }
    return Answer(body, 200, {name.replace("_", "-"): value for name, value in headers.items()})
