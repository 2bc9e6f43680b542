import { withApiLimits } from '../../lib/limits.ts';
import type { Measured } from '../figures.ts';
import { type LoadRequest, underLoad } from '../load.ts';
import { startServer, usedBetween } from '../programs.ts';
import { inTurn, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const connections = 16;
const small = 1_000;
const warmUpSecondsMax = 2;

/** Requests that no engine is asked for, so that what is left is our own HTTP. */
const routes: readonly { readonly figure: string; readonly status: number; readonly request: LoadRequest }[] = [
  { figure: 'unpaid 402', status: 402, request: { method: 'GET', path: '/api/v1/x402/search?q=exchange' } },
  {
    figure: 'malformed key 401',
    status: 401,
    request: { method: 'GET', path: '/api/v1/search?query=exchange', headers: { Authorization: 'Bearer nonsense' } },
  },
  { figure: 'health', status: 200, request: { method: 'GET', path: '/api/health' } },
];

const env = withApiLimits(
  {
    // Nobody listens there: an unpaid request asks neither the chain nor the facilitator.
    X402_PAY_TO: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    X402_RPC_URL: 'http://127.0.0.1:9',
    X402_FACILITATOR_URL: 'http://127.0.0.1:9',
  },
  // The cost of refusals is measured, without their delay.
  { refusals: { freePerMinute: 1_000_000 } },
);

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const { signal } = setup;
  const warmUpSeconds = Math.min(warmUpSecondsMax, setup.options.seconds);
  const database = await setup.database(Math.min(small, setup.rows));
  // Health tells the truth about indices, so there are some.
  await setup.indexed(database);
  const api = await startServer(['dev/lib/limited-api.ts'], {
    ...setup.program(database, env),
    logFile: setup.path('log/bench-api.log'),
  });
  const hello = await startServer(['dev/bench/programs/hello.ts'], {
    ...setup.program(database),
    logFile: setup.path('log/bench-hello.log'),
  });
  try {
    for (const { figure, status, request } of routes) {
      const load = { requests: [request], connections, signal };
      const ask = (seconds: number) => underLoad({ ...load, url: api.url, seconds, status });
      const bare = (seconds: number) => underLoad({ ...load, url: hello.url, seconds, status: 200 });
      await ask(warmUpSeconds);
      await bare(warmUpSeconds);
      const sides = await inTurn(
        setup.options.rounds,
        {
          subject: async (): Promise<Run> => {
            const before = await api.usage();
            const value = await ask(setup.options.seconds);
            return { value, usage: usedBetween(before, await api.usage()) };
          },
          floor: async () => ({ value: await bare(setup.options.seconds) }),
        },
        signal,
      );
      yield {
        bench: 'http',
        figure,
        unit: 'requests/s',
        rows: database.rows,
        subject: sides.subject.values,
        floor: sides.floor.values,
        sides: { subject: `${figure}, ${connections} connections`, floor: 'a bare Koa that says hello' },
        better: 'higher',
        goals: [],
        rssMaxMb: sides.subject.rssMaxMb,
        cpuSeconds: sides.subject.cpuSeconds,
      };
    }
  } finally {
    await Promise.all([api.stop(), hello.stop()]);
  }
}

export const http: BenchGroup = { names: ['http'], run };
