"""Prints companies by text, and then all of one country. Needs ENTITY_SEARCH_KEY."""

import os

from entity_search_client import Client, CompanyItem, NotFoundError

base_url = os.environ.get("ENTITY_SEARCH_URL", "http://127.0.0.1:3000")

with Client(base_url, api_key=os.environ["ENTITY_SEARCH_KEY"]) as client:
    for item in client.search(type="companies", query="exchange", limit=5).data.results:
        print(item.id, item.name)
    for item in client.search_all(type="companies", country="Australia", fields=["name", "website"]):
        if isinstance(item, CompanyItem):
            print(item.name, item.website)
    try:
        client.get_company("no-such-company")
    except NotFoundError as error:
        print(error.code, error.request_id)
