"""Tests against the running service that ENTITY_SEARCH_URL, ENTITY_SEARCH_KEY and WALLET_KEY name. The repository's own
tests start one; `npm run demo` starts one by hand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import anyio
import pytest

import entity_search_client as api
from entity_search_client import AsyncClient, Client, Spending

url = os.environ.get("ENTITY_SEARCH_URL", "")
key = os.environ.get("ENTITY_SEARCH_KEY", "")
wallet = os.environ.get("WALLET_KEY", "")
root = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(not (url and key and wallet), reason="needs a service: ENTITY_SEARCH_URL and others")

#: The searches that these tests and the programs they run paid for.
bought = 0


@pytest.fixture(scope="module", autouse=True)
def tell_what_was_bought(pytestconfig: pytest.Config) -> Iterator[None]:
    yield
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():  # type: ignore[union-attr]
        print(f"\nbought {bought}")


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_works_as_it_is_written() -> None:
    global bought
    (program,) = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text("utf-8"), re.DOTALL)
    program = program.replace("http://127.0.0.1:3000", url).replace("es_test_…", key).replace('"0x…"', f'"{wallet}"')
    first, *_, last = run(program).splitlines()
    assert first.startswith("Plover Spire")
    assert last.endswith("0.01")
    bought += 1


@pytest.mark.parametrize("name", sorted(each.name for each in (root / "examples").glob("*.py")))
def test_examples_run(name: str) -> None:
    global bought
    output = run((root / "examples" / name).read_text("utf-8"))
    assert output.splitlines()[-1].endswith(" 0.01") if name == "paid_search.py" else "Plover Spire" in output
    bought += name == "paid_search.py"


def test_every_operation_answers_in_its_form() -> None:
    with Client(url, api_key=key) as client:
        company = client.search(type="companies", query="Plover Spire").data.results[0]
        identifier = company.id
        assert client.get_company(identifier).data.id == identifier
        assert client.get_similar_companies(identifier, limit=2).data.results is not None
        assert client.suggest(q="plov").data.suggestions
        for call in (client.get_person, client.get_investor, client.get_event):
            with pytest.raises(api.NotFoundError):
                call("no-such-slug")
        for similar in (client.get_similar_people, client.get_similar_investors, client.get_similar_events):
            with pytest.raises(api.NotFoundError):
                similar("no-such-slug")
        found = client.bulk(
            {"operation": "exists", "entity_type": "companies", "identifiers": [identifier, 999_999_999]}
        )
        assert found.data.requested_count == 2
        got = client.bulk(
            api.models.BulkGetCompaniesRequest(operation="get", entity_type="companies", identifiers=[identifier])
        )
        assert isinstance(got.data, api.models.BulkGet)
        assert client.usage().data.plan
        assert client.health().status == "operational"
        assert client.open_api()
        assert "search" in client.llms() and "<html" in client.docs().lower()


def test_errors_are_those_of_the_service() -> None:
    with Client(url, api_key=key) as client:
        with pytest.raises(api.InvalidParameterError) as caught:
            client.search(type="companies", limit=1000)
        assert caught.value.request_id and caught.value.details[0].path == "limit"
        with pytest.raises(api.InvalidCursorError):
            client.search(type="companies", cursor="AAAA")
    with Client(url, api_key="es_test_wrong") as client, pytest.raises(api.InvalidApiKeyError):
        client.usage()


def test_walks_over_every_result_once() -> None:
    async def walk() -> list[int]:
        async with AsyncClient(url, api_key=key) as client:
            return [each.id async for each in client.search_all(type="companies", country="Australia", limit=7)]

    with Client(url, api_key=key) as client:
        found = [each.id for each in client.search_all(type="companies", country="Australia", limit=7)]
        total = client.search(type="companies", country="Australia", limit=1).data.total_results
    assert len(set(found)) == len(found) == total > 7
    assert anyio.run(walk) == found


def test_pays_within_its_limit() -> None:
    global bought
    with Client(url, wallet=wallet, spending=Spending(per_call_usd="0.01", total_usd="0.02")) as client:
        client.paid_search(q="spire")
        client.paid_search(q="ünïcode 貝")
        with pytest.raises(api.SpendingLimitError):
            client.paid_search(q="quartz")
        assert client.spent_usd == Decimal("0.02")
    bought += 2
    with (
        Client(url, wallet=wallet, spending=Spending(per_call_usd="0.009")) as client,
        pytest.raises(api.SpendingLimitError),
    ):
        client.paid_search(q="spire")


def test_a_cancelled_payment_is_resumed_and_charged_once() -> None:
    global bought

    async def interrupted() -> bool:
        async with AsyncClient(url, wallet=wallet) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(lambda: client.paid_search(q="spire interrupted"))
                while not client.unresolved_payments:
                    await anyio.sleep(0)
                group.cancel_scope.cancel()
            (payment,) = client.unresolved_payments
            await client.resume_paid_search(payment)
            await client.resume_paid_search(payment)
            return client.spent_usd == Decimal("0.01") and not client.unresolved_payments

    assert anyio.run(interrupted)
    bought += 1
