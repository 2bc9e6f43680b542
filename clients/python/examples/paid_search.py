"""Buys one search, without a key. Needs WALLET_KEY, the private key of a wallet with USDC, and the extra [x402]."""

import os

from entity_search_client import Client, Spending

base_url = os.environ.get("ENTITY_SEARCH_URL", "http://127.0.0.1:3000")
spending = Spending(per_call_usd="0.01", total_usd="1")

with Client(base_url, wallet=os.environ["WALLET_KEY"], spending=spending) as client:
    answer = client.paid_search(q="exchange", type="companies", limit=3)
    for company in answer.data.companies:
        print(company.name, company.website)
    print(answer.meta.transaction, client.spent_usd)
