import { entitySearch } from '../../../dev/lib/command-line.ts';
import { forFile } from '../../support/for-file.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// `entity-search dead-letters`.

const stage = await forFile(setReindexStage());
// Longer than Elasticsearch takes for a keyword.
await stage.pool.query(`update investors set slug = repeat('x', 40000) || id where id in (7, 8, 9)`);
await entitySearch(['reindex', 'investors', 'people', 'companies', '--allow-dead-letters', '3'], stage.env);

async function run(...args: readonly string[]) {
  const { code, out, err } = await entitySearch(args, stage.env);
  return { code, err, lines: out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])) };
}

const nameOf = async (kind: string, id: number): Promise<unknown> => {
  const index = `${stage.indices.prefix}${kind}`;
  await stage.indices.client.indices.refresh({ index });
  const found = await stage.indices.client.search({ index, query: { ids: { values: [String(id)] } } });
  return found.hits.hits[0]?._source;
};

test('dead letters are listed with reason and attempts, and with the document on request', async () => {
  const [letters] = (await run('dead-letters')).lines;
  expect(letters.map(({ kind, id, attempts }: Record<string, unknown>) => [kind, id, attempts])).toEqual([
    ['investors', 7, 1],
    ['investors', 8, 1],
    ['investors', 9, 1],
  ]);
  expect(letters[0].reason).toContain('immense term');
  expect(letters[0]).not.toHaveProperty('document');
  const [[whole]] = (await run('dead-letters', 'list', 'investors', '--ids', '8')).lines;
  expect(JSON.parse(whole.document)).toMatchObject({ id: 8, name: 'I 8' });
  expect((await run('dead-letters', 'list', 'people')).lines).toEqual([[]]);
});

test('a retry sends the current row, which is accepted, deleted, or rejected again', async () => {
  await stage.pool.query(`update investors set slug = 'i-7' where id = 7`);
  await stage.pool.query('delete from investors where id = 8');
  const { code, lines } = await run('dead-letters', 'retry');
  expect(code).toBe(2);
  expect(lines).toEqual([{ retried: 3, written: 1, superseded: 0, deleted: 1, dead_letters: 1 }]);
  expect(await nameOf('investors', 7)).toMatchObject({ slug: 'i-7' });
  const [letters] = (await run('dead-letters')).lines;
  expect(letters).toEqual([expect.objectContaining({ id: 9, attempts: 2 })]);
});

test('a dead letter is removed when its row is accepted by another write', async () => {
  await stage.pool.query(`update investors set slug = 'i-9' where id = 9`);
  expect((await run('sync', '--once', 'investors')).code).toBe(0);
  expect((await run('dead-letters')).lines).toEqual([[]]);
});

test('repair removes the dead letter of a document that equals its row, and keeps that of a rejected row', async () => {
  await stage.pool.query(`update investors set slug = repeat('y', 40000) || id where id in (10, 11)`);
  expect((await run('sync', '--once', 'investors')).code).toBe(0);
  // The row is as it was, and no trigger has noted that.
  await stage.pool.query(`begin; update investors set slug = 'i-10' where id = 10; truncate search_changes; commit`);
  expect((await run('repair', 'investors')).code).toBe(2);
  expect((await run('dead-letters')).lines).toEqual([[expect.objectContaining({ id: 11 })]]);
  expect(await nameOf('investors', 10)).toMatchObject({ slug: 'i-10' });
});

test('a reindex after the row was corrected leaves no dead letter, whether the previous index is kept or not', async () => {
  await stage.pool.query(`update investors set slug = 'i-11' where id = 11`);
  const env = { ...stage.env, GENERATIONS_KEPT: '0' };
  expect((await entitySearch(['reindex', 'investors'], env)).code).toBe(0);
  // The index before is not followed, and is not removed yet.
  expect(await stage.generations('investors')).toContainEqual(
    expect.objectContaining({ state: 'retired', has_position: false, ended: false }),
  );
  expect((await run('dead-letters')).lines).toEqual([[]]);
});

test('invalid ids are usage errors', async () => {
  expect((await run('dead-letters', 'list', '--ids', '1,x')).code).toBe(64);
  expect((await run('rollback')).code).toBe(64);
});
