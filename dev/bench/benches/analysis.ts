import type { estypes } from '@elastic/elasticsearch';
import { type IndexDefinition, indexRequest } from '../../../mappings/registry.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { type Bodies, prebuild, replay } from '../bodies.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import { inTurn, type Run, type Side } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

// The cost of each part of an index: the same documents are loaded into the usual index and into indices without a part.

type Change = (definition: IndexDefinition) => IndexDefinition;

/** Changes of the index, by the name of the figure. The last one leaves everything to Elasticsearch's defaults. */
const changes = {
  'without concepts': withAnalysis((analysis) => mapAnalyzers(analysis, without('filter', 'concepts'))),
  'without dropped marks': withAnalysis((analysis) =>
    mapAnalyzers(analysis, without('char_filter', 'drop_apostrophes')),
  ),
  'words by expressions': withAnalysis((analysis) => ({
    ...analysis,
    tokenizer: {
      ...analysis.tokenizer,
      letters_and_digits: { type: 'pattern', pattern: '[^\\p{L}\\p{N}\\p{M}]+' },
    },
  })),
  'without copies': withFields(({ copy_to: _, ...field }) => field),
  'without grams': withFields((field) => {
    const { grams, ...fields } = field.fields ?? {};
    return grams === undefined ? field : { ...field, fields };
  }),
  'overview copied once more': withFields((field, path) =>
    path === 'overview' ? { ...field, copy_to: ['search.labels'] } : field,
  ),
  defaults: (definition) => ({
    settings: { number_of_shards: 1 },
    mappings: withFields(plainField)(definition).mappings,
  }),
} as const satisfies Readonly<Record<string, Change>>;

const pace = { blocksPerRequest: 1, inFlight: 2 };
const defaultRows = 30_000;

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const database = await setup.database(setup.options.rows ?? defaultRows);
  await using bodies = await prebuild(database, setup.path('bodies.ndjson'));
  const own = indexRequest('companies', indexOptions({}));
  const sizes = new Map<string, number>();
  const load = (name: string, definition: IndexDefinition) => async (): Promise<Run> => {
    const loaded = await loadInto(setup, database, bodies, definition);
    sizes.set(name, loaded.bytesPerDocument);
    return { value: bodies.documents / loaded.seconds };
  };
  setup.printLine('Warming up …');
  await load('own', own)();
  const turns: Record<string, () => Promise<Run>> = { own: load('own', own) };
  for (const [name, change] of Object.entries(changes)) turns[name] = load(name, change(own));
  const sides: Readonly<Record<string, Side>> = await inTurn(
    setup.options.rounds,
    turns,
    setup.signal,
    (round, values) => setup.printLine(`round ${round}: ${JSON.stringify(values)} documents/s`),
  );
  const common = { bench: 'analysis', unit: 'documents/s', rows: database.rows, better: 'higher' } as const;
  const asIs = 'raw _bulk into the index as it is, 2 in flight';
  for (const name of Object.keys(changes)) {
    const { own: whole, [name]: side } = sides;
    if (whole === undefined || side === undefined) throw new Error(`${name} was not measured`);
    const details = { bytesPerDocument: sizes.get(name) ?? null, wholeBytesPerDocument: sizes.get('own') ?? null };
    const isFloor = name === 'defaults';
    yield {
      ...common,
      figure: name,
      subject: isFloor ? whole.values : side.values,
      floor: isFloor ? side.values : whole.values,
      sides: isFloor
        ? { subject: asIs, floor: 'the same documents into text and keyword fields without anything of ours' }
        : { subject: `the same, ${name}`, floor: asIs },
      goals: isFloor ? [{ of: 'ratio', atLeast: 0.5 }] : [],
      rssMaxMb: null,
      cpuSeconds: null,
      details,
    };
  }
}

async function loadInto(
  setup: BenchSetup,
  database: Database,
  bodies: Bodies,
  { settings, mappings }: IndexDefinition,
): Promise<{ readonly seconds: number; readonly bytesPerDocument: number }> {
  const { client } = setup;
  const index = `bench-analysis-${process.pid}`;
  await client.indices.create({
    index,
    settings: { ...settings, refresh_interval: '-1', number_of_replicas: 0 },
    mappings,
    wait_for_active_shards: 1,
  });
  try {
    const { seconds } = await replay(bodies, index, pace, setup.program(database));
    await client.indices.forcemerge({ index, max_num_segments: 1 });
    await client.indices.refresh({ index });
    const { _all } = await client.indices.stats({ index, metric: 'store' });
    const bytes = _all.primaries?.store?.size_in_bytes ?? 0;
    return { seconds, bytesPerDocument: Math.round(bytes / bodies.documents) };
  } finally {
    await client.indices.delete({ index });
  }
}

type Analysis = estypes.IndicesIndexSettingsAnalysis;

function withAnalysis(change: (analysis: Analysis) => Analysis): Change {
  return ({ settings, mappings }) => ({
    settings: { ...settings, analysis: change(settings.analysis ?? {}) },
    mappings,
  });
}

function mapAnalyzers(
  analysis: Analysis,
  change: (analyzer: estypes.AnalysisCustomAnalyzer) => estypes.AnalysisCustomAnalyzer,
): Analysis {
  const analyzers = Object.entries(analysis.analyzer ?? {}).map(([name, analyzer]) => [
    name,
    analyzer.type === 'custom' ? change(analyzer) : analyzer,
  ]);
  return { ...analysis, analyzer: Object.fromEntries(analyzers) };
}

function without(of: 'filter' | 'char_filter', name: string) {
  return (analyzer: estypes.AnalysisCustomAnalyzer): estypes.AnalysisCustomAnalyzer => ({
    ...analyzer,
    [of]: [analyzer[of] ?? []].flat().filter((filter) => filter !== name),
  });
}

interface Field {
  readonly [option: string]: unknown;
  readonly type?: string;
  readonly copy_to?: estypes.Fields;
  readonly fields?: Readonly<Record<string, unknown>>;
}

function withFields(change: (field: Field, path: string) => Field): Change {
  return ({ settings, mappings }) => {
    const properties = mapFields(mappings.properties ?? {}, change, '');
    return { settings, mappings: { ...mappings, properties } };
  };
}

function mapFields(
  properties: Readonly<Record<string, estypes.MappingProperty>>,
  change: (field: Field, path: string) => Field,
  prefix: string,
): Record<string, estypes.MappingProperty> {
  const mapped = Object.entries(properties).map(([name, field]) => {
    const path = `${prefix}${name}`;
    if ('properties' in field && field.properties !== undefined)
      return [name, { ...field, properties: mapFields(field.properties, change, `${path}.`) }];
    return [name, change({ ...field }, path)];
  });
  return Object.fromEntries(mapped);
}

function plainField({ type, enabled, format }: Field): Field {
  if (type === 'object') return { type, enabled };
  return { ...(type === undefined ? {} : { type }), ...(type === 'date' ? { format } : {}) };
}

export const analysis: BenchGroup = { names: ['analysis'], run };
