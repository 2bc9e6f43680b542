import type { KindName } from '../../src/kinds/kind.ts';
import { identifierOf } from '../../src/pages/page.ts';

export const kindWords: Readonly<Record<KindName, { readonly one: string; readonly many: string }>> = {
  companies: { one: 'Company', many: 'Companies' },
  people: { one: 'Person', many: 'People' },
  investors: { one: 'Investor', many: 'Investors' },
  events: { one: 'Event', many: 'Events' },
};

/** All kinds, in the order in which the pages show them. */
export const kindList = Object.keys(kindWords) as readonly KindName[];

export function entityHref(kind: KindName, entity: Parameters<typeof identifierOf>[0]): string {
  return `/${kind}/${encodeURIComponent(identifierOf(entity))}`;
}
