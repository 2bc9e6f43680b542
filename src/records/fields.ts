import { shownFields } from '../kinds/fields.ts';
import type { KindName } from '../kinds/kind.ts';
import type { EntityRecord } from './ports.ts';

/** A record with the fields asked for alone, `id` first; the whole record where none were. */
export function pickFields(kind: KindName, record: EntityRecord, asked: readonly string[] | undefined): EntityRecord {
  if (asked === undefined) return record;
  return Object.fromEntries(shownFields(kind, asked).map((field) => [field, record[field]]));
}
