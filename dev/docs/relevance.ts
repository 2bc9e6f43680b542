import { kindNames } from '../../src/kinds/kind.ts';
import { otherTable, tierTable } from '../../src/search/ranking/tier-table.ts';
import { traits } from '../../src/search/shared-traits.ts';
import { code, table } from './table.ts';

const tierRows = Object.entries(tierTable).map(([name, { points, meaning, isSure }]) => [
  code(name),
  String(points),
  isSure === true ? 'yes' : '',
  meaning,
]);

const otherRows = Object.entries(otherTable).map(([name, row]) => [
  code(name),
  'points' in row ? String(row.points) : 'varies',
  row.meaning,
]);

const weightRows = kindNames.map((kind) => [
  code(kind),
  traits[kind].map(({ as, weight }) => `${code(as)} ${weight}`).join(', '),
]);

export function relevancePage(): string {
  return `# Ranking

The clauses that rank search results, by the names that \`entity-search explain\` prints. [Relevance](../relevance.md)
explains how they work together.

## Tiers

The best matching tier counts. Sure tiers outscore everything else combined.

${table(['tier', 'points', 'sure', 'meaning'], tierRows)}

## Other clauses

Their points add to the tier's, but the clauses of a question (\`asked…\`) compete with it. Points that vary depend on how
well or how rarely something matches.

${table(['clause', 'points', 'meaning'], otherRows)}

## Similar entities

A shared value counts as much as it is rare, multiplied by its weight.

${table(['kind', 'weights'], weightRows)}
`;
}
