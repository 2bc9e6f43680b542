import type { Config } from '../../config/api.ts';
import type { Clock, OpenCursors } from '../../ports.ts';
import { TooManyCursors } from '../errors/errors.ts';

/** Interval in which Elasticsearch closes expired points in time (its `search.keep_alive_interval`). */
const reapedEveryMs = 60_000;

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
  let begun = 0;

  function hold(name: string, account: number): void {
    held.delete(name);
    held.set(name, { account, untilMs: clock.elapsed() + keptMs });
  }

  function forgetEnded(): void {
    for (const [name, { untilMs }] of held) {
      if (untilMs > clock.elapsed()) return;
      held.delete(name);
    }
  }

  return {
    acquire(account, pointInTime) {
      forgetEnded();
      begun += 1;
      let name = pointInTime === null ? `${account} begins ${begun}` : `${account} ${pointInTime}`;
      const own = [...held.values()].filter((slot) => slot.account === account);
      if (!held.has(name) && own.length >= accountMax) {
        throw new TooManyCursors(accountMax, (own[0]?.untilMs ?? 0) - clock.elapsed());
      }
      hold(name, account);
      return {
        assign(opened) {
          held.delete(name);
          name = `${account} ${opened}`;
          hold(name, account);
        },
        release: () => void held.delete(name),
      };
    },
  };
}
