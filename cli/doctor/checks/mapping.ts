import { indexDefinition } from '../../../mappings/registry.ts';
import type { Cluster } from '../../../src/elasticsearch/admin.ts';
import { ask, isObject } from '../../../src/elasticsearch/client.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { type Finding, fail } from '../finding.ts';
import { findingOf } from './elasticsearch.ts';

/** What the cluster says of an index's fields against what this version makes; for an index of this version only. */
export async function compareMapping(cluster: Cluster, kind: KindName, index: string): Promise<readonly Finding[]> {
  const check = `index of ${kind}`;
  const path = `/${encodeURIComponent(index)}/_mapping`;
  const answer = await ask(cluster.client, { method: 'GET', path }, cluster.limits);
  if (!answer.ok) return [findingOf(check, answer)];
  const found = answer.body[index];
  const mappings = isObject(found) ? found.mappings : undefined;
  const there = fieldTypes(isObject(mappings) ? mappings.properties : undefined);
  const wanted = fieldTypes(indexDefinition(kind).mappings.properties);
  const names = [...new Set([...there.keys(), ...wanted.keys()])].filter(
    (name) => there.get(name) !== wanted.get(name),
  );
  if (names.length === 0) return [];
  const text = `The mapping of ${index} was changed by hand: ${names.slice(0, 5).join(', ')}.`;
  return [fail(check, text, `Run: entity-search reindex ${kind}`)];
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
