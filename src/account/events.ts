import type { AccountEvent } from './answers.ts';

/** A reader's position in the account's own events and in those of its keys: the last id of each. */
export interface EventCursor {
  readonly account: number;
  readonly keys: number;
}

export interface EventPage {
  readonly events: readonly AccountEvent[];
  /** Null after the last. */
  readonly next: EventCursor | null;
}

/** A position before the newest event. */
export const newestEvents: EventCursor = { account: 999_999_999_999_999, keys: 999_999_999_999_999 };

const form = /^(\d{1,15})\.(\d{1,15})$/;

/** Writes a cursor as text, such as `12.7`. */
export function writeEventCursor({ account, keys }: EventCursor): string {
  return `${account}.${keys}`;
}

/** Reads a cursor; null for any other text. */
export function readEventCursor(text: string): EventCursor | null {
  const [, account, keys] = form.exec(text) ?? [];
  return account === undefined || keys === undefined ? null : { account: Number(account), keys: Number(keys) };
}

/** An event with its id among the account's events, or among those of its keys. */
export type NumberedEvent = AccountEvent & { readonly number: number };

/**
 * Merges the newest events of both lists, up to `limit`. Each list must hold one more than that, if there are enough.
 */
export function mergeEvents(
  account: readonly NumberedEvent[],
  keys: readonly NumberedEvent[],
  limit: number,
  before: EventCursor,
): EventPage {
  const events: AccountEvent[] = [];
  let [ofAccount, ofKeys] = [0, 0];
  let next = before;
  while (events.length < limit) {
    const [one, other] = [account[ofAccount], keys[ofKeys]];
    const takesOne = one !== undefined && (other === undefined || one.at >= other.at);
    const taken = takesOne ? one : other;
    if (taken === undefined) break;
    const { number, ...event } = taken;
    events.push(event);
    if (takesOne) ofAccount += 1;
    else ofKeys += 1;
    next = takesOne ? { ...next, account: number } : { ...next, keys: number };
  }
  const more = ofAccount < account.length || ofKeys < keys.length;
  return { events, next: more ? next : null };
}
