import { indexDefinition } from '../../mappings/registry.ts';
import { ask, isObject } from '../../src/clients/elasticsearch.ts';
import { aliasName } from '../../src/index-names.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { kindNames } from '../../src/kinds/kind.ts';
import type { Engines } from '../command-engines.ts';
import { planKind } from '../plan.ts';
import { readAlias } from '../reindex-actions.ts';
import { type GenerationStatus, type KindStatus, readStatus } from '../status.ts';
import { findingOf } from './elasticsearch-checks.ts';
import { type Check, type Finding, fail, ok, warn } from './finding.ts';

type Looked = Pick<Engines, 'pool' | 'cluster' | 'indexPrefix'>;

/** An index that is so far behind does not follow; a reader catches up within seconds. */
const lagMaxSeconds = 60;

/** Of each kind: is there an index, is it as the code wants it, and does it follow the tables? */
export function indexChecks(engines: Looked): readonly Check[] {
  return kindNames.map((kind) => ({ name: `index of ${kind}`, look: () => look(engines, kind) }));
}

async function look(engines: Looked, kind: KindName): Promise<readonly Finding[]> {
  const check = `index of ${kind}`;
  const { pool, cluster, indexPrefix } = engines;
  const alias = aliasName(indexPrefix, kind);
  const named = await readAlias(cluster, alias);
  const [live] = named;
  if (live === undefined) {
    return [fail(check, `Nothing is searched: ${alias} names no index.`, `Run: entity-search reindex ${kind}`)];
  }
  if (named.length > 1) {
    const found = `${alias} names ${named.length} indices (${named.join(', ')}): searches find things twice.`;
    return [fail(check, found, `Run: entity-search reindex ${kind}, which lets it name one`)];
  }
  const [status] = await readStatus(pool, cluster, indexPrefix, [kind]);
  const plan = await planKind(pool, cluster, indexPrefix, kind);
  const mapping = await compareMapping(engines, kind, live, plan.needed);
  const searched = status?.generations.find((one) => one.index === live);
  if (status === undefined || searched === undefined) {
    const found = `${live} is searched, but the database knows nothing of it: nobody follows the tables for it.`;
    return [fail(check, found, `Run: entity-search reindex ${kind}`), ...mapping];
  }
  const findings = [...shape(check, live, plan), ...mapping, ...following(check, status, searched)];
  const bad = findings.some(({ level }) => level !== 'ok');
  return bad ? findings : [ok(check, `${live} is as this version wants it, and follows the tables.`)];
}

function shape(check: string, live: string, plan: { readonly needed: boolean; readonly reason: string }): Finding[] {
  if (!plan.needed) return [];
  const todo = `See entity-search plan, then run: entity-search reindex ${check.replace('index of ', '')}`;
  return [warn(check, `${live} is not as this version wants it. ${plan.reason}`, todo)];
}

function following(check: string, status: KindStatus, searched: GenerationStatus): readonly Finding[] {
  const { kind } = status;
  const findings: Finding[] = [];
  if (searched.halted !== null) {
    findings.push(
      fail(check, `${searched.index} is not followed: ${searched.halted}`, `Run: entity-search repair ${kind}`),
    );
  }
  if (searched.reader === null) {
    findings.push(warn(check, `No sync follows the tables for ${searched.index}.`, 'Start: entity-search sync'));
  }
  const lag = searched.lagSeconds ?? 0;
  if (lag > lagMaxSeconds) {
    const todo =
      searched.reader === null ? 'Start: entity-search sync' : "Look at sync's log and at the cluster's load.";
    findings.push(fail(check, `${searched.index} is ${Math.round(lag)} s behind (${searched.pending} changes).`, todo));
  }
  if (searched.deadLetters > 0) {
    const found = `Elasticsearch would not take ${searched.deadLetters} document(s) of ${searched.index}.`;
    findings.push(warn(check, found, `See: entity-search dead-letters list ${kind}`));
  }
  if (
    searched.pending === 0 &&
    searched.documents !== null &&
    searched.documents + searched.deadLetters !== status.rows
  ) {
    const found = `${status.rows} rows, but ${searched.documents} documents in ${searched.index}.`;
    findings.push(warn(check, found, `If it stays so, run: entity-search verify ${kind}`));
  }
  if (status.lastFailure !== null) {
    findings.push(warn(check, `The last reindex failed: ${status.lastFailure}`, `Run: entity-search reindex ${kind}`));
  }
  return findings;
}

/** What the cluster says of the index's fields, where the code and the index are of one version. */
async function compareMapping(
  { cluster }: Looked,
  kind: KindName,
  live: string,
  older: boolean,
): Promise<readonly Finding[]> {
  if (older) return [];
  const check = `index of ${kind}`;
  const path = `/${encodeURIComponent(live)}/_mapping`;
  const answer = await ask(cluster.client, { method: 'GET', path }, cluster.limits);
  if (!answer.ok) return [findingOf(check, answer)];
  const index = answer.body[live];
  const mappings = isObject(index) ? index.mappings : undefined;
  const there = fieldTypes(isObject(mappings) ? mappings.properties : undefined);
  const wanted = fieldTypes(indexDefinition(kind).mappings.properties);
  const names = [...new Set([...there.keys(), ...wanted.keys()])].filter(
    (name) => there.get(name) !== wanted.get(name),
  );
  if (names.length === 0) return [];
  const found = `The mapping of ${live} was changed by hand: ${names.slice(0, 5).join(', ')}.`;
  return [fail(check, found, `Run: entity-search reindex ${kind}`)];
}

/** Each field, also within others, and its type. */
function fieldTypes(properties: unknown, prefix = ''): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  if (!isObject(properties)) return types;
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    types.set(`${prefix}${name}`, String(property.type ?? 'object'));
    for (const inner of [property.properties, property.fields]) {
      for (const [path, type] of fieldTypes(inner, `${prefix}${name}.`)) types.set(path, type);
    }
  }
  return types;
}
