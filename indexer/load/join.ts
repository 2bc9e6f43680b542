import type { KindName } from '../../src/kinds/kind.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { estimateRows } from '../generations/generations.ts';
import type { ReindexConfig } from '../reindex/config.ts';
import type { WriteContext } from '../write/write-context.ts';
import { JoinRefusedError, LoadEndedError } from './errors.ts';
import { type LoadProgress, loadFreeParts } from './load-parts.ts';
import { LoadMember } from './member.ts';
import { listOpenLoads, type OpenLoad, refuseOtherLoad } from './open-loads.ts';
import { bytesPerRequest } from './run.ts';

// Helping loads that another process or thread leads: it plans, catches up, compares and swaps; who joins only loads.

export interface JoinDeps extends WriteContext<ReindexConfig> {
  readonly indexPrefix: string;
  /** For people: program, host and process. */
  readonly name: string;
  /** `rows` are those of the kind, counted or estimated. */
  readonly onBegin: (load: OpenLoad & { readonly rows: number }) => void;
  /** Of the whole load, by all its workers. */
  readonly onProgress: (kind: KindName, progress: LoadProgress) => void;
}

/** A load that was helped with. */
export interface HelpedLoad {
  readonly kind: KindName;
  readonly indexName: string;
  /** Documents that were loaded here. */
  readonly loaded: number;
}

const pollMs = 500;

/**
 * Helps with the loads of some kinds, as long as there are any: ends when each kind was helped and is loaded, or when no
 * part was free for `patienceMs`. Throws `JoinRefusedError` where there was nothing at all, or the load is
 * not one that this process may help with; what a load throws; or the signal's reason.
 */
export async function joinLoads(
  deps: JoinDeps,
  kinds: readonly KindName[],
  { signal, patienceMs }: { readonly signal: AbortSignal; readonly patienceMs: number },
): Promise<readonly HelpedLoad[]> {
  const helper = new Helper(deps, kinds, signal);
  for (let sinceMs = deps.nowMs(); ; await sleep(pollMs, signal)) {
    const open = await listOpenLoads(deps.pool, kinds, deps.config.load.leaseMs);
    const free = open.find((load) => load.free > 0);
    if (free !== undefined) {
      await helper.help(free);
      sinceMs = deps.nowMs();
    } else if (open.length === 0 && helper.hasHelpedAll()) return helper.helped();
    else if (deps.nowMs() - sinceMs >= patienceMs) {
      if (helper.helped().length > 0) return helper.helped();
      const seconds = Math.round(patienceMs / 1_000);
      throw new JoinRefusedError(
        `Nobody has been loading ${kinds.join(', ')} for ${seconds} s. Start it: entity-search reindex ${kinds.join(' ')}`,
      );
    }
  }
}

class Helper {
  readonly #deps: JoinDeps;
  readonly #kinds: readonly KindName[];
  readonly #signal: AbortSignal;
  readonly #helped = new Map<number, HelpedLoad>();

  constructor(deps: JoinDeps, kinds: readonly KindName[], signal: AbortSignal) {
    this.#deps = deps;
    this.#kinds = kinds;
    this.#signal = signal;
  }

  hasHelpedAll(): boolean {
    return this.#kinds.every((kind) => this.helped().some((one) => one.kind === kind));
  }

  helped(): readonly HelpedLoad[] {
    return [...this.#helped.values()];
  }

  /** One load after another, as long as some part of the run's is free. */
  async help(first: OpenLoad): Promise<void> {
    const { config, pool, name } = this.#deps;
    try {
      await using member = await LoadMember.join(this.#deps, {
        runId: first.runId,
        name,
        leads: false,
        limits: config.load,
        bytesPerRequest: bytesPerRequest(config),
      });
      for (let next: OpenLoad | undefined = first; next !== undefined; ) {
        await this.#loadParts(member, next);
        const open = await listOpenLoads(pool, this.#kinds, config.load.leaseMs);
        next = open.find(({ runId, free }) => runId === member.runId && free > 0);
        // Its share comes when the others have let go of it, a second or so after it has joined.
        if (next !== undefined && member.workerId === undefined) await sleep(shareMs, this.#signal);
      }
    } catch (error) {
      if (!(error instanceof LoadEndedError)) throw error;
    }
  }

  async #loadParts(member: LoadMember, load: OpenLoad): Promise<void> {
    const before = this.#helped.get(load.id);
    if (before === undefined) {
      await refuseOtherLoad(this.#deps, load);
      this.#deps.onBegin({ ...load, rows: await estimateRows(this.#deps.pool, load.kind) });
      this.#helped.set(load.id, { kind: load.kind, indexName: load.indexName, loaded: 0 });
    }
    const config = { ...this.#deps.config, deadLetters: load.deadLetterLimits };
    const { loadedHere } = await loadFreeParts({ ...this.#deps, config }, member, load, {
      signal: this.#signal,
      onProgress: (progress) => this.#deps.onProgress(load.kind, progress),
    });
    const loaded = (before?.loaded ?? 0) + loadedHere;
    this.#helped.set(load.id, { kind: load.kind, indexName: load.indexName, loaded });
  }
}

const shareMs = 100;
