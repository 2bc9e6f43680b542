import { setTimeout as delay } from 'node:timers/promises';
import { kindNames } from '../../../../src/kinds/kind.ts';
import { comparedText, isEqual } from '../checks/compare.ts';
import { checkEqual, checkLetters, compareGeneration, lettersOf, withoutRejected } from '../checks/invariants.ts';
import { checkCopies, teamDifference } from '../checks/team.ts';
import { checkFilled } from '../checks/vectors.ts';
import { type StoredIndex, ViolationError, type World } from '../world/world.ts';
import { prune } from './internals.ts';
import { undoManualChanges } from './manual-changes.ts';
import { stopWriters } from './writes.ts';

const serviceMs = 5_000;

export async function quiesce(world: World): Promise<void> {
  await stopWriters(world);
  await undoManualChanges(world);
  await leaveNothingHalf(world);
  world.writtenMeanwhile = false;
  if (world.embeddings) await fillVectors(world);
  let ended = await world.run(['sync', '--once']);
  await repairSpoiled(world);
  if (world.unnoted) await world.run(['repair', ...world.kinds]);
  let problem = await problemOf(world);
  for (let again = 1; problem !== undefined && again <= 2; again += 1) {
    ended = await world.run(['sync', '--once']);
    problem = await problemOf(world);
  }
  if (problem !== undefined) problem = await serveUntil(world, () => problemOf(world));
  if (problem !== undefined) {
    const said = ended.code === 0 ? '' : ` sync --once: ${ended.err.trim().split('\n').at(-1)}`;
    throw new ViolationError(problem.kind, problem.message + said);
  }
  if (world.views) await checkCopies(world);
  for (const one of await followed(world)) await checkLetters(world, one);
  await emptyLog(world);
  await verifySays(world);
}

async function leaveNothingHalf(world: World): Promise<void> {
  const allow = world.poisoned.size > 0 ? ['--allow-dead-letters', '20'] : [];
  const generations = await world.generations();
  for (const kind of world.kinds) {
    const half = generations.some((one) => one.kind === kind && !['live', 'retired'].includes(one.state));
    if (half) await world.run(['reindex', kind, '--abort']);
    if (!world.manualChanges.has(`alias ${kind}`)) continue;
    const { code, err } = await world.run(['reindex', kind, ...allow]);
    if (code !== 0) throw new ViolationError('refused', `reindex ${kind} ended with code ${code}. ${err}`);
    world.manualChanges.delete(`alias ${kind}`);
  }
}

async function repairSpoiled(world: World): Promise<void> {
  for (const one of await followed(world)) {
    if (!world.spoiled.has(one.indexName)) continue;
    const { code, err, out } = await world.run(['repair', one.kind, '--generation', String(one.number), '--deep']);
    if (code === 0 || world.poisoned.size > 0) continue;
    throw new ViolationError('refused', `repair ${one.kind} ended with code ${code} at rest. ${out}${err}`);
  }
}

async function followed(world: World): Promise<readonly StoredIndex[]> {
  return (await world.generations()).filter(({ kept }) => kept);
}

async function problemOf(world: World): Promise<ViolationError | undefined> {
  for (const one of await followed(world)) {
    if (one.halted !== null) return new ViolationError('halted', `${one.indexName} is halted: ${one.halted}`);
    const compared = withoutRejected(await compareGeneration(world, one), await lettersOf(world, one.indexName));
    const difference = world.views && one.state === 'live' ? await teamDifference(world, one.kind) : undefined;
    if (difference !== undefined) return new ViolationError('unequal', `${difference}.`);
    if (!isEqual(compared)) {
      return new ViolationError('unequal', `${one.indexName} is not what the tables say: ${comparedText(compared)}.`);
    }
  }
  return undefined;
}

/** With a provider that works, nothing keeps a text from its vector. */
async function fillVectors(world: World): Promise<void> {
  const { code, err } = await world.run(['embed']);
  if (code !== 0) throw new ViolationError('refused', `embed ended with code ${code} at rest. ${err}`);
  await checkFilled(world, 'first', kindNames);
}

/** Runs the service until it has no problem, is killed, or the time is over. Returns the last problem. */
export async function serveUntil<Problem>(
  world: World,
  problemOf: () => Promise<Problem | undefined>,
  options: Parameters<World['runWork']>[2] = {},
): Promise<Problem | undefined> {
  const stopping = new AbortController();
  const { commandLine } = await import('../world/program.ts');
  const service = commandLine(['sync']);
  const running = world.runWork(
    'entity-search sync',
    (env, signal) => service(env, AbortSignal.any([signal, stopping.signal])),
    options,
  );
  let ended = false;
  const onEnd = (): void => {
    ended = true;
  };
  running.then(onEnd, onEnd);
  try {
    const deadlineMs = performance.now() + serviceMs;
    let problem = await problemOf();
    while (problem !== undefined && !ended && performance.now() < deadlineMs) {
      await delay(150);
      problem = await problemOf();
    }
    return problem;
  } finally {
    stopping.abort(new Error('The service is stopped.'));
    await running;
  }
}

/** Time passes, nothing is left that a reader needs, and pruning takes all of it. */
async function emptyLog(world: World): Promise<void> {
  for (let time = 0; time < 3; time += 1) {
    await expireRequests(world);
    await world.run(['sync', '--once']);
  }
  await prune(world);
  const [row] = await world.query<{ entries: number }>('select count(*)::int as entries from search_changes');
  if (row?.entries === 0) return;
  throw new ViolationError('unprunable', `At rest ${row?.entries} entries stay in the change log.`);
}

/** Time passes until no earlier request can still arrive. */
export async function expireRequests(world: World): Promise<void> {
  const hour = `interval '1 hour'`;
  await world.query(
    `update search_generations set between_at = between_at - ${hour}, position_at = position_at - ${hour},
            sweep_at = sweep_at - ${hour}`,
  );
}

async function verifySays(world: World): Promise<void> {
  const { code, out, err } = await world.run(['verify', ...world.kinds]);
  if (code === 0) return checkEqual(world, 'verify', world.kinds);
  if (world.poisoned.size > 0) return;
  throw new ViolationError('refused', `At rest verify ended with code ${code}. ${out}${err}`);
}
