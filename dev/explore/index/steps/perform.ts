import { type KindName, kindNames } from '../../../../src/kinds/kind.ts';
import { isEqual } from '../checks/compare.ts';
import { checkEqual, checkSwapped, compareGeneration } from '../checks/invariants.ts';
import { pollCopies } from '../checks/team.ts';
import { checkFilled } from '../checks/vectors.ts';
import {
  type IndexStep,
  indexSteps,
  type PostgresStep,
  postgresSteps,
  type RunStep,
  type Step,
  type TransactionStep,
  transactionSteps,
  type WriteStep,
} from '../schedule/step.ts';
import { ViolationError, type World } from '../world/world.ts';
import { dump, endSessions, restoreDump } from './databases.ts';
import { drainByEntry, prune } from './internals.ts';
import { changeByHand } from './manual-changes.ts';
import { expireRequests, quiesce, serveUntil } from './quiesce.ts';
import { stopWriters, transact, write } from './writes.ts';

export async function perform(world: World, step: Step): Promise<void> {
  switch (step.do) {
    case 'run':
      return runStep(world, step);
    case 'drain':
      await world.runWork('sync --once, entry by entry', drainByEntry, { at: step.at });
      return;
    case 'quiesce':
      return quiesce(world);
    case 'serve':
      await serveUntil(world, async () => ((await isFilled(world)) ? undefined : 'waiting'), step);
      return;
    // A concurrent embed may have passed these already.
    case 'remove-vectors':
      world.writtenMeanwhile = true;
      await world.query('delete from entity_vectors where kind = $1', [step.kind]);
      return;
    case 'empty-vectors':
      world.writtenMeanwhile = true;
      await world.query('truncate entity_vectors');
      return;
    case 'prune':
      await prune(world);
      return;
    case 'requests-end':
      return expireRequests(world);
    case 'poll':
      return pollCopies(world);
    case 'end-sessions':
      return endSessions(world);
    case 'dump':
    case 'restore-dump':
      await stopWriters(world);
      return step.do === 'dump' ? dump(world) : restoreDump(world);
    case 'other-database':
      await world.runOther(step.args);
      return;
    default:
      if (isTransaction(step)) return transact(world, step);
      if (isPostgres(step)) return failOver(world, step);
      return isIndex(step) ? changeByHand(world, step) : write(world, step);
  }
}

type Plain = WriteStep | TransactionStep | PostgresStep | IndexStep;

const isOneOf = <Name extends string>(names: readonly Name[], name: string): name is Name =>
  names.some((one) => one === name);

function isTransaction(step: Plain): step is TransactionStep {
  return isOneOf(transactionSteps, step.do);
}

function isPostgres(step: Plain): step is PostgresStep {
  return isOneOf(postgresSteps, step.do);
}

function isIndex(step: Plain): step is IndexStep {
  return isOneOf(indexSteps, step.do);
}

async function failOver(world: World, { do: what }: PostgresStep): Promise<void> {
  const { pair } = world;
  if (what === 'add-standby') return pair.addStandby();
  if (what === 'snapshot-storage') return pair.snapshotStorage();
  if (what === 'detach-standby') return pair.hasStandby ? pair.detachStandby() : undefined;
  const takesOver = what === 'promote' || what === 'promote-after-crash';
  if (takesOver && !pair.hasStandby) return;
  if (what === 'restore-storage' && !pair.hasStorageSnapshot) return;
  // Connections of writers end with their server.
  for (const [tx, client] of world.transactions) {
    await client.end().catch(() => undefined);
    world.transactions.delete(tx);
  }
  if (takesOver) return pair.promote({ crash: what === 'promote-after-crash' });
  return what === 'crash-postgres' ? pair.crashPrimary() : pair.restoreStorage();
}

async function runStep(world: World, step: RunStep): Promise<void> {
  const [command = ''] = step.args;
  const best = command === 'rollback' ? await bestForRollback(world, kindsOf(step.args)) : undefined;
  // Without a searched index, a lagging one is better than none.
  const isSwap = command === 'rollback' && (await isSearched(world, kindsOf(step.args)));
  world.writtenMeanwhile = false;
  const { at, verify, model, fault } = step;
  const { code, err } = await world.run(step.args, { at, verify, model, fault });
  if (step.sound && err.includes('The index differs from the tables')) {
    throw new ViolationError('unequal', `${step.args.join(' ')}: ${err}`);
  }
  if (command === 'embed' && code === 0 && !world.writtenMeanwhile) {
    await checkFilled(world, model ?? 'first', kindsOf(step.args));
  }
  if ((command === 'verify' || command === 'repair') && code === 0 && !step.args.includes('--generation')) {
    await checkEqual(world, command, kindsOf(step.args));
  }
  if (isSwap && code === 0 && !world.writtenMeanwhile) await checkSwapped(world, kindsOf(step.args));
  if (best !== undefined && code !== undefined && code !== 0) {
    throw new ViolationError(
      'refused',
      `${step.args.join(' ')} ended with code ${code}, although ${best} is what the tables say. ${err}`,
    );
  }
}

async function isSearched(world: World, kinds: readonly KindName[]): Promise<boolean> {
  for (const kind of kinds) if (world.kinds.includes(kind) && (await world.live(kind)).length !== 1) return false;
  return true;
}

/** Returns true if every text of the world has its vector of the first model. */
async function isFilled(world: World): Promise<boolean> {
  try {
    await checkFilled(world, 'first', world.kinds);
    return true;
  } catch (error) {
    if (error instanceof ViolationError) return false;
    throw error;
  }
}

function kindsOf(args: readonly string[]): readonly KindName[] {
  const named = kindNames.filter((kind) => args.includes(kind));
  return named.length === 0 ? kindNames : named;
}

/** Returns a generation that could replace a missing live index at once. */
async function bestForRollback(world: World, [kind]: readonly KindName[]): Promise<string | undefined> {
  if (kind === undefined || (await world.live(kind)).length > 0 || world.transactions.size > 0) return undefined;
  for (const one of await world.generations()) {
    if (one.kind !== kind || one.halted !== null || one.state !== 'retired') continue;
    if (isEqual(await compareGeneration(world, one))) return one.indexName;
  }
  return undefined;
}

export async function abandonTransactions(world: World): Promise<void> {
  await stopWriters(world).catch(() => undefined);
}
