import { startOnFreePort } from '../../lib/ports.ts';
import { isAnswered, startReady, tailOf } from '../../lib/processes.ts';

export interface RunningFacilitator {
  readonly url: string;
  stop(): Promise<void>;
}

const stopGraceMs = 3_000;

export function startFacilitator(options: {
  readonly chainUrl: string;
  /** The preferred port. If it is taken, another one is used. */
  readonly port?: number | undefined;
  readonly logFile: string;
  readonly confirmationTimeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<RunningFacilitator> {
  const { logFile, signal } = options;
  const startOn = async (port: number): Promise<RunningFacilitator> => {
    const url = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      CHAIN_URL: options.chainUrl,
      PORT: String(port),
      CONFIRMATION_TIMEOUT_MS: String(options.confirmationTimeoutMs ?? 20_000),
    };
    const args = ['dev/lib/exit-with-parent.ts', 'dev/chain/facilitator/main.ts'];
    // If another program took the port meanwhile, that one answers.
    const isReady = async () => tailOf(logFile).includes('listens') && (await isAnswered(`${url}/supported`));
    const child = await startReady(
      { command: process.execPath, args, cwd: process.cwd(), logFile, env },
      { name: 'The local facilitator', isReady, graceMs: stopGraceMs, signal },
    );
    return { url, stop: () => child.stop(stopGraceMs) };
  };
  return startOnFreePort(startOn, options.port, signal);
}
