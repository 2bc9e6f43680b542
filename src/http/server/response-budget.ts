import type { Logger } from 'pino';

/** Memory of an unread answer without its body (request, response, context), in bytes. */
const overheadBytes = 16_384;
/** One address may use this fraction of the budget: a quarter. */
const addressShare = 4;
/** Interval of log lines about cut connections. */
const logEveryMs = 1_000;

interface Unread {
  readonly address: string;
  readonly bytes: number;
  readonly cut: () => void;
}

/** The memory of answers that have not left yet. */
export interface ResponseBudget {
  /**
   * Counts an answer until the returned function is called. Beyond the budget or the share of the address, the oldest
   * answers are cut, but never the new one.
   * @param bytes size of the body, 0 if answers share it
   * @param cut closes the connection
   */
  add(address: string, bytes: number, cut: () => void): () => void;
  /** Returns the counted bytes. */
  held(): number;
}

/** @param bytesMax limit for all answers of a process */
export function createResponseBudget(bytesMax: number, log: Logger): ResponseBudget {
  // Sets keep the order of insertion, so the oldest come first.
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

  /** Cuts the oldest of some answers. Returns false if only the newest is left. */
  function cutOldest(of: ReadonlySet<Unread>, newest: Unread): boolean {
    const [oldest] = of;
    if (oldest === undefined || oldest === newest) return false;
    remove(oldest);
    oldest.cut();
    logCut();
    return true;
  }

  function logCut(): void {
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
