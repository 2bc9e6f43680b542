import type { Usage } from './programs.ts';

export interface Run {
  readonly value: number;
  readonly usage?: Usage | undefined;
}

export interface Side {
  readonly values: readonly number[];
  readonly rssMaxMb: number | null;
  readonly cpuSeconds: number | null;
}

/** The sides that run in turn, by name. An undefined side is left out. */
type Alternatives = Readonly<Record<string, (() => Promise<Run>) | undefined>>;
type Sides<Given extends Alternatives> = {
  readonly [Name in keyof Given]: Side | (undefined extends Given[Name] ? undefined : never);
};

export async function inTurn<Given extends Alternatives>(
  rounds: number,
  turns: Given,
  signal: AbortSignal,
  after: (round: number, values: Readonly<Record<string, number>>) => void = () => undefined,
): Promise<Sides<Given>> {
  const runs = new Map<string, Run[]>();
  for (let round = 1; round <= rounds; round += 1) {
    const values: Record<string, number> = {};
    for (const [name, turn] of Object.entries(turns)) {
      signal.throwIfAborted();
      if (turn === undefined) continue;
      const run = await turn();
      runs.set(name, [...(runs.get(name) ?? []), run]);
      values[name] = run.value;
    }
    after(round, values);
  }
  return Object.fromEntries([...runs].map(([name, of]) => [name, sideOf(of)])) as Sides<Given>;
}

function sideOf(runs: readonly Run[]): Side {
  const usages = runs.flatMap(({ usage }) => usage ?? []);
  return {
    values: runs.map(({ value }) => value),
    rssMaxMb: usages.length === 0 ? null : Math.max(...usages.map(({ rssMaxMb }) => rssMaxMb)),
    cpuSeconds:
      usages.length === 0 ? null : Math.round(100 * usages.reduce((sum, usage) => sum + usage.cpuSeconds, 0)) / 100,
  };
}

/** Returns the parts of a figure that its rounds determine. */
export function measuredIn({ subject, floor }: { readonly subject: Side; readonly floor: Side }) {
  const { rssMaxMb, cpuSeconds } = subject;
  return { subject: subject.values, floor: floor.values, rssMaxMb, cpuSeconds };
}
