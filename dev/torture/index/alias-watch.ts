import { setTimeout as delay } from 'node:timers/promises';

/** Errors of searches, except while the engine itself was down. */
export interface AliasWatch {
  searches: number;
  /** An alias returned an error, nothing, or far too few documents. */
  readonly failures: string[];
  /** Searches while the engine itself was down. */
  down: number;
}

const kinds = ['companies', 'people', 'investors', 'events'] as const;
const everyMs = 100;

export async function watchAliases(
  options: { readonly elasticsearch: string; readonly atLeast: number; readonly isDown: () => boolean },
  signal: AbortSignal,
): Promise<AliasWatch> {
  const watched: AliasWatch = { searches: 0, failures: [], down: 0 };
  while (!signal.aborted) {
    for (const kind of kinds) {
      const downBefore = options.isDown();
      const problem = await search(options.elasticsearch, kind, options.atLeast);
      watched.searches += 1;
      if (problem === undefined) continue;
      if (downBefore || options.isDown()) watched.down += 1;
      else watched.failures.push(`${kind}: ${problem}`);
    }
    await delay(everyMs);
  }
  return watched;
}

async function search(elasticsearch: string, kind: string, atLeast: number): Promise<string | undefined> {
  try {
    const answer = await fetch(`${elasticsearch}/${kind}/_search?size=0&track_total_hits=true`, {
      signal: AbortSignal.timeout(20_000),
    });
    const text = await answer.text();
    if (!answer.ok) return `${answer.status} ${text.slice(0, 200)}`;
    const found = Number(/"total":\{"value":(\d+)/.exec(text)?.[1] ?? Number.NaN);
    return found >= atLeast ? undefined : `${found} documents`;
  } catch (error) {
    return String(error);
  }
}
