import { encodeErrorResult, parseAbi } from 'viem';
import { readPaidConfig } from '../../../src/config/payments.ts';
import { networkOf } from '../../../src/payments/protocol/assets.ts';
import { networks } from '../../../src/payments/protocol/networks.ts';
import { decodePayment } from '../../../src/payments/protocol/payload.ts';
import { createChain } from '../../../src/x402/chain.ts';
import { createFacilitator } from '../../../src/x402/facilitator.ts';
import { newPayer, signPayment } from '../../support/payments/payers.ts';
import { startLoopback } from '../../support/proxies/loopback.ts';

// Facilitator and node are queried at their configured addresses. An answer can't redirect a payment or a
// credential elsewhere.

test.each([301, 302, 303, 307, 308])(
  'a redirect (%d) from the facilitator or the node is not followed',
  async (status) => {
    const visits: string[] = [];
    await using elsewhere = await startLoopback((request, response) => {
      visits.push(request.url ?? '');
      response.end('{"isValid":true,"success":true,"jsonrpc":"2.0","id":1,"result":"0x1"}');
    });
    await using asked = await startLoopback((_request, response) => {
      response.writeHead(status, { location: elsewhere.url }).end();
    });
    const config = readPaidConfig({
      X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      X402_RPC_URL: asked.url,
      X402_FACILITATOR_URL: asked.url,
    });
    if (config === null) throw new Error('searches are sold here');
    const facilitator = createFacilitator(config.facilitator);
    const decoded = decodePayment((await signPayment(await newPayer(asked.url, 0))).header);
    if (!decoded.ok) throw new Error(decoded.message);
    expect(await facilitator.verify(decoded.payment, config.terms)).toMatchObject({ kind: 'unclear' });
    expect(await facilitator.settle(decoded.payment, config.terms)).toMatchObject({ kind: 'unclear' });
    const network = networkOf(config.terms.asset);
    await expect(createChain(config.chain, network).block(network.name, 'latest')).rejects.toThrow();
    expect(visits).toEqual([]);
  },
);

test('offchain data that a contract points to (ERC-3668) is not fetched', async () => {
  const visits: string[] = [];
  await using elsewhere = await startLoopback((request, response) => {
    visits.push(request.url ?? '');
    response.end(JSON.stringify({ data: '0x' }));
  });
  const token = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
  const data = encodeErrorResult({
    abi: parseAbi(['error OffchainLookup(address, string[], bytes, bytes4, bytes)']),
    errorName: 'OffchainLookup',
    args: [token, [`${elsewhere.url}/{sender}/{data}`], '0x', '0x00000000', '0x'],
  });
  await using node = await startLoopback((_request, response) => {
    const error = { code: 3, message: 'execution reverted', data };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
  });
  const network = networks['eip155:84532'];
  const chain = createChain({ url: node.url, timeoutMs: 2_000, logRangeBlocks: 10 }, network);
  await expect(chain.balance({ network: network.name, asset: token }, token, 1)).rejects.toThrow();
  expect(visits).toEqual([]);
});
