"""An answer as it comes: how much of it is read, and for how long."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import httpx

from .errors import UnexpectedAnswerError
from .exchange import Reply, request_id_of


class Body:
    """Collects an answer, up to a size."""

    def __init__(self, response: httpx.Response, bytes_max: int) -> None:
        self._response = response
        self._bytes_max = bytes_max
        self._body = bytearray()
        # Several layers of packing could make a few bytes fill the memory before they can be counted.
        if response.headers.get("content-encoding", "identity").lower() not in ("gzip", "deflate", "identity"):
            raise self._unexpected("The answer is packed in a way that was not asked for")

    def add(self, chunk: bytes) -> None:
        if len(self._body) + len(chunk) > self._bytes_max:
            raise self._unexpected(f"The answer has more than {self._bytes_max} bytes")
        self._body += chunk

    def reply(self) -> Reply:
        return Reply(self._response.status_code, headers_of(self._response), bytes(self._body))

    def _unexpected(self, text: str) -> UnexpectedAnswerError:
        headers = headers_of(self._response)
        return UnexpectedAnswerError(text, status=self._response.status_code, request_id=request_id_of(headers))


class UntilDeadline(httpx.SyncByteStream):
    """Yields an answer's bytes before they are unpacked: a slow gzip stream may unpack to nothing for a long time.

    deadline: Seconds on the clock of `time.monotonic`. Iterating raises httpx.ReadTimeout after it.
    """

    def __init__(self, response: httpx.Response, deadline: float) -> None:
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 of a client that waits
        self._stream = response.stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            if time.monotonic() > self._deadline:
                raise httpx.ReadTimeout("The answer continues")
            yield chunk

    def close(self) -> None:
        self._stream.close()


def headers_of(response: httpx.Response) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}
