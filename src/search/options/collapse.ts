import type { z } from 'zod';
import { eventRecord } from '../../kinds/events.ts';
import type { KindName } from '../../kinds/kind.ts';
import { seriesOf } from './series.ts';

/** The properties by which a page's results can be collapsed. */
export const collapseNames = ['series'] as const;
export type CollapseName = (typeof collapseNames)[number];

/** Kinds whose entities are held again and again under the same name. */
export const seriesKinds: readonly KindName[] = ['events'];

/** The shown parts of an event that another edition of its series represents. */
export const edition = eventRecord.pick({ id: true, name: true, slug: true, year: true, start_date: true });
export type Edition = z.infer<typeof edition>;

/** The document's fields that this needs, in addition to the shown ones. */
export const editionFields = Object.keys(edition.shape);

/** The needed fields of a document, which may have more. */
const editionOf = edition.strip();

/** A hit of a page: its item, and the document that it was made of. */
export interface Line<Item> {
  readonly kind: KindName;
  readonly item: Item;
  readonly source: Readonly<Record<string, unknown>>;
}

/** An item; an event also has the other events of its series. */
type Collapsed<Item> = Item | (Item & { readonly editions: readonly Edition[] });

/**
 * One item for each series of a page's events, where its first one stood, with the page's others as `editions`, the
 * newest first. An event by itself has none; items of other kinds stay as they are. Each line comes back either as an
 * item or as an edition.
 */
export function collapseSeries<Item extends object>(lines: readonly Line<Item>[]): Collapsed<Item>[] {
  const items: Collapsed<Item>[] = [];
  const behind = new Map<string, Edition[]>();
  for (const { kind, item, source } of lines) {
    if (!seriesKinds.includes(kind)) {
      items.push(item);
      continue;
    }
    const event = editionOf.parse(source);
    const series = seriesOf(event.name);
    const others = behind.get(series);
    if (others === undefined) {
      const editions: Edition[] = [];
      behind.set(series, editions);
      items.push({ ...item, editions });
    } else others.push(event);
  }
  for (const editions of behind.values()) editions.sort(byNewestFirst);
  return items;
}

/** Editions without a known year come last. */
function byNewestFirst(one: Edition, other: Edition): number {
  const [a, b] = [beginningOf(one), beginningOf(other)];
  return a === b ? other.id - one.id : a < b ? 1 : -1;
}

/** As a text that is in order of time. */
function beginningOf({ start_date, year }: Edition): string {
  return start_date ?? (year === null ? '' : String(year).padStart(4, '0'));
}
