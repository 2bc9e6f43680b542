import type { BatchItem } from '../../../indexer/write/batches.ts';
import { IndexGoneError, readBulkResponse } from '../../../indexer/write/bulk-response.ts';

const items: readonly BatchItem[] = [1, 2, 3].map((id) => ({ id, version: 1, start: 0, documentStart: 0, end: 0 }));
const [one, two, three] = items;

interface Result {
  readonly status: number;
  readonly error?: object;
}

function answer(...results: readonly Result[]): unknown {
  return { errors: true, items: results.map((result, at) => ({ index: { _id: String(at + 1), ...result } })) };
}

const counts = { written: 0, deleted: 0, superseded: 0, newest: 0 };
const nothing = { ...counts, retry: [], dead: [], pushedBack: false, unavailable: undefined };
const error = (type: string, reason = 'because'): object => ({ type, reason });

test('created and updated documents are written, and a version conflict means superseded', () => {
  expect(
    readBulkResponse(
      items,
      answer({ status: 201 }, { status: 200 }, { status: 409, error: error('version_conflict') }),
    ),
  ).toEqual({ ...nothing, written: 2, superseded: 1 });
});

test('only items that the cluster could not process at the moment are sent again', () => {
  const rejected = { status: 429, error: error('es_rejected_execution_exception') };
  const blocked = { status: 403, error: error('cluster_block_exception') };
  const unavailable = { status: 503, error: error('unavailable_shards_exception') };
  expect(readBulkResponse(items, answer(rejected, { status: 201 }, unavailable))).toEqual({
    ...{ ...nothing, written: 1, retry: [one, three], pushedBack: true },
    unavailable: expect.objectContaining({ state: 'unavailable' }),
  });
  expect(readBulkResponse(items, answer({ status: 201 }, blocked, { status: 201 }))).toMatchObject({
    retry: [two],
    pushedBack: false,
  });
});

test('a deletion of a missing document counts as deleted, and a missing index does not', () => {
  const deleted = (...results: readonly Result[]): unknown => ({
    errors: false,
    items: results.map((result, at) => ({ delete: { _id: String(at + 1), ...result } })),
  });
  expect(readBulkResponse(items, deleted({ status: 200 }, { status: 404 }, { status: 429 }))).toMatchObject({
    written: 0,
    deleted: 2,
    retry: [three],
  });
  const gone = { status: 404, error: error('index_not_found_exception', 'no such index') };
  for (const body of [deleted(gone, gone, gone), answer(gone, gone, gone)])
    expect(() => readBulkResponse(items, body)).toThrow(IndexGoneError);
});

test('the highest version that the index held instead of ours is reported', () => {
  const conflict = (held: number): Result => ({
    status: 409,
    error: error('version_conflict_engine_exception', `[7]: version conflict, current version [${held}] is higher`),
  });
  expect(readBulkResponse(items, answer(conflict(12), { status: 201 }, conflict(11)))).toMatchObject({
    written: 1,
    superseded: 2,
    newest: 12,
  });
});

test.each([
  ['closed', { status: 400, error: error('index_closed_exception', 'closed') }],
  ['closed', { status: 403, error: error('cluster_block_exception', 'blocked by: [… preparing to close. …]') }],
  ['blocked', { status: 403, error: error('cluster_block_exception', 'index [a] blocked by: [FORBIDDEN/8/…];') }],
  ['forbidden', { status: 403, error: error('security_exception', 'action [indices:data/write] is unauthorized') }],
  ['unavailable', { status: 503, error: error('unavailable_shards_exception') }],
  ['ambiguous', { status: 400, error: error('illegal_argument_exception', 'no write index is defined for alias [a]') }],
  ['no-pipeline', { status: 400, error: error('illegal_argument_exception', 'pipeline with id [p] does not exist') }],
])('an index that is %s makes no dead letter, and everything is sent again', (state, result) => {
  expect(readBulkResponse(items, answer(result, result, result))).toMatchObject({
    written: 0,
    retry: [one, two, three],
    dead: [],
    unavailable: { state },
  });
});

test('documents that can never be indexed are dead letters with the reason and its cause, at any length', () => {
  const parsing = {
    ...error('document_parsing_exception', 'x'.repeat(40_000)),
    caused_by: error('illegal_argument_exception', 'immense term'),
  };
  const outcome = readBulkResponse(items, answer({ status: 201 }, { status: 400, error: parsing }, { status: 201 }));
  expect(outcome?.dead.map(({ item }) => item)).toEqual([two]);
  expect(outcome?.dead[0]?.reason).toMatch(
    /^document_parsing_exception: x{500}; illegal_argument_exception: immense term$/,
  );
  expect(readBulkResponse(items, answer({ status: 400 }, { status: 201 }, { status: 201 }))?.dead[0]?.reason).toBe(
    'status 400 without a reason',
  );
});

test.each([
  ['nothing', {}],
  ['no object', 'garbage'],
  ['too few items', { errors: false, items: [{ index: { _id: '1', status: 201 } }] }],
  ['other documents', { errors: false, items: [3, 2, 1].map((id) => ({ index: { _id: `${id}`, status: 201 } })) }],
])('a response with %s cannot be read', (_what, body) => {
  expect(readBulkResponse(items, body)).toBeUndefined();
});
