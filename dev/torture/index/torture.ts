import { setTimeout as delay } from 'node:timers/promises';
import type { Engines } from '../../engines/engines.ts';
import { withClient } from '../../engines/postgres/client.ts';
import { accepts } from '../../engines/postgres/server.ts';
import { withCommandLimits } from '../../lib/limits.ts';
import { findProcessesIn, isAnswered, signalProcess, until } from '../../lib/processes.ts';
import { type Random, seededRandom } from '../random.ts';
import { type AliasWatch, watchAliases } from './alias-watch.ts';
import { type Program, startProgram } from './programs.ts';
import { runWriters, type WriterCounts } from './writers.ts';

export interface TortureOptions {
  readonly engines: Engines;
  /** The state directory of the engines, a real path. */
  readonly state: string;
  readonly seed: number;
  readonly rows: number;
  readonly writeMs: number;
  readonly changesPerSecond: number;
  readonly killEngines: boolean;
  /** The file for the programs' output. */
  readonly log: string;
}

export interface TortureReport {
  readonly writers: WriterCounts;
  readonly watched: AliasWatch;
  readonly kills: { sync: number; reindex: number; postgres: number; elasticsearch: number };
  readonly reindexes: number;
  /** From the last write until verify found equality. */
  readonly equalAfterMs: number | undefined;
  readonly problem: string | undefined;
}

const kinds = ['companies', 'people', 'investors', 'events'] as const;

export async function tortureRound(options: TortureOptions): Promise<TortureReport> {
  const round = new Round(options);
  return round.run();
}

class Round {
  readonly #options: TortureOptions;
  readonly #random: Random;
  readonly #env: Readonly<Record<string, string>>;
  readonly #kills = { sync: 0, reindex: 0, postgres: 0, elasticsearch: 0 };
  readonly #syncs: Program[] = [];
  #reindex: Program | undefined;
  #reindexes = 0;
  #downUntilMs = 0;

