import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { chainClient } from '../../chain/chain.ts';
import { localNetwork } from '../../chain/network.ts';
import { type PaymentStack, startPaymentStack } from '../../chain/payments-stack.ts';
import { withClient } from '../../engines/postgres/client.ts';
import { withApiLimits } from '../../lib/limits.ts';
import { isAnswered } from '../../lib/processes.ts';
import { startFaultProxy } from '../fault-proxy.ts';
import { startProgram } from '../index/programs.ts';
import { seededRandom } from '../random.ts';
import { type BuyerCounts, runBuyer } from './buyers.ts';
import { type FaultInjection, type FaultTargets, faultInjections } from './faults.ts';
import { startFleet, urlsOf } from './fleet.ts';
import { endAuthorizations, findPaymentProblems } from './ledger.ts';
import { type Excuse, runTraffic, type TrafficCounts } from './traffic.ts';

export interface ApiTortureOptions extends Pick<FaultTargets, 'engines' | 'state'> {
  readonly seed: number;
  readonly passes: number;
  readonly rows: number;
  readonly accountId: number;
  readonly key: string;
  /** A key of another account, for checks that are not traffic. */
  readonly probeKey: string;
  readonly logFile: (name: string) => string;
  readonly printLine: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface ApiTortureReport {
  readonly faults: number;
  readonly traffic: TrafficCounts;
  readonly buyers: readonly BuyerCounts[];
  readonly problems: readonly string[];
}

const members = 3;
/** Enough requests at any time, but few enough that only a fault makes them slow. */
const callers = 10;
const pauseMs = 150;
const calmMs = 1_000;
const quickMs = 1_000;
/** A process that does not answer after this long hangs. */
const hangMs = 120_000;

/** Tests three API processes under mixed traffic and payments, while two syncs follow the changes. */
export async function tortureApi(options: ApiTortureOptions): Promise<ApiTortureReport> {
  await using resources = new AsyncDisposableStack();
  const { engines, state, logFile, signal, printLine } = options;
  const stack = await startPaymentStack({ state, printLine, signal });
  resources.defer(() => stack.stop());
  const postgres = resources.use(await startFaultProxy(engines.postgres.url));
  const elasticsearch = resources.use(await startFaultProxy(engines.elasticsearch.url));
  const fleet = await startFleet({
    members,
    env: apiEnv(stack.env, postgres.url, elasticsearch.url),
    logFile: (at) => logFile(`api-${at}`),
    signal,
  });
  resources.defer(async () => void (await Promise.all(fleet.map((member) => member.stop()))));
  const direct = { DATABASE_URL: engines.postgres.url, ELASTICSEARCH_URL: engines.elasticsearch.url };
  for (const name of ['sync-0', 'sync-1']) {
    const sync = startProgram(['sync'], direct, logFile(name));
    resources.defer(async () => void (await sync.stop()));
  }
  const targets = { engines, state, elasticsearch, postgres, members: fleet, chain: stack.chain };
  return await new Torture(options, stack, targets).run();
}

function apiEnv(payments: PaymentStack['env'], databaseUrl: string, elasticsearchUrl: string) {
  const settings = {
    ...payments,
    DATABASE_URL: databaseUrl,
    ELASTICSEARCH_URL: elasticsearchUrl,
    // All processes share it, so that cursors continue at any of them.
    CURSOR_SECRET: randomBytes(32).toString('hex'),
    // Three processes and all others share a hundred connections.
    POSTGRES_POOL_SIZE: '5',
    // Long enough for cold engines on two processors, and for a fault that hangs.
    SEARCH_TIMEOUT: '4s',
  };
  return withApiLimits(settings, {
    health: { holdMs: 0 },
    paid: { limits: { leaseMs: 3_000 }, observer: { everyMs: 1_000 }, audit: { everyMs: 2_000 } },
  });
}

class Torture {
  readonly #options: ApiTortureOptions;
  readonly #stack: PaymentStack;
  readonly #targets: FaultTargets;
  readonly #problems: string[] = [];
  #excuse: Excuse | null = null;
  #faults = 0;

  constructor(options: ApiTortureOptions, stack: PaymentStack, targets: FaultTargets) {
    this.#options = options;
    this.#stack = stack;
    this.#targets = targets;
  }

