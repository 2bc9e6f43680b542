import type { Clock } from '../../ports.ts';
import { TooManyWalks } from '../errors/errors.ts';

/** How many walks, and for how long one counts that is not gone on with. */
export interface OpenWalksSettings {
  /** Of one account at the same time. */
  readonly accountMax: number;
  /** At least as long as Elasticsearch keeps a point in time after it was used, counted from before the use. */
  readonly keptMs: number;
}

/** One walk's place among those of its account. */
export interface WalkPlace {
  /** The place is that of this point in time from now on. */
  become(pointInTime: string): void;
  /** The point in time is closed, or was never opened. */
  leave(): void;
}

/** The walks of each account whose point in time Elasticsearch may hold open. */
export interface OpenWalks {
  /** For one that is about to be opened. Throws `TooManyWalks` where the account has as many as it may. */
  begin(account: number): WalkPlace;
  /** For one that is gone on with, whoever opened it. Throws `TooManyWalks`, too, unless it has its place already. */
  goOn(account: number, pointInTime: string): WalkPlace;
}

interface Held {
  readonly account: number;
  readonly untilMs: number;
}

/**
 * Bounds what an account keeps open in Elasticsearch through this process. Every point in time that is open was used
 * last, or opened, by some process, and has a place there: over all of n processes an account has n times as many at
 * most. What nobody goes on with loses its place when Elasticsearch has let it go.
 */
export function createOpenWalks({ accountMax, keptMs }: OpenWalksSettings, clock: Pick<Clock, 'elapsed'>): OpenWalks {
  // In the order in which they end: each use puts its walk at the end, and all are kept equally long.
  const held = new Map<string, Held>();
  const counts = new Map<number, number>();
  let begun = 0;

  function leave(name: string): void {
    const place = held.get(name);
    if (place === undefined) return;
    held.delete(name);
    const left = (counts.get(place.account) ?? 0) - 1;
    if (left > 0) counts.set(place.account, left);
    else counts.delete(place.account);
  }

  function keep(name: string, account: number): void {
    leave(name);
    held.set(name, { account, untilMs: clock.elapsed() + keptMs });
    counts.set(account, (counts.get(account) ?? 0) + 1);
  }

  function forgetEnded(): void {
    for (const [name, { untilMs }] of held) {
      if (untilMs > clock.elapsed()) return;
      leave(name);
    }
  }

  function firstEndMs(account: number): number {
    for (const place of held.values()) if (place.account === account) return place.untilMs;
    return 0;
  }

  function take(firstName: string, account: number): WalkPlace {
    forgetEnded();
    if (!held.has(firstName) && (counts.get(account) ?? 0) >= accountMax) {
      throw new TooManyWalks(accountMax, firstEndMs(account) - clock.elapsed());
    }
    let name = firstName;
    keep(name, account);
    return {
      become(pointInTime) {
        leave(name);
        name = nameOf(account, pointInTime);
        keep(name, account);
      },
      leave: () => leave(name),
    };
  }

  return {
    begin(account) {
      begun += 1;
      return take(`${account} begins ${begun}`, account);
    },
    goOn: (account, pointInTime) => take(nameOf(account, pointInTime), account),
  };
}

function nameOf(account: number, pointInTime: string): string {
  return `${account} ${pointInTime}`;
}