  constructor(options: TortureOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    const settings = {
      DATABASE_URL: options.engines.postgres.url,
      ELASTICSEARCH_URL: options.engines.elasticsearch.url,
      GENERATIONS_KEPT: '1',
      LOG_LEVEL: 'info',
    };
    this.#env = withCommandLimits(settings, {
      retireAfterMs: 0,
      sync: {
        keepMs: 60_000,
        pruneEveryMs: 5_000,
      },
      // Short, so that most kills interrupt something.
      reindex: { batchBytes: 65_536 },
    });
  }

  async run(): Promise<TortureReport> {
    const options = this.#options;
    const writing = new AbortController();
    const watching = new AbortController();
    const isDown = (): boolean => performance.now() < this.#downUntilMs;
    const { postgres, elasticsearch } = options.engines;
    const watched = watchAliases(
      { elasticsearch: elasticsearch.url, atLeast: Math.floor(options.rows / 3), isDown },
      watching.signal,
    );
    const written = runWriters(
      {
        databaseUrl: postgres.url,
        seed: options.seed,
        writers: 4,
        changesPerSecond: options.changesPerSecond,
        ids: options.rows,
      },
      writing.signal,
    );
    try {
      this.#syncs.push(this.#start('sync'), this.#start('sync'));
      await this.#injectFaults();
      writing.abort();
      const writers = await written;
      const { equalAfterMs, problem } = await this.#settle();
      watching.abort();
      const seen = await watched;
      const failure = seen.failures[0];
      return {
        writers,
        watched: seen,
        kills: this.#kills,
        reindexes: this.#reindexes,
        equalAfterMs,
        problem: problem ?? (failure === undefined ? undefined : `a search met ${failure}`),
      };
    } finally {
      writing.abort();
      watching.abort();
      await Promise.all(this.#syncs.map((sync) => sync.stop()));
    }
  }

  #start(...args: readonly string[]): Program {
    return startProgram(args, this.#env, this.#options.log);
  }

  async #injectFaults(): Promise<void> {
    const endMs = performance.now() + this.#options.writeMs;
    while (performance.now() < endMs) {
      await delay(300 + this.#random.whole(2_500));
      const die = this.#random.next();
      if (die < 0.2) await this.#killReindex();
      else if (die < 0.55) await this.#killSync();
      else if (die < 0.62 && this.#options.killEngines) await this.#killEngine('postgres');
      else if (die < 0.68 && this.#options.killEngines) await this.#killEngine('elasticsearch');
      else if (this.#reindex?.running() !== true) this.#startReindex(false);
    }
    await this.#reindex?.ended;
  }

  #startReindex(resume: boolean): void {
    const mode = resume ? ['--resume'] : [];
    this.#reindex = this.#start('reindex', this.#random.pick(kinds), ...mode);
    this.#reindexes += 1;
  }

  /** Runs reindexes one after the other, and resumes those that were killed. */
  async #killReindex(): Promise<void> {
    if (this.#reindex?.running()) {
      await this.#reindex.kill();
      this.#kills.reindex += 1;
    }
    this.#startReindex(this.#random.chance(0.7));
  }

  async #killSync(): Promise<void> {
    const at = this.#random.whole(this.#syncs.length);
    await this.#syncs[at]?.kill();
    this.#syncs[at] = this.#start('sync');
    this.#kills.sync += 1;
  }

  async #killEngine(name: 'postgres' | 'elasticsearch'): Promise<void> {
    this.#kills[name] += 1;
    const program = name === 'postgres' ? 'postgres' : 'java';
    // Searches don't reach Postgres: only the search engine's own downtime excuses them.
    if (name === 'elasticsearch') this.#downUntilMs = Number.POSITIVE_INFINITY;
    for (const pid of findProcessesIn(`${this.#options.state}/${name}`, program)) signalProcess(pid, 'SIGKILL');
    await delay(100);
    await this.#whenUp();
    if (name === 'elasticsearch') this.#downUntilMs = performance.now() + 1_000;
  }

  /** The starter of the engines restarts them. They are up when both engines and every alias answer. */
  async #whenUp(): Promise<void> {
    const { elasticsearch, postgres } = this.#options.engines;
    const aliases = `${elasticsearch.url}/${kinds.join(',')}`;
    const search = `${aliases}/_search?size=0&allow_partial_search_results=false`;
    const isUp = async (): Promise<boolean> =>
      (await isAnswered(search, { timeoutMs: 5_000 })) && (await accepts(postgres.url).catch(() => false));
    if (await until(isUp, { timeoutMs: 120_000, everyMs: 200 })) return;
    throw new Error('The engines did not come back within two minutes.');
  }

  /** After a failover sync compares and repairs without help. */
  #isRepaired(): Promise<boolean> {
    const { url } = this.#options.engines.postgres;
    return until(async () => (await countHalted(url)) === 0, { timeoutMs: 120_000, everyMs: 250 });
  }

  /** Finishes interrupted work; then index and tables must be equal. */
  async #settle(): Promise<{ readonly equalAfterMs: number | undefined; readonly problem: string | undefined }> {
    const startMs = performance.now();
    if (!(await this.#isRepaired()))
      return { equalAfterMs: undefined, problem: 'what was halted was not repaired by itself' };
    const code = await this.#start('verify', '--deep', '--json').ended;
    if (code !== 0) return { equalAfterMs: undefined, problem: `verify --deep ended with code ${code}` };
    const equalAfterMs = performance.now() - startMs;
    for (const kind of kinds) {
      const resumed = await this.#start('reindex', kind, '--resume').ended;
      if (resumed !== 0) return { equalAfterMs, problem: `reindex ${kind} --resume ended with code ${resumed}` };
    }
    const after = await this.#start('verify', '--deep', '--json').ended;
    return { equalAfterMs, problem: after === 0 ? undefined : `verify after resuming ended with code ${after}` };
  }
}

/** Returns the number of indices that are not followed until they were compared. */
async function countHalted(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from search_generations
       where halted is not null and ended_at is null and state in ('ready', 'live', 'retired')`,
    );
    return rows[0]?.count ?? 0;
  });
}
