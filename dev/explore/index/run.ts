import type { PostgresPair } from '../../engines/postgres/pair.ts';
import { checkInvariants } from './checks/invariants.ts';
import type { Schedule } from './schedule/schedule.ts';
import { type Step, storyOf } from './schedule/step.ts';
import { abandonTransactions, perform } from './steps/perform.ts';
import { ProgramHungError } from './world/program.ts';
import { ViolationError, type ViolationKind, World } from './world/world.ts';

export interface Finding {
  readonly kind: ViolationKind;
  readonly message: string;
  readonly at: number;
}

export interface Engines {
  readonly pair: PostgresPair;
  readonly elasticsearchUrl: string;
}

export async function runSchedule(
  engines: Engines,
  schedule: Schedule,
  trace: (line: string) => void = () => undefined,
): Promise<Finding | undefined> {
  await using world = await World.make(engines.pair, engines.elasticsearchUrl, schedule);
  world.trace = trace;
  world.perform = async (steps) => {
    for (const step of steps) await perform(world, step);
  };
  const steps: readonly Step[] = [...schedule.steps, { do: 'quiesce' }];
  try {
    await checkInvariants(world);
    for (const [at, step] of steps.entries()) {
      trace(storyOf([step]));
      const finding = await found(at, async () => {
        await perform(world, step);
        await checkInvariants(world);
      });
      if (finding !== undefined) return finding;
    }
    return undefined;
  } finally {
    await abandonTransactions(world);
    engines.pair.dropStorageSnapshot();
  }
}

async function found(at: number, work: () => Promise<void>): Promise<Finding | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof ViolationError) return { kind: error.kind, message: error.message, at };
    if (error instanceof ProgramHungError) return { kind: 'stuck', message: error.message, at };
    throw error;
  }
}
