import { concatHex } from 'viem';
import { verifyTypedData } from 'viem/actions';
import { balanceOf, chainClient, deploy, mint } from '../../../../dev/chain/chain.ts';
import { localAsset, localNetwork } from '../../../../dev/chain/network.ts';
import { price } from '../../../../dev/chain/payment.ts';
import type { Hex } from '../../../../src/payments/protocol/networks.ts';
import { typedAuthorization } from '../../../../src/payments/protocol/signature.ts';
import { createChain } from '../../../../src/x402/chain.ts';
import { asWallet, undeployed, walletCode, withCall } from '../../../support/payments/contract-wallets.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type Payer, signPayment } from '../../../support/payments/payers.ts';
import { costSince } from '../../../support/processor-time.ts';
import { endless, nodeFaults, startNodeProxy } from '../../../support/proxies/chain-node.ts';
import { faults } from '../../../support/proxies/facilitator.ts';
import { send } from '../../../support/proxies/loopback.ts';
import { paidStage } from '../../../support/stages/paid.ts';

// A node of the chain that is down, broken or hostile; and contract wallets, whose signatures only the chain can check.

const stage = await paidStage();
const node = await startNodeProxy(stage.chain.chain);
const api = await stage.startApi({ X402_RPC_URL: node.url });
/** Waits for the node so briefly that only a request which the node fails may be sent to it. */
const hasty = await stage.startApi({ X402_RPC_URL: node.url }, { paid: { chain: { timeoutMs: 500 } } });

afterEach(() => node.set(nodeFaults.honest));
afterAll(async () => node[Symbol.asyncDispose]());

async function deployedWallet(): Promise<{ readonly owner: Payer; readonly wallet: Hex }> {
  const owner = await newPayer(stage.chain.chain, 0);
  const wallet = await deploy(stage.chain.chain, walletCode(owner.account.address));
  await mint(stage.chain.chain, wallet, price * 3n);
  return { owner, wallet };
}

async function undeployedWallet() {
  const owner = await newPayer(stage.chain.chain, 0);
  const { address: wallet, wrap } = undeployed(owner.account.address);
  await mint(stage.chain.chain, wallet, price * 3n);
  return { owner, wallet, wrap };
}

const wrongBytes: Hex = `0x00${'11'.repeat(65)}`;
const faultsWithoutAnswer = ['never', 'cut', 'html', 'error500', 'busy', 'garbage', 'redirect'] as const;
const signatureCode = 'invalid_exact_evm_payload_signature';

describe("if a contract wallet's signature cannot be checked", () => {
  test.each(faultsWithoutAnswer)('%s: 503, and then paid with the same header', async (fault) => {
    const { owner, wallet } = await deployedWallet();
    const paid = await signPayment(owner, { from: wallet, tamper: asWallet });
    node.set(nodeFaults[fault]);
    const answer = await hasty.get('q=wallet', paid.header);
    expectRetry(answer, 503, 'chain_unavailable');
    expect(answer.body.error).toContain('Nothing was charged');
    expect(await stage.rows({ address: wallet })).toEqual([]);
    node.set(nodeFaults.honest);
    expectServed(await api.get('q=wallet', paid.header));
    expect(await balanceOf(stage.chain.chain, wallet)).toBe(price * 2n);
  });

  test('a node that shows the code but fails the call: 503', async () => {
    const { owner, wallet } = await deployedWallet();
    const paid = await signPayment(owner, { from: wallet, tamper: asWallet });
    for (const fault of faultsWithoutAnswer) {
      node.set(nodeFaults[fault], ['eth_call']);
      expectRetry(await hasty.get('q=wallet', paid.header), 503, 'chain_unavailable');
    }
  });

  test('a wallet that is not deployed yet: 503 while the node fails, then as its signature proves', async () => {
    const { owner, wallet, wrap } = await undeployedWallet();
    const good = await signPayment(owner, { from: wallet, tamper: (signature) => wrap(asWallet(signature)) });
    const wrong = await signPayment(owner, { from: wallet, tamper: () => wrap(wrongBytes) });
    for (const fault of ['error500', 'never', 'busy'] as const) {
      node.set(nodeFaults[fault]);
      expectRetry(await hasty.get('q=new-wallet', good.header), 503, 'chain_unavailable');
    }
    node.set(nodeFaults.honest);
    expectPaymentRequired(await api.get('q=new-wallet', wrong.header), signatureCode);
    // It is left to the facilitator whether it deploys wallets: the signature is good, so it is asked.
    const asked = stage.chain.facilitator.asked.verify;
    expect((await api.get('q=new-wallet', good.header)).body.code).not.toBe(signatureCode);
    expect(stage.chain.facilitator.asked.verify).toBe(asked + 1);
  });
});

test('row 10: a contract wallet pays and can repeat its request; another signature of the payment is refused', async () => {
  const { owner, wallet } = await deployedWallet();
  const held = () => balanceOf(stage.chain.chain, wallet);
  const paid = await signPayment(owner, { from: wallet, tamper: asWallet });
  const first = await api.get('q=wallet', paid.header);
  expectServed(first);
  await stage.settledRows({ address: wallet });
  expect((await api.get('q=wallet', paid.header)).text).toBe(first.text);
  const { nonce } = paid.authorization;
  const plain = await newPayer(stage.chain.chain, 0);
  for (const draft of [
    { from: wallet, nonce, tamper: () => wrongBytes },
    { from: wallet, tamper: () => wrongBytes },
    { from: plain.account.address },
  ]) {
    const wrong = await signPayment(owner, draft);
    expectPaymentRequired(await api.get('q=wallet', wrong.header), signatureCode);
  }
  expect(await held()).toBe(price * 2n);
});

