import { type Client, createClient, http, type Log, parseAbi, parseEventLogs, type TransactionReceipt } from 'viem';
import {
  getBlock,
  getBlockNumber,
  getCode,
  getLogs,
  getTransaction,
  getTransactionReceipt,
  readContract,
  verifyTypedData,
} from 'viem/actions';
import type { Hex, Network } from '../payment/networks.ts';
import type { ChainPort, OnChain } from '../payment/ports.ts';
import type { ChainFacts } from '../payment/reconcile.ts';
import { typedAuthorization } from '../payment/signature.ts';
import type { Terms } from '../payment/terms.ts';
import { lowerHex, type SentPayment } from '../payment/wire.ts';

/** How to reach a node of the chain. */
export interface ChainSettings {
  readonly url: string;
  readonly timeoutMs: number;
  /** Blocks asked for at once: public nodes refuse more than they like. */
  readonly logRangeBlocks: number;
}

const token = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function name() view returns (string)',
  'function version() view returns (string)',
]);
const [used, cancelled] = token;

/** What a contract wallet that is not deployed yet ends its signatures with (ERC-6492). */
const undeployedMark = '6492'.repeat(16);

/** The clocks of nodes and ours differ, and blocks come faster on a chain of one's own. */
const startMarginBlocks = 30;

/** Reads a chain over JSON-RPC. Opens nothing until it is used; sends no transaction, knows no key. */
export function createChain(
  settings: ChainSettings,
  terms: Terms,
): ChainPort & {
  /** The EIP-712 domain that the token itself tells. */
  domain(): Promise<{ readonly name: string; readonly version: string }>;
  chainId(): Promise<number>;
} {
  const client = createClient({
    transport: http(settings.url, {
      timeout: settings.timeoutMs,
      retryCount: 0,
      // To the configured address and to no other that it names.
      fetchOptions: { redirect: 'error' },
    }),
  });
  const { network } = terms;
  const contract = { address: network.asset, abi: token } as const;
  return {
    blockNumber: () => told(async () => Number(await getBlockNumber(client, { cacheTime: 0 }))),
    isSpent: ({ from, nonce }) =>
      told(() => readContract(client, { ...contract, functionName: 'authorizationState', args: [from, nonce] })),
    facts: (authorization) => told(() => factsOf(client, settings, terms, authorization)),
    signatureHolds: (sent) => told(() => signatureHolds(client, network, sent)),
    domain: () =>
      told(async () => {
        const [name, version] = await Promise.all([
          readContract(client, { ...contract, functionName: 'name' }),
          readContract(client, { ...contract, functionName: 'version' }),
        ]);
        return { name, version };
      }),
    chainId: () => told(async () => Number(await client.request({ method: 'eth_chainId' }))),
  };
}

async function signatureHolds(client: Client, network: Network, sent: SentPayment): Promise<boolean> {
  const { from } = sent.authorization;
  const code = await getCode(client, { address: from });
  if (code === undefined && !sent.signature.endsWith(undeployedMark)) return false;
  return verifyTypedData(client, {
    ...typedAuthorization(sent.authorization, network),
    address: from,
    signature: sent.signature,
  });
}

/** The chain could not be asked, or could not answer. The message names no address: it may hold a credential. */
class ChainError extends Error {
  override readonly name = 'ChainError';
}

async function told<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown error';
    const details = typeof error === 'object' && error !== null && 'details' in error ? String(error.details) : '';
    throw new ChainError(`The chain gave no answer (${name}): ${details.replace(/\w+:\/\/\S+/g, '[address]')}`);
  }
}

async function factsOf(
  client: Client,
  settings: ChainSettings,
  terms: Terms,
  authorization: OnChain,
): Promise<ChainFacts> {
  const named = await namedTransaction(client, terms, authorization);
  if (named.transfer) {
    return { headSeconds: 0, spent: true, transfer: authorization.named, cancelled: false, named: 'failed' };
  }
  const head = await getBlock(client, { blockTag: 'latest' });
  const spent = await readContract(client, {
    address: terms.network.asset,
    abi: token,
    functionName: 'authorizationState',
    args: [authorization.from, authorization.nonce],
    blockNumber: head.number,
  });
  const facts = { headSeconds: Number(head.timestamp), spent, transfer: null, cancelled: false, named: named.state };
  return spent ? { ...facts, ...(await findSpending(client, settings, terms, authorization, head)) } : facts;
}

