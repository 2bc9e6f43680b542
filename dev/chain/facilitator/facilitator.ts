import { choosePort } from '../../lib/ports.ts';
import { startChild, tailOf, until } from '../../lib/processes.ts';

/** A facilitator of ours that runs until `stop`, or until we die. */
export interface RunningFacilitator {
  readonly url: string;
  stop(): Promise<void>;
}

const startTimeoutMs = 20_000;
const stopGraceMs = 3_000;

/** Starts the facilitator on loopback, for the chain at `chainUrl`. Throws with the end of its log. */
export async function startFacilitator(options: {
  readonly chainUrl: string;
  /** A wanted port; another one is taken where it is not free. */
  readonly port?: number | undefined;
  readonly logFile: string;
  readonly confirmationTimeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<RunningFacilitator> {
  const port = await choosePort(options.port);
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    command: process.execPath,
    args: ['dev/lib/exit-with-parent.ts', 'dev/chain/facilitator/main.ts'],
    cwd: process.cwd(),
    logFile: options.logFile,
    env: {
      ...process.env,
      CHAIN_URL: options.chainUrl,
      PORT: String(port),
      CONFIRMATION_TIMEOUT_MS: String(options.confirmationTimeoutMs ?? 20_000),
    },
  });
  try {
    const ready = await until(async () => !child.running() || (await answers(url)), {
      timeoutMs: startTimeoutMs,
      signal: options.signal,
    });
    if (!ready || !child.running()) {
      throw new Error(`The local facilitator does not start; its log ends:\n${tailOf(options.logFile)}`);
    }
  } catch (error) {
    await child.stop(stopGraceMs);
    throw error;
  }
  return { url, stop: () => child.stop(stopGraceMs) };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/supported`, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // Not listening yet; the caller's time-out ends the waiting.
    return false;
  }
}