  async run(): Promise<ApiTortureReport> {
    const { members: fleet, engines } = this.#targets;
    const { seed, key, rows } = this.#options;
    const urls = urlsOf(fleet);
    const ending = new AbortController();
    await this.#warmUp();
    const usedBefore = await this.#used();
    const excuse = (): Excuse | null => this.#excuse;
    const traffic = runTraffic({ urls, key, callers, pauseMs, seed, stable: rows, excuse }, ending.signal);
    const buying = [0, 1].map((at) => runBuyer(this.#stack, urls, seed + at, ending.signal));
    await delay(5 * calmMs);
    try {
      await this.#injectAll();
    } finally {
      ending.abort();
    }
    const counts = await traffic;
    const buyers = await Promise.all(buying);
    await this.#checkLimits(counts, usedBefore);
    await endAuthorizations(this.#stack);
    this.#problems.push(...(await findPaymentProblems(this.#stack, engines.postgres.url, urls, buyers)));
    await this.#audit();
    this.#problems.push(...counts.problems, ...buyers.flatMap(({ problems }) => problems));
    return { faults: this.#faults, traffic: counts, buyers, problems: this.#problems };
  }

  /**
   * Waits until searches are quick several times in a row, because an engine that has just started is still compiling.
   */
  async #warmUp(): Promise<void> {
    for (let quick = 0; quick < 10 && !this.#options.signal.aborted; ) {
      quick = (await this.#recover('the start')) < quickMs ? quick + 1 : 0;
    }
  }

  async #injectAll(): Promise<void> {
    const random = seededRandom(this.#options.seed);
    for (let pass = 0; pass < this.#options.passes; pass += 1) {
      const left = [...faultInjections(this.#targets)];
      while (left.length > 0 && !this.#options.signal.aborted) {
        const [injection] = left.splice(random.whole(left.length), 1);
        if (injection !== undefined) await this.#inject(injection);
      }
    }
  }

  async #inject(injection: FaultInjection): Promise<void> {
    await delay(calmMs);
    this.#faults += 1;
    this.#excuse = injection.excuse;
    await injection.begin();
    await injection.end();
    const ms = await this.#recover(injection.name);
    this.#excuse = null;
    this.#options.printLine(`${injection.name}: well after ${Math.round(ms)} ms`);
  }

  async #recover(name: string): Promise<number> {
    const startMs = performance.now();
    const headers = { authorization: `Bearer ${this.#options.probeKey}` };
    const paths = ['/api/health', '/api/v1/companies/1', '/api/v1/search?type=all&query=First%201', '/api/v1/usage'];
    let rounds = 0;
    while (rounds < 2) {
      const asked = this.#targets.members.flatMap(({ url }) =>
        paths.map((path) => isAnswered(`${url}${path}`, { timeoutMs: 5_000, headers })),
      );
      rounds = (await Promise.all(asked)).every(Boolean) ? rounds + 1 : 0;
      if (performance.now() - startMs > hangMs) {
        this.#problems.push(`${name}: not every process answers after ${hangMs / 1_000} s`);
        break;
      }
      await delay(50);
    }
    return performance.now() - startMs;
  }

  async #used(): Promise<number> {
    const text = 'select month_used::int as used from used_calls($1)';
    return Number(await numberFrom(this.#targets.engines.postgres.url, text, [this.#options.accountId]));
  }

  /** Within one percent, apart from calls with an unknown outcome. */
  async #checkLimits(counts: TrafficCounts, usedBefore: number): Promise<void> {
    // A process writes pending counts within about a second.
    await delay(3_000);
    const used = (await this.#used()) - usedBefore;
    if (Math.abs(used - counts.cost) > 0.01 * counts.cost + counts.uncounted) {
      this.#problems.push(`limits: ${used} calls are counted, answers say ${counts.cost}`);
    }
  }

  /** Exact to the unit, and each transfer with its row. */
  async #audit(): Promise<void> {
    const { postgres, elasticsearch } = this.#targets.engines;
    await chainClient(this.#stack.chain).mine({ blocks: localNetwork.reorgBlocks + 1 });
    const env = { ...this.#stack.env, DATABASE_URL: postgres.url, ELASTICSEARCH_URL: elasticsearch.url };
    const log = this.#options.logFile('audit');
    const code = await startProgram(['payments', 'audit'], env, log).ended;
    if (code !== 0) this.#problems.push(`payments: the audit ended with code ${code}; see ${log}`);
  }
}

async function numberFrom(url: string, text: string, values: readonly unknown[] = []): Promise<unknown> {
  const { rows } = await withClient(url, (client) => client.query(text, [...values]));
  return Object.values(rows[0] ?? {})[0];
}
