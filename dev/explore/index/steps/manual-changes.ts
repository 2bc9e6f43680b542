import type { KindName } from '../../../../src/kinds/kind.ts';
import { snapshotIndex } from '../../../engines/elasticsearch/snapshots.ts';
import type { IndexStep } from '../schedule/step.ts';
import type { World } from '../world/world.ts';

// Changes of indices by people and machines, bypassing the indexer.

/** Does one of them to the index that the kind's alias names, or that was made last. Without an index: nothing. */
export async function changeByHand(world: World, step: IndexStep): Promise<void> {
  const { kind } = step;
  const index = await indexOf(world, step);
  if (index === undefined) return;
  const ask = world.elasticsearch;
  const alias = `${world.prefix}${kind}`;
  switch (step.do) {
    case 'spoil-delete':
      await ask('DELETE', `/${index}/_doc/${step.id ?? 1}`);
      world.spoiled.add(index);
      break;
    case 'spoil-change':
      await changeDocument(world, index, step.id ?? 1);
      world.spoiled.add(index);
      break;
    case 'close-index':
      await ask('POST', `/${index}/_close`);
      world.manualChanges.add(`closed ${index}`);
      break;
    case 'open-index':
      for (const one of marked(world, 'closed')) await ask('POST', `/${one}/_open?wait_for_active_shards=1`);
      unmark(world, 'closed');
      break;
    case 'block-index':
      await ask('PUT', `/${index}/_settings`, { 'index.blocks.write': true });
      world.manualChanges.add(`blocked ${index}`);
      break;
    case 'unblock-index':
      for (const one of marked(world, 'blocked')) await ask('PUT', `/${one}/_settings`, { 'index.blocks.write': null });
      unmark(world, 'blocked');
      break;
    case 'remove-alias':
      await ask('POST', '/_aliases', { actions: [{ remove: { index: '*', alias } }] });
      world.manualChanges.add(`alias ${kind}`);
      break;
    case 'alias-on-two':
      await aliasOnTwo(world, kind, index);
      break;
    case 'delete-index':
      await ask('DELETE', `/${index}`);
      world.manualChanges.add(`alias ${kind}`);
      break;
    case 'snapshot-index':
      await snapshot(world, kind, index);
      break;
    case 'restore-deleted-index':
      await restore(world, kind, 'deleted');
      break;
    case 'restore-closed-index':
      await restore(world, kind, 'closed');
      break;
    default:
      step.do satisfies never;
  }
}

async function indexOf(world: World, { kind, newest }: IndexStep): Promise<string | undefined> {
  if (newest) return (await world.generations()).filter((one) => one.kind === kind).at(-1)?.indexName;
  return (await world.live(kind))[0];
}

/** Overwrites a document but not its hash, at its version, like a manual update. */
async function changeDocument(world: World, index: string, id: number): Promise<void> {
  await world.elasticsearch('POST', `/${index}/_update/${id}?refresh=true`, {
    doc: { overview: 'spoiled', hash: 'spoiled' },
  });
}

function marked(world: World, what: string): readonly string[] {
  return [...world.manualChanges].flatMap((mark) => (mark.startsWith(`${what} `) ? [mark.slice(what.length + 1)] : []));
}

function unmark(world: World, what: string): void {
  for (const one of marked(world, what)) world.manualChanges.delete(`${what} ${one}`);
}

async function aliasOnTwo(world: World, kind: KindName, index: string): Promise<void> {
  const other = (await world.generations()).find((one) => one.kind === kind && one.indexName !== index);
  if (other === undefined) return;
  const add = { index: other.indexName, alias: `${world.prefix}${kind}` };
  await world.elasticsearch('POST', '/_aliases', { actions: [{ add }] });
  world.manualChanges.add(`alias ${kind}`);
}

async function snapshot(world: World, kind: KindName, index: string): Promise<void> {
  world.serial += 1;
  const name = `${world.prefix}kept-${kind}-${world.serial}`;
  await world.snapshots.get(kind)?.remove();
  world.snapshots.set(kind, await snapshotIndex(world.elasticsearch, index, name));
}

/** The index is replaced by what was kept of it, under its name and with its aliases. */
async function restore(world: World, kind: KindName, how: 'deleted' | 'closed'): Promise<void> {
  const kept = world.snapshots.get(kind);
  if (kept === undefined) return;
  const there = await world.elasticsearch('GET', `/${kept.index}/_settings`);
  if (there.status !== 200 || (await world.live(kind))[0] !== kept.index) return;
  await kept.restore(how === 'closed' && kept.overClosed ? 'closed' : 'deleted');
}

/** Reverts manual changes as people would: indices are opened, and a kind without its alias is rebuilt. */
export async function undoManualChanges(world: World): Promise<void> {
  for (const kind of world.kinds) {
    await changeByHand(world, { do: 'open-index', kind });
    await changeByHand(world, { do: 'unblock-index', kind });
  }
}