/**
 * A delegate (EIP-7702) without an owner: its first caller becomes the owner. It accepts every signature once it has
 * one.
 */
const ownerless: Hex = '0x5f3560e01c631626ba7e1460135760015f55005b5f54631626ba7e0260e01b5f5260205ff3';

test('a delegate without an owner cannot be taken over by calls in a signature (ERC-6492, EIP-7702)', async () => {
  const victim = await newPayer(stage.chain.chain);
  const address = victim.account.address;
  const client = chainClient(stage.chain.chain);
  const delegate: Hex = `0x${'7702'.repeat(10)}`;
  await client.setCode({ address: delegate, bytecode: ownerless });
  await client.setCode({ address, bytecode: concatHex(['0xef0100', delegate]) });
  const takeOver = withCall(address, '0x12345678', wrongBytes);
  const stolen = await signPayment(victim, { tamper: () => takeOver });
  const typed = typedAuthorization(stolen.authorization, localAsset);
  // The usual check accepts it.
  expect(await verifyTypedData(client, { ...typed, address, signature: takeOver })).toBe(true);
  expectPaymentRequired(await api.get('q=stolen', stolen.header), signatureCode);
  expect(await stage.rows(victim)).toEqual([]);
});

test('a node that switches to another chain sells nothing and ends no payment', async () => {
  const payer = await newPayer(stage.chain.chain);
  const open = await signPayment(payer, { validForSeconds: 60 });
  stage.chain.facilitator.next('settle', faults.cutAfter);
  node.set(nodeFaults.cut, ['eth_getTransactionReceipt', 'eth_getLogs']);
  expectRetry(await api.get('q=open', open.header), 503, 'settlement_unknown');
  await stage.restingRows(payer);
  node.set(
    ({ response, id }) => send(response, 200, JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' })),
    ['eth_chainId'],
  );
  expectRetry(await api.get('q=new', (await signPayment(payer)).header), 503, 'chain_unavailable');
  await api.paid.observe();
  expect(await stage.rows(payer)).toMatchObject([{ status: 'settling' }]);
  node.set(nodeFaults.honest);
  expectServed(await api.get('q=open', open.header));
  expect(await stage.spent(payer)).toBe(price);
});

test('a payment is found by a node that refuses ranges of blocks', async () => {
  const payer = await newPayer(stage.chain.chain);
  const open = await signPayment(payer);
  stage.chain.facilitator.next('settle', faults.cutAfter);
  node.set(nodeFaults.cut, ['eth_getTransactionReceipt', 'eth_getLogs']);
  expectRetry(await api.get('q=open', open.header), 503, 'settlement_unknown');
  await stage.restingRows(payer);
  let refused = 0;
  node.set(
    (request) => {
      const isOne = request.params[0]?.fromBlock === request.params[0]?.toBlock;
      if (!isOne) refused += 1;
      return isOne ? request.forward() : nodeFaults.busy(request);
    },
    ['eth_getLogs'],
  );
  expectServed(await api.get('q=open', open.header));
  expect(refused).toBeGreaterThan(0);
  expect(await stage.spent(payer)).toBe(price);
});

describe('a hostile node', () => {
  /** The parts of the log and the answer that come from the node, and its address. */
  const secret = /10\.0\.0\.7|secret-of-the-node|a:\/\/|https?:\/\/127\.0\.0\.1/;

  async function buyWithoutNode(): Promise<void> {
    const payer = await newPayer(stage.chain.chain, 2);
    const { header } = await signPayment(payer);
    const lines = hasty.log.length;
    const answer = await hasty.get('q=quartz', header);
    expectRetry(answer, 503, 'chain_unavailable');
    expect(await stage.rows(payer)).toEqual([]);
    const logged = hasty.log.slice(lines).map((line) => JSON.stringify(line));
    expect(logged.some((line) => line.includes('the chain gave no answer'))).toBe(true);
    expect(logged.filter((line) => secret.test(line))).toEqual([]);
    expect(answer.text).not.toMatch(secret);
    for (const line of logged) expect(line.length).toBeLessThan(5_000);
    node.set(nodeFaults.honest);
    expectServed(await api.get('q=quartz', header));
  }

  test.each([...faultsWithoutAnswer, 'wrongShape'] as const)('%s: nothing is sold', async (fault) => {
    node.set(nodeFaults[fault]);
    await buyWithoutNode();
  });

  test('a response of a hundred megabytes is read up to a limit', async () => {
    node.set(endless(node));
    const askedBefore = totalAsked();
    await buyWithoutNode();
    const answers = totalAsked() - askedBefore;
    expect(node.sent).toBeGreaterThan(1_000_000);
    // The requests that the limit admits, and those that wait in sockets.
    expect(node.sent / answers).toBeLessThan(16 * 1_048_576);
  });

  test.each([
    ['one word', 'a'.repeat(32_768)],
    ['endless URLs', 'a://'.repeat(8_192)],
    ['one URL', `a://${'b'.repeat(32_768)}`],
  ])('32 KB of %s cost little to handle and are not stored', async (_what, words) => {
    const chain = createChain({ url: node.url, timeoutMs: 5_000, logRangeBlocks: 1_000 }, localNetwork);
    node.set(nodeFaults.saying(words));
    const before = process.cpuUsage();
    const error: unknown = await chain.chainId().catch((refused: unknown) => refused);
    expect(costSince(before)).toBeLessThan(40);
    expect(String(error)).toMatch(/^ChainError: The chain gave no answer/);
    expect(String(error)).not.toContain('://');
    expect(String(error).length).toBeLessThan(500);
  });
});

function totalAsked(): number {
  return [...node.asked.values()].reduce((sum, times) => sum + times, 0);
}
