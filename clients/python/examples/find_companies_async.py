"""Asks for several entities at once. Needs ENTITY_SEARCH_KEY."""

import asyncio
import os

from entity_search_client import AsyncClient

base_url = os.environ.get("ENTITY_SEARCH_URL", "http://127.0.0.1:3000")


async def main() -> None:
    async with AsyncClient(base_url, api_key=os.environ["ENTITY_SEARCH_KEY"]) as client:
        companies, people = await asyncio.gather(
            client.search(type="companies", query="exchange"),
            client.search(type="people", query="founder"),
        )
        print(companies.data.total_results, people.data.total_results)
        async for item in client.search_all(type="all", query="exchange", limit=50):
            print(item.entity_type, item.name)


asyncio.run(main())
