import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// Aliases and indices that were changed by hand: every command reports it, and `rollback` repairs it in one step.

const stage = await forFile(setReindexStage());
const env = withCommandLimits({ ...stage.env, GENERATIONS_KEPT: '5' }, { verify: { waitMs: 200 } });
const alias = `${stage.indices.prefix}companies`;
const run = (...args: readonly string[]) => entitySearch(args, env);
for (let count = 1; count <= 3; count += 1) await run('reindex', 'companies');

const indexOf = (number: number) =>
  readValue<string>(
    stage.pool,
    `select index_name as name from search_generations where kind = 'companies' and number = $1`,
    [number],
  );

test('an alias on two indices is reported by every command, with the command that repairs it', async () => {
  await stage.indices.client.indices.putAlias({ index: await indexOf(1), name: alias });
  for (const command of ['verify', 'repair', 'rollback']) {
    const { code, err } = await run(command, 'companies');
    expect([code, err]).toEqual([3, expect.stringContaining(`${alias} names 2 indices`)]);
    expect(err).toContain('Run: entity-search rollback companies --generation 3');
  }
  const problem = expect.stringMatching(/names 2 indices .* Run: entity-search rollback companies --generation 3$/);
  expect(JSON.parse((await run('plan', 'companies')).out)).toMatchObject({ needed: false, problem });
  expect(JSON.parse((await run('status', 'companies', '--json')).out)).toMatchObject([{ problem }]);
  const mended = await run('rollback', 'companies', '--generation', '3');
  expect([mended.code, await stage.live('companies')]).toEqual([0, [await indexOf(3)]]);
});

test('an alias on two indices does not prevent a reindex from going live', async () => {
  await stage.indices.client.indices.putAlias({ index: await indexOf(2), name: alias });
  expect((await run('reindex', 'companies')).code).toBe(0);
  expect(await stage.live('companies')).toEqual([await indexOf(4)]);
});

test('after the live index was deleted, rollback restores the kept one that was live last', async () => {
  await stage.pool.query(`update search_generations set halted = 'by hand' where number = 3`);
  await stage.indices.client.indices.delete({ index: await indexOf(4) });
  const told = await run('verify', 'companies');
  expect([told.code, told.err]).toEqual([
    3,
    expect.stringContaining(`and ${await indexOf(4)}, which was searched, is gone`),
  ]);
  const { code, out } = await run('rollback', 'companies');
  expect([code, JSON.parse(out)]).toEqual([
    0,
    expect.objectContaining({ from: null, to: await indexOf(2), pending: 0 }),
  ]);
  expect((await stage.generations('companies')).map(({ state, ended }) => [state, ended])).toEqual([
    ['retired', false],
    ['live', false],
    ['retired', false],
    ['retired', true],
  ]);
});

test('after an alias was removed, the live generation is restored, even with changes pending', async () => {
  await stage.indices.client.indices.deleteAlias({ index: await indexOf(2), name: alias });
  await stage.pool.query(`update companies set name = 'On its way' where id = 7`);
  const { code, out, err } = await run('rollback', 'companies');
  expect([code, JSON.parse(out)]).toEqual([
    0,
    expect.objectContaining({ from: null, to: await indexOf(2), pending: 1 }),
  ]);
  expect(err).toContain('1 changes behind');
  await stage.pool.query(`update search_generations set halted = null`);
  expect((await run('sync', '--once')).code).toBe(0);
});

test('the dead letter of a document that is present hides no missing document', async () => {
  await stage.pool.query(
    `insert into search_dead_letters (generation_id, id, reason)
     select id, 5, 'x' from search_generations where number = 1`,
  );
  await stage.indices.client.delete({ index: await indexOf(1), id: '6', refresh: true });
  const { code, err } = await run('rollback', 'companies', '--generation', '1');
  expect([code, err]).toEqual([3, expect.stringContaining('differs from the tables in 1 document.')]);
});

test('the dead letter of a missing document explains its absence', async () => {
  await stage.pool.query(`update search_dead_letters set id = 6`);
  const { code, out } = await run('rollback', 'companies', '--generation', '1');
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ to: await indexOf(1) })]);
});

test('without any generation, reindex is the suggested command', async () => {
  await stage.indices.client.indices.delete({ index: [...(await stage.indices.list())] });
  const { code, err } = await run('rollback', 'companies');
  expect([code, err]).toEqual([3, expect.stringContaining('Run: entity-search reindex companies')]);
  expect((await run('reindex', 'companies')).code).toBe(0);
});
