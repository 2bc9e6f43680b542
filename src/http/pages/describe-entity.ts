import type { KindName } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import type { EntityPage } from '../../pages/page.ts';
import type { PageHead } from './document.ts';

/** Characters that search engines show. */
const descriptionMax = 160;

const nameOfKind = (kind: KindName): string => kinds[kind].singular.toLowerCase();

/** Returns the head of an entity's page, for search engines and link previews. */
export function describeEntity({ kind, record }: EntityPage, canonical: string | null): PageHead {
  const name = text(record.name) ?? nameOfKind(kind);
  const summary = text(record.tagline) ?? text(record.headline) ?? text(record.overview);
  return {
    title: `${name}, ${nameOfKind(kind)}`,
    description: shortened(summary ?? `${name}, ${nameOfKind(kind)} in Web3: facts and connections.`),
    canonical,
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** Returns the beginning of a text, up to the end of a word. */
function shortened(whole: string): string {
  const flat = whole.replace(/\s+/g, ' ').trim();
  const letters = Array.from(flat);
  if (letters.length <= descriptionMax) return flat;
  const start = letters.slice(0, descriptionMax - 1).join('');
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), descriptionMax / 2))}…`;
}
