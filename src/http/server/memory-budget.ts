import type { Logger } from 'pino';

/** Memory of a request without its bodies (request, response, context), in bytes. */
const overheadBytes = 16_384;
/** One owner may use this fraction of the budget: a quarter. */
const ownerShare = 4;
/** Interval of log lines about cut connections. */
const logEveryMs = 1_000;

interface Entry {
  readonly owner: string;
  readonly bytes: number;
  readonly cut: () => void;
}

/** The memory of bodies that wait for their clients: of requests that arrive slowly, or of answers that are not read. */
export interface MemoryBudget {
  /**
   * Counts a body until the returned function is called. Beyond the budget or the share of its owner, the oldest bodies
   * are cut, but never the new one.
   * @param owner an address or an account
   * @param bytes size of the body, 0 if several share it
   * @param cut closes the connection
   */
  add(owner: string, bytes: number, cut: () => void): () => void;
  /** Returns the counted bytes. */
  held(): number;
}

/**
 * @param bytesMax limit for all bodies
 * @param message the log's line on cut connections
 */
export function createMemoryBudget(bytesMax: number, message: string, log: Logger): MemoryBudget {
  // Sets keep the order of insertion, so the oldest come first.
  const entries = new Set<Entry>();
  const byOwner = new Map<string, { bytes: number; readonly entries: Set<Entry> }>();
  const ownerMax = bytesMax / ownerShare;
  let held = 0;
  let cutCount = 0;

  function remove(entry: Entry): void {
    if (!entries.delete(entry)) return;
    held -= entry.bytes;
    const same = byOwner.get(entry.owner);
    if (same === undefined) return;
    same.entries.delete(entry);
    same.bytes -= entry.bytes;
    if (same.entries.size === 0) byOwner.delete(entry.owner);
  }

  /** Cuts the oldest of some bodies. Returns false if only the newest is left. */
  function cutOldest(of: ReadonlySet<Entry>, newest: Entry): boolean {
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
      log.warn({ connections: cutCount }, message);
      cutCount = 0;
    }, logEveryMs).unref();
  }

  return {
    add(owner, bytes, cut) {
      const entry: Entry = { owner, bytes: bytes + overheadBytes, cut };
      const same = byOwner.get(owner) ?? { bytes: 0, entries: new Set<Entry>() };
      byOwner.set(owner, same);
      entries.add(entry);
      same.entries.add(entry);
      same.bytes += entry.bytes;
      held += entry.bytes;
      while (same.bytes > ownerMax && cutOldest(same.entries, entry));
      while (held > bytesMax && cutOldest(entries, entry));
      return () => remove(entry);
    },
    held: () => held,
  };
}
