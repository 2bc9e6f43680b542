import { type Client, createClient, http } from 'viem';
import { getChainId, getCode } from 'viem/actions';
import type { Hex } from '../payments/protocol/networks.ts';

/** The address of a node of a chain, and its limits. */
export interface NodeSettings {
  readonly url: string;
  readonly timeoutMs: number;
}

/** The longest answer that is read: a range of logs, or the receipt of a large transaction. */
const answerBytesMax = 8 * 1_048_576;

/** Creates a client of the configured node. It sends no requests to other addresses that a contract names. */
export function createNodeClient({ url, timeoutMs }: NodeSettings): Client {
  return createClient({
    // A contract may refer to another server for its data (ERC-3668), and viem would send a request there.
    ccipRead: false,
    transport: http(url, {
      timeout: timeoutMs,
      retryCount: 0,
      maxResponseBodySize: answerBytesMax,
      fetchOptions: { redirect: 'error' },
    }),
  });
}

/** The suffix of signatures of a contract wallet that is not deployed yet (ERC-6492). */
const undeployedMark = '6492'.repeat(16);

/** The suffix of signatures with a delegation that is not on the chain yet (ERC-8010). */
const delegationMark = '8010'.repeat(16);

/**
 * Returns true if a contract can check the signature: the one at the address or, if there is none, the one that the
 * signature brings along. Calls that come with a signature must not change existing code, such as a delegate without an
 * owner (EIP-7702). If the signature brings a delegation, the address has a key, which must sign by itself.
 */
export async function mayBeContract(client: Client, address: Hex, signature: Hex): Promise<boolean> {
  if (signature.endsWith(delegationMark)) return false;
  const isDeployed = (await getCode(client, { address })) !== undefined;
  return isDeployed !== signature.endsWith(undeployedMark);
}

/**
 * Returns true if a signature is valid. Throws if the node fails: viem's checks would report that as a wrong signature,
 * but only an answer of the chain may refuse one.
 */
export async function verifyOnChain(client: Client, verify: (asking: Client) => Promise<boolean>): Promise<boolean> {
  let failure: unknown;
  const noting: Client = { ...client, request: noteFailures(client.request, (error) => (failure ??= error)) };
  const holds = await verify(noting);
  if (!holds && failure !== undefined) throw failure;
  return holds;
}

/** Nodes report a reverted call with this code; older ones use a general code and the word "revert". */
const revertCode = 3;
const revertWord = /revert/i;

function noteFailures(request: Client['request'], note: (error: unknown) => void): Client['request'] {
  // The cast only satisfies the type, which depends on each method. Arguments and results are unchanged.
  const ask = request as (args: unknown, options?: unknown) => Promise<unknown>;
  const noting = async (args: unknown, options?: unknown): Promise<unknown> => {
    try {
      return await ask(args, options);
    } catch (error) {
      if (!saysRevert(error)) note(error);
      throw error;
    }
  };
  return noting as Client['request'];
}

function saysRevert(error: unknown): boolean {
  for (let at = error; typeof at === 'object' && at !== null; at = 'cause' in at ? at.cause : null) {
    if ('code' in at && at.code === revertCode) return true;
    if ('details' in at && revertWord.test(String(at.details).slice(0, detailsMax))) return true;
  }
  return false;
}

/** The chain gave no answer. The message contains no address, because addresses may contain a credential. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
}

/** Maximum length of the part of a node's message that is kept. */
const detailsMax = 300;

/**
 * Throws `ChainError` if the node is of another chain. The address may lead to another node at any time, and the same
 * contract address may be another contract there.
 */
export async function requireChain(client: Client, chainId: number): Promise<void> {
  const found = await getChainId(client);
  if (found !== chainId)
    throw new ChainError(`The node is of the chain ${found}, not of ${chainId}: see X402_NETWORK.`);
}

/** Runs a request, and throws `ChainError` for any failure of the node. */
export async function readingChain<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ChainError) throw error;
    const name = error instanceof Error ? error.name : 'unknown error';
    const details = typeof error === 'object' && error !== null && 'details' in error ? String(error.details) : '';
    throw new ChainError(`The chain gave no answer (${name}): ${withoutAddresses(details.slice(0, detailsMax))}`);
  }
}

/** Removes every word that contains `://`. */
function withoutAddresses(text: string): string {
  return text
    .split(/\s/)
    .map((word) => (word.includes('://') ? '[address]' : word))
    .join(' ');
}
