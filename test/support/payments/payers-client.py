"""Buys one search with the published Python client. Arguments: URL. The payer's key is in PAYER_KEY."""

import asyncio
import json
import os
import sys

from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402HttpxClient
from x402.mechanisms.evm.exact.register import register_exact_evm_client
from x402.mechanisms.evm.signers import EthAccountSigner


async def main() -> None:
    client = x402Client()
    register_exact_evm_client(client, EthAccountSigner(Account.from_key(os.environ["PAYER_KEY"])))
    async with x402HttpxClient(client) as http:
        response = await http.get(sys.argv[1])
        print(json.dumps({
            "status": response.status_code,
            "receipt": response.headers.get("PAYMENT-RESPONSE"),
            "body": response.json(),
        }))


asyncio.run(main())
