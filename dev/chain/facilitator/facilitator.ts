import { startOnFreePort } from '../../lib/ports.ts';
import { type Child, isAnswered, startReady, tailOf } from '../../lib/processes.ts';

export interface RunningFacilitator {
  readonly url: string;
  stop(): Promise<void>;
}

const startTimeoutMs = 90_000;
const stopGraceMs = 3_000;

interface FacilitatorOptions {
  readonly chainUrl: string;
  /** The preferred port. If it is taken, another one is used. */
  readonly port?: number | undefined;
  readonly logFile: string;
  readonly confirmationTimeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export async function startFacilitator(options: FacilitatorOptions): Promise<RunningFacilitator> {
  const startOn = async (port: number): Promise<RunningFacilitator> => {
    const url = `http://127.0.0.1:${port}`;
    const child = await startProcess(port, url, options);
    return { url, stop: () => child.stop(stopGraceMs) };
  };
  return startOnFreePort(startOn, options.port, options.signal);
}

function startProcess(port: number, url: string, options: FacilitatorOptions): Promise<Child> {
  return startReady(
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
      // If another program took the port meanwhile, that one answers.
      isReady: async () => tailOf(options.logFile).includes('listens') && (await isAnswered(`${url}/supported`)),
      timeoutMs: startTimeoutMs,
      graceMs: stopGraceMs,
      signal: options.signal,
    },
  );
}
