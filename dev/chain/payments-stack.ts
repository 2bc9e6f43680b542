import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { logStep, type PrintLine } from '../lib/log-step.ts';
import { writeWhole } from '../lib/state.ts';
import { localAccounts } from './accounts.ts';
import { type RunningChain, startChain } from './chain.ts';
import { startFacilitator } from './facilitator/facilitator.ts';
import { localNetwork } from './network.ts';

export interface PaymentStack {
  readonly chain: string;
  readonly facilitator: string;
  readonly payTo: string;
  readonly token: string;
  /** The private key of a payer with money, a well-known test key. */
  readonly payerKey: string;
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface PaymentStackOptions {
  readonly state: string;
  readonly printLine: PrintLine;
  readonly signal?: AbortSignal;
  readonly chainPort?: number;
  readonly facilitatorPort?: number;
}

/** The file in the state folder from which `demo:pay` reads the chain's address and the payer. */
export const payerFile = 'payer.json';

export async function startPaymentStack(options: PaymentStackOptions): Promise<PaymentStack> {
  const { state, printLine, signal } = options;
  mkdirSync(join(state, 'log'), { recursive: true });
  const chain = await logStep(printLine, 'Chain: starting', () => startKeptChain(options));
  try {
    const facilitator = await logStep(printLine, 'Facilitator: starting', () =>
      startFacilitator({
        chainUrl: chain.url,
        port: options.facilitatorPort,
        logFile: join(state, 'log', 'facilitator.log'),
        signal,
      }),
    );
    const payTo = localAccounts.merchant.address;
    const payerKey = localAccounts.payer.privateKey;
    writeWhole(join(state, payerFile), JSON.stringify({ chain: chain.url, payerKey }));
    return {
      chain: chain.url,
      facilitator: facilitator.url,
      payTo,
      token: chain.token,
      payerKey,
      env: {
        X402_PAY_TO: payTo,
        X402_NETWORK: localNetwork.name,
        X402_RPC_URL: chain.url,
        X402_FACILITATOR_URL: facilitator.url,
      },
      async stop() {
        await facilitator.stop();
        await chain.stop();
      },
    };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

/**
 * The chain's state is kept like the database, because both must agree on all payments. A chain file that a crash
 * truncated is renamed. The database stays valid, because settled payments are not looked up again.
 */
async function startKeptChain(options: PaymentStackOptions): Promise<RunningChain> {
  const stateFile = join(options.state, 'chain.json');
  const chain = {
    port: options.chainPort,
    logFile: join(options.state, 'log', 'chain.log'),
    stateFile,
    signal: options.signal,
  };
  try {
    return await startChain(chain);
  } catch (error) {
    if (options.signal?.aborted || !existsSync(stateFile)) throw error;
    options.printLine(`The stored chain can't be read and was renamed to ${stateFile}.unreadable; a new one begins.`);
    renameSync(stateFile, `${stateFile}.unreadable`);
    return startChain(chain);
  }
}
