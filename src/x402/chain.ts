import { BaseError, type Client, type Log, parseAbi, parseEventLogs, ResponseBodyTooLargeError } from 'viem';
import { getBlock, getLogs, getTransaction, getTransactionReceipt, readContract, verifyTypedData } from 'viem/actions';
import type { AuditedChain } from '../payments/ledger/audit.ts';
import type {
  AuthorizationKey,
  AuthorizationUse,
  ChainPort,
  TokenEvent,
  TransactionReceipt,
} from '../payments/ports.ts';
import type { Asset } from '../payments/protocol/assets.ts';
import type { Hex, Network, NetworkName } from '../payments/protocol/networks.ts';
import { lowerHex, type PaymentPayload } from '../payments/protocol/payload.ts';
import { typedAuthorization } from '../payments/protocol/signature.ts';
import {
  ChainError,
  createNodeClient,
  mayBeContract,
  type NodeSettings,
  readingChain,
  requireChain,
  verifyOnChain,
} from './node-client.ts';

/** The address and limits of a chain node. */
export interface ChainSettings extends NodeSettings {
  /** Number of blocks per request. Public nodes refuse large ranges. */
  readonly logRangeBlocks: number;
}

const token = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'function name() view returns (string)',
  'function version() view returns (string)',
]);
const [used, cancelled, transferred] = token;

/** Reads a chain over JSON-RPC. Opens no connection until it is used, and sends no transactions. */
export interface ChainNode extends ChainPort, AuditedChain {
  chainId(): Promise<number>;
  /** The EIP-712 domain that the token itself returns. */
  domain(asset: Asset): Promise<{ readonly name: string; readonly version: string }>;
}

export function createChain(settings: ChainSettings, network: Network): ChainNode {
  const client = createNodeClient(settings);
  const ask = <T>(of: NetworkName, work: () => Promise<T>): Promise<T> => {
    if (of === network.name) return readingChain(work);
    return Promise.reject(new ChainError(`No node of ${of} is configured, only one of ${network.name}.`));
  };
  return {
    reorgBlocks: network.reorgBlocks,
    blockSeconds: network.blockSeconds,
    logRangeBlocks: settings.logRangeBlocks,
    block: (of, which) =>
      ask(of, async () => {
        const at = which === 'latest' ? { blockTag: which } : { blockNumber: BigInt(which) };
        // Every verdict starts with a block, and a verdict of `void` ends with one.
        const [{ number, timestamp }] = await Promise.all([
          getBlock(client, at),
          requireChain(client, network.chainId),
        ]);
        return { number: Number(number), seconds: Number(timestamp) };
      }),
    isSpent: ({ network: of, asset, payer, nonce }, atBlock) =>
      ask(of, () =>
        readContract(client, { ...tokenAt(asset, atBlock), functionName: 'authorizationState', args: [payer, nonce] }),
      ),
    balance: ({ network: of, asset }, owner, atBlock) =>
      ask(of, () => readContract(client, { ...tokenAt(asset, atBlock), functionName: 'balanceOf', args: [owner] })),
    receipt: ({ network: of, asset }, transaction) =>
      ask(of, async () => {
        const found = await foundOrNull(() => getTransactionReceipt(client, { hash: transaction })).catch(
          (error: unknown) => (isTooLarge(error) ? 'too-large' : Promise.reject(error)),
        );
        if (found === null) return null;
        if (found === 'too-large') return receiptFromLogs(client, asset, transaction);
        const { blockNumber, status, logs } = found;
        return {
          transaction,
          block: Number(blockNumber),
          success: status === 'success',
          events: tokenEvents(logs, asset),
        };
      }),
    isKnown: ({ network: of }, transaction) =>
      ask(of, async () => (await foundOrNull(() => getTransaction(client, { hash: transaction }))) !== null),
    findUse: (authorization, fromBlock, toBlock) =>
      ask(authorization.network, () => findUse(client, authorization, blocks(fromBlock, toBlock))),
    transfersTo: ({ network: of, asset, payTo }, { fromBlock, toBlock }) =>
      ask(of, async () => {
        const where = { address: asset, event: transferred, args: { to: payTo }, ...blocks(fromBlock, toBlock) };
        const logs = await getLogs(client, { ...where, strict: true });
        return logs.map(({ transactionHash, logIndex, blockNumber, args: { from, value } }) => ({
          transaction: lowerHex(transactionHash),
          logIndex,
          block: Number(blockNumber),
          payer: lowerHex(from),
          amount: value,
        }));
      }),
    signatureHolds: (sent, terms) =>
      ask(terms.asset.network, async () => {
        await requireChain(client, network.chainId);
        return signatureHolds(client, terms.asset, sent);
      }),
    domain: ({ network: of, address }) =>
      ask(of, async () => {
        const contract = { address, abi: token } as const;
        const [name, version] = await Promise.all([
          readContract(client, { ...contract, functionName: 'name' }),
          readContract(client, { ...contract, functionName: 'version' }),
        ]);
        return { name, version };
      }),
    chainId: () => readingChain(async () => Number(await client.request({ method: 'eth_chainId' }))),
  };
}