async function namedTransaction(
  client: Client,
  terms: Terms,
  authorization: OnChain,
): Promise<{ readonly transfer: boolean; readonly state: ChainFacts['named'] }> {
  const { named } = authorization;
  if (named === null) return { transfer: false, state: 'none' };
  const receipt = await foundOrNull(() => getTransactionReceipt(client, { hash: named }));
  if (receipt !== null) return { transfer: movedMoney(receipt, terms, authorization), state: 'failed' };
  const transaction = await foundOrNull(() => getTransaction(client, { hash: named }));
  return { transfer: false, state: transaction === null ? 'not-found' : 'waiting' };
}

/** Which transaction used or cancelled the authorization, looked for from our first dealing with it on. */
async function findSpending(
  client: Client,
  settings: ChainSettings,
  terms: Terms,
  authorization: OnChain,
  head: { readonly number: bigint; readonly timestamp: bigint },
): Promise<Pick<ChainFacts, 'transfer' | 'cancelled'>> {
  const range = BigInt(settings.logRangeBlocks);
  for (let from = firstBlock(terms.network, authorization, head); from <= head.number; from += range) {
    const to = from + range - 1n < head.number ? from + range - 1n : head.number;
    // Filtered by the node: a busy token has thousands of such events in a range.
    const args = { authorizer: authorization.from, nonce: authorization.nonce };
    const where = { address: terms.network.asset, args, fromBlock: from, toBlock: to };
    const [usedLogs, cancelledLogs] = await Promise.all([
      getLogs(client, { ...where, event: used }),
      getLogs(client, { ...where, event: cancelled }),
    ]);
    if (cancelledLogs.length > 0) return { transfer: null, cancelled: true };
    const [hit] = usedLogs;
    if (hit === undefined) continue;
    const receipt = await getTransactionReceipt(client, { hash: hit.transactionHash });
    const moved = movedMoney(receipt, terms, authorization);
    return { transfer: moved ? lowerHex(hit.transactionHash) : null, cancelled: false };
  }
  return { transfer: null, cancelled: false };
}

function firstBlock(
  network: Network,
  authorization: OnChain,
  head: { readonly number: bigint; readonly timestamp: bigint },
): bigint {
  const ageSeconds = Math.max(0, Number(head.timestamp) - authorization.sinceSeconds);
  const guess = Number(head.number) - Math.ceil(ageSeconds / network.blockSeconds) - startMarginBlocks;
  return BigInt(Math.max(0, authorization.fromBlock ?? guess));
}

function concerns(
  log: { readonly args: { readonly authorizer?: Hex; readonly nonce?: Hex } },
  authorization: OnChain,
): boolean {
  return log.args.authorizer?.toLowerCase() === authorization.from && log.args.nonce === authorization.nonce;
}

/** One successful transaction that used this authorization and moved its amount from the payer to the recipient. */
function movedMoney(receipt: TransactionReceipt, terms: Terms, authorization: OnChain): boolean {
  if (receipt.status !== 'success') return false;
  const ofToken = receipt.logs.filter((log: Log) => log.address.toLowerCase() === terms.network.asset.toLowerCase());
  const logs = parseEventLogs({ abi: token, logs: ofToken });
  const usedHere = logs.some((log) => log.eventName === 'AuthorizationUsed' && concerns(log, authorization));
  const moved = logs.some(
    (log) =>
      log.eventName === 'Transfer' &&
      log.args.from.toLowerCase() === authorization.from &&
      log.args.to.toLowerCase() === terms.payTo.toLowerCase() &&
      log.args.value === authorization.value,
  );
  return usedHere && moved;
}

const notFoundNames = new Set(['TransactionReceiptNotFoundError', 'TransactionNotFoundError']);

async function foundOrNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && notFoundNames.has(error.name)) return null;
    throw error;
  }
}
