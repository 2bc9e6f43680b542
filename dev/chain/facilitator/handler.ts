import type { RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createPublicClient, createWalletClient, http, type VerifyTypedDataParameters } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { createSerialQueue } from '../../../src/lib/concurrency/serial-queue.ts';
import { localAccounts } from '../accounts.ts';
import { localNetwork } from '../network.ts';
import { receiptOf } from '../receipt.ts';

/**
 * A facilitator over HTTP from the published x402 packages: POST /verify and /settle, GET /supported.
 * @param confirmationTimeoutMs time after which the answer about an unmined settlement is "pending"
 */
export function facilitatorHandler(chainUrl: string, confirmationTimeoutMs: number): RequestListener {
  const facilitator = createFacilitator(chainUrl, confirmationTimeoutMs);
  return (request, response) => {
    void (async () => {
      try {
        if (request.method === 'GET' && request.url === '/supported') {
          return send(response, 200, facilitator.getSupported());
        }
        if (request.method !== 'POST' || (request.url !== '/verify' && request.url !== '/settle')) {
          return send(response, 404, { error: 'There are /verify, /settle and /supported.' });
        }
        const asked: { paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements } = JSON.parse(
          await text(request),
        );
        const { paymentPayload, paymentRequirements } = asked;
        const answer =
          request.url === '/verify'
            ? await facilitator.verify(paymentPayload, paymentRequirements)
            : await facilitator.settle(paymentPayload, paymentRequirements);
        send(response, 200, answer);
      } catch (error) {
        send(response, 400, { error: String(error) });
      }
    })();
  };
}

function createFacilitator(chainUrl: string, confirmationTimeoutMs: number): x402Facilitator {
  const account = privateKeyToAccount(localAccounts.facilitator.privateKey);
  const client = { chain: baseSepolia, transport: http(chainUrl) };
  const wallet = createWalletClient({ ...client, account });
  const reader = createPublicClient(client);
  // Two transactions prepared at once get consecutive nonces. If the first then proves to fail and is not sent, the second
  // waits for its nonce, and so does every later settlement.
  const inTurn = createSerialQueue();
  const signer = toFacilitatorEvmSigner(
    {
      address: account.address,
      getCode: (args) => reader.getCode(args),
      readContract: (args) => reader.readContract(args),
      // The package types the message loosely; viem checks it at run time.
      verifyTypedData: (args) => reader.verifyTypedData(args as VerifyTypedDataParameters),
      writeContract: (args) => inTurn(() => wallet.writeContract(args)),
      sendTransaction: (args) => inTurn(() => wallet.sendTransaction(args)),
      waitForTransactionReceipt: ({ hash, timeout }) => receiptOf(reader, hash, timeout),
    },
    { confirmationTimeoutMs },
  );
  return new x402Facilitator().register(localNetwork.name, new ExactEvmScheme(signer));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const json = JSON.stringify(body, (_key, value) => (typeof value === 'bigint' ? value.toString() : value));
  response.writeHead(status, { 'content-type': 'application/json' }).end(json);
}
