import { choosePort } from '../../lib/ports.ts';
import { isAnswered, startReady } from '../../lib/processes.ts';

export interface RunningFacilitator {
  readonly url: string;
  stop(): Promise<void>;
}

const startTimeoutMs = 90_000;
const stopGraceMs = 3_000;

export async function startFacilitator(options: {
  readonly chainUrl: string;
  /** The preferred port. If it is taken, another one is used. */
  readonly port?: number | undefined;
  readonly logFile: string;
  readonly confirmationTimeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<RunningFacilitator> {
  const port = await choosePort(options.port);
  const url = `http://127.0.0.1:${port}`;
  const child = await startReady(
    {
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
    },
    {
      name: 'The local facilitator',
      isReady: () => isAnswered(`${url}/supported`),
      timeoutMs: startTimeoutMs,
      graceMs: stopGraceMs,
      signal: options.signal,
    },
  );
  return { url, stop: () => child.stop(stopGraceMs) };
}
