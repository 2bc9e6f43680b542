import { createRequire } from 'node:module';
import { createTestClient, type Hex, http, parseAbi, publicActions, walletActions } from 'viem';
import { startOnFreePort } from '../lib/ports.ts';
import { type Child, startReady, supervised, tailOf } from '../lib/processes.ts';
import { localAccounts } from './accounts.ts';
import { compileContracts } from './contracts.ts';
import { localAsset, localAssets, localNetwork } from './network.ts';
import { receiptOf } from './receipt.ts';

/** A development chain with the id of Base Sepolia, on which the local dollar has the address of USDC. */
export interface RunningChain {
  readonly url: string;
  readonly token: Hex;
  stop(): Promise<void>;
}

export interface ChainOptions {
  /** The preferred port. If it is taken, another one is used. */
  readonly port?: number | undefined;
  readonly logFile: string;
  readonly stateFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const tokenAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
]);

export const multicallAddress = '0xcA11bde05977b3631167028862bE2a173976CA11';
const stopGraceMs = 5_000;
/** Enough for a hundred million searches. */
const pocketMoney = 1_000_000n * 1_000_000n;

/** Starts the chain on loopback, and deploys the token and the payer's money. Throws with the end of its log. */
export async function startChain(options: ChainOptions): Promise<RunningChain> {
  const startOn = async (port: number) => ({ port, child: await startNode(port, options) });
  const { port, child } = await startOnFreePort(startOn, options.port, options.signal);
  const url = `http://127.0.0.1:${port}`;
  try {
    await furnish(url);
  } catch (error) {
    await child.stop(stopGraceMs);
    throw error;
  }
  return { url, token: localAsset.address, stop: () => child.stop(stopGraceMs) };
}

function startNode(port: number, { logFile, stateFile, signal }: ChainOptions): Promise<Child> {
  const state = stateFile === undefined ? [] : ['--state', stateFile, '--state-interval', '2'];
  const args = ['--chain-id', String(localNetwork.chainId), '--host', '127.0.0.1', '--port', String(port)];
  return startReady(
    { ...supervised(anvilPath(), [...args, ...state], 'TERM'), cwd: process.cwd(), logFile },
    {
      name: 'The local chain',
      // If another program took the port meanwhile, that one answers.
      isReady: async () => tailOf(logFile).includes('Listening on') && (await answers(`http://127.0.0.1:${port}`)),
      everyMs: 30,
      graceMs: stopGraceMs,
      signal,
    },
  );
}

export function chainClient(url: string) {
  return createTestClient({ mode: 'anvil', chain: undefined, transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
}

async function furnish(url: string): Promise<void> {
  const client = chainClient(url);
  if ((await client.getCode({ address: localAsset.address })) !== undefined) return;
  for (const asset of localAssets) await place(url, compileContracts(asset).LocalDollar, asset.address);
  await place(url, compileContracts().Multicall, multicallAddress);
  await mint(url, localAccounts.payer.address, pocketMoney);
}

/** Deploys code, and copies the result to the expected address. */
async function place(url: string, bytecode: string, address: Hex): Promise<void> {
  const deployed = await deploy(url, bytecode);
  const client = chainClient(url);
  const code = await client.getCode({ address: deployed });
  if (code === undefined) throw new Error('A contract of the local chain has no code after its deployment.');
  await client.setCode({ address, bytecode: code });
}

export async function deploy(url: string, bytecode: string): Promise<Hex> {
  const client = chainClient(url);
  const data: Hex = `0x${bytecode.replace(/^0x/, '')}`;
  const hash = await client.sendTransaction({ account: localAccounts.deployer.address, chain: null, data });
  const { contractAddress } = await receiptOf(client, hash);
  if (!contractAddress) throw new Error('A contract of the local chain could not be deployed.');
  return contractAddress;
}

/**
 * Mints dollars; amounts are in base units. The calls go one after another, because each needs the account's next
 * nonce.
 */
export async function mint(url: string, to: Hex, value: bigint): Promise<void> {
  const client = chainClient(url);
  const hash = await client.writeContract({
    account: localAccounts.deployer.address,
    chain: null,
    address: localAsset.address,
    abi: tokenAbi,
    functionName: 'mint',
    args: [to, value],
  });
  await receiptOf(client, hash);
}

export function balanceOf(url: string, owner: Hex): Promise<bigint> {
  return chainClient(url).readContract({
    address: localAsset.address,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [owner],
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    await chainClient(url).getChainId();
    return true;
  } catch {
    // The node doesn't listen yet. The caller's timeout limits the wait.
    return false;
  }
}

/** Returns the program in npm's package for this platform. The package's launcher would be a process in between. */
function anvilPath(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/anvil`);
  } catch (cause) {
    throw new Error(`The local chain's program for this platform is missing: run npm install (package ${name}).`, {
      cause,
    });
  }
}
