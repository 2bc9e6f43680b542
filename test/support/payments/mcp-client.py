"""Buys one search with the published Python clients of MCP and x402. Arguments: URL. The payer's key is in PAYER_KEY."""

import asyncio
import json
import os
import sys
from types import SimpleNamespace

from eth_account import Account
from mcp import Client
from x402 import x402Client
from x402.mcp import wrap_mcp_client_with_payment
from x402.mechanisms.evm.exact.register import register_exact_evm_client
from x402.mechanisms.evm.signers import EthAccountSigner


class Calls:
    """The client of MCP's newer SDK with the names that the client of x402 was written for."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call_tool(self, params: dict, **_options: object) -> SimpleNamespace:
        result = await self.client.call_tool(params["name"], params["arguments"], meta=params.get("_meta"))
        sent = result.model_dump(by_alias=True, exclude_none=True, mode="json")
        return SimpleNamespace(
            content=sent["content"],
            isError=sent.get("isError", False),
            structuredContent=sent.get("structuredContent"),
            _meta=sent.get("_meta", {}),
        )


async def main() -> None:
    wallet = x402Client()
    register_exact_evm_client(wallet, EthAccountSigner(Account.from_key(os.environ["PAYER_KEY"])))
    async with Client(sys.argv[1]) as client:
        buyer = wrap_mcp_client_with_payment(Calls(client), wallet)
        result = await buyer.call_tool("search_entities", {"query": "quartz", "kind": "companies"})
        print(json.dumps({
            "isError": result.is_error,
            "text": result.content[0]["text"],
            "receipt": result.payment_response.model_dump(by_alias=True) if result.payment_response else None,
        }))


asyncio.run(main())
