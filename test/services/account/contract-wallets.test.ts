import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concatHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { chainClient, deploy, startChain } from '../../../dev/chain/chain.ts';
import { localNetwork } from '../../../dev/chain/network.ts';
import { newWallet, signedBy, signInWith } from '../../support/account/wallets.ts';
import { asWallet, undeployed, walletCode } from '../../support/payments/contract-wallets.ts';
import { type NodeProxy, nodeFaults, startNodeProxy } from '../../support/proxies/chain-node.ts';
import { type AccountApi, type AccountStage, setAccountStage } from '../../support/stages/account/account.ts';
import { until } from '../../support/until.ts';

// Wallets that are contracts can sign in: the chain decides whether a signature is valid.

const resources = new AsyncDisposableStack();
let stage: AccountStage;
let node: NodeProxy;
let api: AccountApi;
/** Waits for the node so briefly that its answer may be too late on a busy machine, even if the node is honest. */
let hasty: AccountApi;
const attempts = { perMinute: 1_000_000, newAccountsPerHour: 1_000_000 };
const waiting = (rpcTimeoutMs: number) => ({ limits: { console: { rpcTimeoutMs, attempts } } });
const patient = waiting(60_000);
beforeAll(async () => {
  const logs = resources.adopt(await mkdtemp(join(tmpdir(), 'wallets-')), (dir) => rm(dir, { recursive: true }));
  const chain = resources.adopt(await startChain({ logFile: join(logs, 'chain.log') }), (running) => running.stop());
  node = resources.use(await startNodeProxy(chain.url));
  stage = resources.use(await setAccountStage());
  api = resources.use(await stage.startApi({ ...onChain(), SIGN_UP: 'open' }, patient));
  hasty = resources.use(await stage.startApi({ ...onChain(), SIGN_UP: 'open' }, waiting(500)));
  chainUrl = chain.url;
});
afterEach(() => node.set(nodeFaults.honest));
afterAll(() => resources.disposeAsync());
let chainUrl = '';

const onChain = () => ({ X402_RPC_URL: node.url, X402_NETWORK: localNetwork.name });

async function contractWallet(owner = newWallet()) {
  const address = await deploy(chainUrl, walletCode(owner.address));
  return { address, signMessage: signsFor(owner) };
}

const signsFor =
  (owner: PrivateKeyAccount): PrivateKeyAccount['signMessage'] =>
  async (signed) =>
    asWallet(await owner.signMessage(signed));

/** A contract that is not deployed yet. */
function undeployedWallet(owner = newWallet()) {
  const { address, wrap } = undeployed(owner.address);
  const signMessage: PrivateKeyAccount['signMessage'] = async (signed) => wrap(await signsFor(owner)(signed));
  return { address, signMessage };
}

const failed = { status: 401, code: 'sign_in_failed' };

test("a contract signs in with its owner's key (ERC-1271)", async () => {
  const wallet = await contractWallet();
  const { status, data } = await signInWith(api.browser(), wallet);
  expect(status).toBe(200);
  expect(data.account.name).toMatch(new RegExp(`^${wallet.address.slice(0, 6)}…`, 'i'));
});

test('a contract that is not deployed yet signs in (ERC-6492)', async () => {
  expect((await signInWith(api.browser(), undeployedWallet())).status).toBe(200);
});

test('a signature with a deployment is refused if the contract is already deployed (ERC-6492)', async () => {
  const owner = newWallet();
  const { address } = await contractWallet(owner);
  expect((await signInWith(api.browser(), { address, signMessage: signsFor(owner) })).status).toBe(200);
  const { signMessage } = undeployedWallet(owner);
  expect(await signInWith(api.browser(), { address, signMessage })).toMatchObject(failed);
});

test('a contract refuses a signature by anyone but its owner', async () => {
  const { address } = await contractWallet();
  const thief = { address, signMessage: signsFor(newWallet()) };
  expect(await signInWith(api.browser(), thief)).toMatchObject(failed);
  const { address: planned } = undeployedWallet();
  const { signMessage } = undeployedWallet();
  expect(await signInWith(api.browser(), { address: planned, signMessage })).toMatchObject(failed);
});

test('an address without a known key or contract cannot sign in', async () => {
  const wallet = { address: newWallet().address, signMessage: signsFor(newWallet()) };
  expect(await signInWith(api.browser(), wallet)).toMatchObject(failed);
});

test('a delegated address signs in with its own key or through its code (EIP-7702)', async () => {
  const [wallet, owner] = [newWallet(), newWallet()];
  const delegate = await deploy(chainUrl, walletCode(owner.address));
  await chainClient(chainUrl).setCode({ address: wallet.address, bytecode: concatHex(['0xef0100', delegate]) });
  const first = await signInWith(api.browser(), wallet);
  const second = await signInWith(api.browser(), { address: wallet.address, signMessage: signsFor(owner) });
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.data.account).toEqual(first.data.account);
});

test.each(['never', 'cut', 'html', 'error500', 'busy', 'garbage', 'redirect'] as const)(
  'while the node fails (%s), sign-in is 503, and the same signature is accepted later',
  async (fault) => {
    const wallet = await contractWallet();
    const browser = hasty.browser();
    const signed = await signedBy(browser, wallet);
    node.set(nodeFaults[fault]);
    const refused = await browser.post('sign-in/wallet', signed);
    expect(refused).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(hasty.log.at(-2)).toMatchObject({ msg: 'the chain is unavailable' });
    expect(JSON.stringify(hasty.log)).not.toContain('10.0.0.7');
    node.set(nodeFaults.honest);
    // A refusal would use the signature up, so it would never be accepted.
    await until(async () => (await browser.post('sign-in/wallet', signed)).status === 200, 'the sign-in');
  },
);

test('a wallet that signs with a key needs no node', async () => {
  node.set(nodeFaults.cut);
  expect((await signInWith(api.browser(), newWallet())).status).toBe(200);
});

test.each([
  ['a delegation that comes along (ERC-8010)', concatHex(['0x00', `0x${'8010'.repeat(16)}`])],
  ['rubbish that is marked as wrapped (ERC-6492)', concatHex(['0x00', `0x${'6492'.repeat(16)}`])],
  ['rubbish', '0x00'],
  ['a great deal of rubbish', `0x${'11'.repeat(16_000)}`],
] as const)('%s is refused as an invalid signature', async (_, signature) => {
  const { address } = await contractWallet();
  const browser = api.browser();
  const { message } = await signedBy(browser, { address, signMessage: async () => '0x' });
  expect(await browser.post('sign-in/wallet', { message, signature })).toMatchObject(failed);
});

test('without a node, contracts cannot sign in, and the answer explains it', async () => {
  await using alone = await stage.startApi();
  const refused = await signInWith(alone.browser(), await contractWallet());
  expect(refused).toMatchObject({ ...failed, error: expect.stringContaining('X402_RPC_URL') });
});

test('a node of another chain than the messages name is not trusted', async () => {
  await using wrong = await stage.startApi({ ...onChain(), X402_NETWORK: 'eip155:8453', SIGN_UP: 'open' }, patient);
  const refused = await signInWith(wrong.browser(), await contractWallet());
  expect(refused).toMatchObject({ status: 503, code: 'service_unavailable' });
  expect(wrong.log).toContainEqual(expect.objectContaining({ cause: expect.stringContaining('X402_NETWORK') }));
  expect((await signInWith(wrong.browser(), newWallet())).status).toBe(200);
});
