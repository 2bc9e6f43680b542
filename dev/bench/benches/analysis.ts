import type { estypes } from '@elastic/elasticsearch';
import { type IndexDefinition, indexRequest } from '../../../mappings/registry.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { type Bodies, prebuild, replay } from '../bodies.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import { inTurn, measuredIn, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

// The cost of the mapping and its text analysis: the same documents are loaded into the usual index, and into one that
// leaves everything to Elasticsearch's defaults.

const pace = { blocksPerRequest: 1, inFlight: 2 };
const defaultRows = 30_000;

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const database = await setup.database(setup.options.rows ?? defaultRows);
  await using bodies = await prebuild(database, setup.path('bodies.ndjson'));
  const own = indexRequest('companies', indexOptions({}));
  const plain = {
    settings: { number_of_shards: 1 },
    mappings: { ...own.mappings, properties: plainFields(own.mappings.properties ?? {}) },
  };
  const load = (definition: IndexDefinition) => async (): Promise<Run> => ({
    value: bodies.documents / (await secondsToLoad(setup, database, bodies, definition)),
  });
  setup.printLine('Warming up …');
  await load(own)();
  const sides = await inTurn(setup.options.rounds, { subject: load(own), floor: load(plain) }, setup.signal);
  yield {
    bench: 'analysis',
    unit: 'documents/s',
    rows: database.rows,
    ...measuredIn(sides),
    sides: {
      subject: 'raw _bulk into the index as it is, 2 in flight',
      floor: 'the same documents into text and keyword fields without anything of ours',
    },
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: 0.5 }],
  };
}

async function secondsToLoad(
  setup: BenchSetup,
  database: Database,
  bodies: Bodies,
  { settings, mappings }: IndexDefinition,
): Promise<number> {
  const { client } = setup;
  const index = `bench-analysis-${process.pid}`;
  await client.indices.create({
    index,
    settings: { ...settings, refresh_interval: '-1', number_of_replicas: 0 },
    mappings,
    wait_for_active_shards: 1,
  });
  try {
    return (await replay(bodies, index, pace, setup.program(database))).seconds;
  } finally {
    await client.indices.delete({ index });
  }
}

type Properties = Readonly<Record<string, estypes.MappingProperty>>;

interface Field {
  readonly type?: string;
  readonly enabled?: boolean;
  readonly format?: string;
}

function plainFields(properties: Properties): Record<string, estypes.MappingProperty> {
  const plain = Object.entries(properties).map(([name, field]) => {
    const isParent = 'properties' in field && field.properties !== undefined;
    return [name, isParent ? { ...field, properties: plainFields(field.properties ?? {}) } : plainField({ ...field })];
  });
  return Object.fromEntries(plain);
}

function plainField({ type, enabled, format }: Field): Field {
  if (type === 'object') return { type, ...(enabled === undefined ? {} : { enabled }) };
  return {
    ...(type === undefined ? {} : { type }),
    ...(type === 'date' && format !== undefined ? { format } : {}),
  };
}

export const analysis: BenchGroup = { names: ['analysis'], run };
