import fc from 'fast-check';
import { explore } from '../../../dev/explore/engine/explore.ts';
import type { Run, Scenario, Task } from '../../../dev/explore/engine/types.ts';

/**
 * Pruning must not lose anything: whatever small programs do with shared variables, locks, faults, clocks, memory of
 * their process and crashes, the states in which they can end within a budget are the same with pruning and without.
 */
type Instruction =
  | { readonly do: 'read' | 'write' | 'fault' | 'cache' | 'lock'; readonly variable: number }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'clock' | 'both' };

interface Program {
  readonly tasks: readonly (readonly Instruction[])[];
  /** The process of each task, by index. */
  readonly places: readonly number[];
  readonly crashCost: number;
  readonly budget: number;
}

const instruction: fc.Arbitrary<Instruction> = fc.oneof(
  fc.record({
    do: fc.constantFrom('read' as const, 'write' as const, 'fault' as const, 'cache' as const, 'lock' as const),
    variable: fc.nat(1),
  }),
  fc.record({ do: fc.constant('sleep' as const), ms: fc.constantFrom(0, 10, 20) }),
  fc.record({ do: fc.constantFrom('clock' as const, 'both' as const) }),
);

const programs: fc.Arbitrary<Program> = fc.record({
  tasks: fc.array(fc.array(instruction, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 3 }),
  places: fc.tuple(fc.nat(1), fc.nat(1), fc.nat(1)),
  crashCost: fc.integer({ min: 1, max: 2 }),
  budget: fc.integer({ min: 0, max: 2 }),
});

interface Machine {
  readonly run: Run;
  readonly variables: number[];
  lockedBy: string | null;
}

const add = (a: number, b: number): number => (a * 31 + b) % 1009;

/** @param memory what the tasks of a process share without the explorer seeing it */
async function execute(code: readonly Instruction[], task: Task, machine: Machine, memory: number[]): Promise<void> {
  const { run, variables } = machine;
  const once = (name: string, apply: () => number): Promise<number> =>
    run.operation({ task, name, outcomes: [{ label: 'ok', cost: 0, apply }] });
  let local = task.name.length;
  const steps: Record<Instruction['do'], (it: Instruction, nth: number) => Promise<unknown>> = {
    read: async (it) => (local = add(local, await once('read', () => variables[place(it)] ?? 0))),
    write: (it) => once('write', () => (variables[place(it)] = local)),
    cache: async () => {
      local = add(local, memory[0] ?? 0);
      await once('use the cache', () => 0);
      memory[0] = local;
    },
    clock: async () => (local = add(local, run.now())),
    sleep: (it) => run.sleep(task, it.do === 'sleep' ? it.ms : 0),
    both: async () => {
      const first = once('one of both', () => (variables[0] = add(variables[0] ?? 0, 1)));
      local = add(
        local,
        await Promise.race([first, once('two of both', () => (variables[0] = add(variables[0] ?? 0, 2)))]),
      );
    },
    fault: async (it) => {
      const outcomes = [
        { label: 'ok', cost: 0, apply: () => (variables[place(it)] = add(local, 7)) },
        { label: 'lost after', cost: 1, apply: lose(() => (variables[place(it)] = add(local, 7))) },
        { label: 'lost before', cost: 1, apply: lose(() => 0) },
      ];
      local = add(local, await run.operation({ task, name: 'fault', outcomes }).catch(() => 5));
    },
    lock: async (it) => {
      const take = { label: 'ok', cost: 0, apply: () => (machine.lockedBy = task.process.name) };
      await run.operation({ task, name: 'lock', outcomes: () => (machine.lockedBy === null ? [take] : []) });
      local = add(local, await once('read', () => variables[place(it)] ?? 0));
      await once('write and unlock', () => {
        machine.lockedBy = null;
        variables[place(it)] = local;
        return local;
      });
    },
  };
  for (const [nth, it] of code.entries()) await steps[it.do](it, nth);
  memory[1] = add(memory[1] ?? 0, local);
  await once('finish', () => (variables[2] = add(variables[2] ?? 0, add(local, memory[1] ?? 0))));
}

const place = (it: Instruction): number => ('variable' in it ? it.variable : 0);

const lose = (effect: () => number) => (): never => {
  effect();
  throw new Error('lost');
};

/** All states in which the program can end within its budget; a deadlock is one, too. */
async function ends(program: Program, prune: boolean): Promise<Set<string>> {
  const seen = new Set<string>();
  const scenario: Scenario = {
    name: 'program',
    createWorld(run) {
      const machine: Machine = { run, variables: [0, 0, 0], lockedBy: null };
      const processes = [0, 1].map((nth) => run.process(`p${nth}`, nth === 0 ? { crashCost: program.crashCost } : {}));
      const memories: number[][] = [[], []];
      for (const [nth, code] of program.tasks.entries()) {
        const at = program.places[nth] ?? 0;
        const process = processes[at];
        if (process) run.start(process, `t${nth}`, (task) => execute(code, task, machine, memories[at] ?? []));
      }
      const text = (): string => `${machine.variables} ${machine.lockedBy} ${processes.map(({ alive }) => alive)}`;
      return {
        fingerprint: text,
        check: () => null,
        crashed: ({ name }) => {
          if (machine.lockedBy === name) machine.lockedBy = null;
        },
        enabledActions: () => [{ label: 'disturb', cost: 2, apply: () => (machine.variables[1] = 99) }],
        atRest: () => {
          seen.add(`${text()} at ${run.now()}`);
          return null;
        },
      };
    },
  };
  const options = { seconds: 60, maxStates: 100_000 };
  const { scenarios } = await explore([scenario], { ...options, budget: program.budget, prune });
  const report = scenarios[0];
  for (const { failure } of report?.findings ?? []) {
    if (failure.kind !== 'deadlock') throw new Error(`${failure.kind}: ${failure.message}`);
    seen.add(failure.message);
  }
  if (report?.completedBudget !== program.budget && !report?.exhausted) throw new Error('not completed');
  return seen;
}

it('Pruning loses no state in which a program can end', async () => {
  let states = 0;
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const pruned = await ends(program, true);
      expect([...pruned].sort()).toEqual([...(await ends(program, false))].sort());
      states += pruned.size;
    }),
    { numRuns: 40, seed: 20_260_101 },
  );
  expect(states).toBeGreaterThan(300);
});
