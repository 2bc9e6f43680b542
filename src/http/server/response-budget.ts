import type { Logger } from 'pino';

/** What an answer that waits for its reader holds beside its body: request, response, context. In bytes. */
const overheadBytes = 16_384;
/** How much of the budget one client address may hold. */
const addressShare = 4;
/** Cuts are logged together, once in so many milliseconds. */
const logEveryMs = 1_000;

interface Unread {
  readonly address: string;
  readonly bytes: number;
  readonly cut: () => void;
}

/** Memory that is held by answers which are made and have not left yet. */
export interface ResponseBudget {
  /**
   * Counts an answer until the returned function is called. Past the process's budget, or the address's share of it,
   * the answers that have waited longest are cut, never the one that is added.
   * @param bytes of the body, 0 where it is shared by all who ask
   * @param cut closes the connection
   */
  add(address: string, bytes: number, cut: () => void): () => void;
  /** What is held now, in bytes. */
  held(): number;
}

/** @param bytesMax of all answers of a process together */
export function createResponseBudget(bytesMax: number, log: Logger): ResponseBudget {
  // Sets go through their members in the order in which they came: the longest waiting first.
  const unread = new Set<Unread>();
  const byAddress = new Map<string, { bytes: number; readonly unread: Set<Unread> }>();
  const addressMax = bytesMax / addressShare;
  let held = 0;
  let cutCount = 0;

  function remove(entry: Unread): void {
    if (!unread.delete(entry)) return;
    held -= entry.bytes;
    const same = byAddress.get(entry.address);
    if (same === undefined) return;
    same.unread.delete(entry);
    same.bytes -= entry.bytes;
    if (same.unread.size === 0) byAddress.delete(entry.address);
  }

  /** Cuts the longest waiting of some answers; false where there is none but the newest. */
  function cutOldest(of: ReadonlySet<Unread>, newest: Unread): boolean {
    const [oldest] = of;
    if (oldest === undefined || oldest === newest) return false;
    remove(oldest);
    oldest.cut();
    tell();
    return true;
  }

  function tell(): void {
    cutCount += 1;
    if (cutCount > 1) return;
    setTimeout(() => {
      log.warn({ connections: cutCount }, 'connections cut: too many bytes of answers were not read');
      cutCount = 0;
    }, logEveryMs).unref();
  }

  return {
    add(address, bytes, cut) {
      const entry: Unread = { address, bytes: bytes + overheadBytes, cut };
      const same = byAddress.get(address) ?? { bytes: 0, unread: new Set<Unread>() };
      byAddress.set(address, same);
      unread.add(entry);
      same.unread.add(entry);
      same.bytes += entry.bytes;
      held += entry.bytes;
      while (same.bytes > addressMax && cutOldest(same.unread, entry));
      while (held > bytesMax && cutOldest(unread, entry));
      return () => remove(entry);
    },
    held: () => held,
  };
}