function tokenAt(address: Hex, block: number) {
  return { address, abi: token, blockNumber: BigInt(block) } as const;
}

function blocks(from: number, to: number) {
  return { fromBlock: BigInt(from), toBlock: BigInt(to) } as const;
}

/** The node filters the events, because a busy token has thousands of them in a range. */
async function findUse(
  client: Client,
  { asset, payer, nonce }: AuthorizationKey,
  range: ReturnType<typeof blocks>,
): Promise<AuthorizationUse | null> {
  const where = { address: asset, args: { authorizer: payer, nonce }, ...range };
  const [usedLogs, cancelledLogs] = await Promise.all([
    getLogs(client, { ...where, event: used }),
    getLogs(client, { ...where, event: cancelled }),
  ]);
  const kind = cancelledLogs.length > 0 ? 'cancelled' : 'used';
  const [log] = kind === 'cancelled' ? cancelledLogs : usedLogs;
  return log === undefined
    ? null
    : { kind, transaction: lowerHex(log.transactionHash), block: Number(log.blockNumber) };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof ResponseBodyTooLargeError) !== null;
}

/** Reads a transaction whose receipt is too long, from the token's logs alone. */
async function receiptFromLogs(client: Client, asset: Hex, hash: Hex): Promise<TransactionReceipt | null> {
  const found = await foundOrNull(() => getTransaction(client, { hash }));
  if (found === null || found.blockNumber === null) return null;
  const block = Number(found.blockNumber);
  const logs = await getLogs(client, { address: asset, ...blocks(block, block) });
  const own = logs.filter(({ transactionHash }) => transactionHash === hash);
  return { transaction: hash, block, success: own.length > 0, events: tokenEvents(own, asset) };
}

/** Returns the token's events of a transaction in log order; an event of another type is `something-else`. */
function tokenEvents(logs: readonly Log[], asset: Hex): readonly TokenEvent[] {
  return logs
    .filter((log) => log.address.toLowerCase() === asset.toLowerCase())
    .sort((a, b) => (a.logIndex ?? 0) - (b.logIndex ?? 0))
    .map(toTokenEvent);
}

function toTokenEvent(log: Log): TokenEvent {
  const [event] = parseEventLogs({ abi: token, logs: [log] });
  switch (event?.eventName) {
    case 'AuthorizationUsed':
      return { kind: 'used', authorizer: lowerHex(event.args.authorizer), nonce: lowerHex(event.args.nonce) };
    case 'AuthorizationCanceled':
      return { kind: 'cancelled', authorizer: lowerHex(event.args.authorizer), nonce: lowerHex(event.args.nonce) };
    case 'Transfer':
      return {
        kind: 'transfer',
        from: lowerHex(event.args.from),
        to: lowerHex(event.args.to),
        value: event.args.value,
      };
    default:
      return { kind: 'something-else' };
  }
}

async function signatureHolds(client: Client, asset: Asset, sent: PaymentPayload): Promise<boolean> {
  const { from } = sent.authorization;
  if (!(await mayBeContract(client, from, sent.signature))) return false;
  return verifyOnChain(client, (asking) =>
    verifyTypedData(asking, {
      ...typedAuthorization(sent.authorization, asset),
      address: from,
      signature: sent.signature,
    }),
  );
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
