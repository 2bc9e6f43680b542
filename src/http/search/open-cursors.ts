import type { Config } from '../../config/api.ts';
import type { Clock, OpenCursors } from '../../ports.ts';
import { TooManyCursors } from '../errors/errors.ts';

/** Interval in which Elasticsearch closes expired points in time (its `search.keep_alive_interval`). */
const reapedEveryMs = 60_000;

/** Returns the settings from the configuration. */
export function openCursorsSettings({
  openCursorsMax,
  cursorKeepAliveMs,
  timeoutMs,
}: Config['search']): OpenCursorsSettings {
  return { accountMax: openCursorsMax, keptMs: cursorKeepAliveMs + timeoutMs + reapedEveryMs };
}

/** Limits of the points in time that an account keeps open. */
export interface OpenCursorsSettings {
  readonly accountMax: number;
  /** Time for which an unused point in time counts: at least as long as Elasticsearch keeps it after its last use. */
  readonly keptMs: number;
}

interface Held {
  readonly account: number;
  readonly untilMs: number;
}

/**
 * Limits the points in time that an account keeps open through this process. With n processes, an account can have n
 * times as many. An unused point in time loses its slot when Elasticsearch has closed it.
 */
export function createOpenCursors(
  { accountMax, keptMs }: OpenCursorsSettings,
  clock: Pick<Clock, 'elapsed'>,
): OpenCursors {
  // In the order in which they expire: each use moves one to the end, and all are kept equally long.
  const held = new Map<string, Held>();
  const counts = new Map<number, number>();
  let begun = 0;

  function release(name: string): void {
    const slot = held.get(name);
    if (slot === undefined) return;
    held.delete(name);
    const left = (counts.get(slot.account) ?? 0) - 1;
    if (left > 0) counts.set(slot.account, left);
    else counts.delete(slot.account);
  }

  function hold(name: string, account: number): void {
    release(name);
    held.set(name, { account, untilMs: clock.elapsed() + keptMs });
    counts.set(account, (counts.get(account) ?? 0) + 1);
  }

  function forgetEnded(): void {
    for (const [name, { untilMs }] of held) {
      if (untilMs > clock.elapsed()) return;
      release(name);
    }
  }

  function firstEndMs(account: number): number {
    for (const slot of held.values()) if (slot.account === account) return slot.untilMs;
    return 0;
  }

  return {
    acquire(account, pointInTime) {
      forgetEnded();
      begun += 1;
      let name = pointInTime === null ? `${account} begins ${begun}` : `${account} ${pointInTime}`;
      if (!held.has(name) && (counts.get(account) ?? 0) >= accountMax) {
        throw new TooManyCursors(accountMax, firstEndMs(account) - clock.elapsed());
      }
      hold(name, account);
      return {
        assign(opened) {
          release(name);
          name = `${account} ${opened}`;
          hold(name, account);
        },
        release: () => release(name),
      };
    },
  };
}
