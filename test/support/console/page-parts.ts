import type { KindName } from '../../../src/kinds/kind.ts';
import type { EntityStore } from '../../../src/records/ports.ts';
import { noEntities } from '../api/fake-access.ts';

/** The headers of a browser that navigates to an address. */
export const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const blank = {
  slug: null,
  logo: null,
  overview: null,
  website: null,
  tags: [],
  aliases: [],
  links: {},
  location_json: null,
  updated_at: '2026-01-31T12:00:00.000Z',
};

/** A record of each requested kind, and its related entities. */
export function entities(
  records: Partial<Record<KindName, object>>,
  related: readonly { kind: KindName; id: number; name: string; slug: string; date?: string }[] = [],
): EntityStore {
  return {
    ...noEntities,
    record: async (kind, { slug }) => {
      const record = records[kind];
      if (record === undefined || slug === 'nobody') return { ok: true, value: null };
      return { ok: true, value: { id: 7, slug: 'seven', json: JSON.stringify({ id: 7, ...blank, ...record }) } };
    },
    related: async () => ({ ok: true, value: related.map((each) => ({ date: null, ...each })) }),
  };
}

export function contents(text: string, element: string): readonly string[] {
  return [...text.matchAll(new RegExp(`<${element}[^>]*>(.*?)</${element.split(' ')[0]}>`, 'gs'))].map(
    ([, inside = '']) => inside,
  );
}
