import type { KindName } from '../../../src/kinds/kind.ts';
import { type Random, seededRandom } from '../../torture/random.ts';
import type { Interruption, Step } from './step.ts';
import { themes } from './themes.ts';

/** Steps in a world with indices of these kinds. */
export interface Schedule {
  readonly kinds: readonly KindName[];
  readonly steps: readonly Step[];
}

/** What the schedules of one theme are drawn from. */
export interface Theme {
  readonly kinds: readonly (readonly [KindName, ...KindName[]])[];
  /** What each schedule begins with. */
  readonly begin?: (draw: Draw) => readonly Step[];
  /** The steps to choose among, each with its weight. */
  readonly choices: readonly (readonly [weight: number, make: (draw: Draw) => readonly Step[]])[];
  readonly atLeast: number;
  readonly atMost: number;
}

/** Chooses, the same for the same seed. */
export class Draw {
  readonly random: Random;
  readonly kinds: readonly [KindName, ...KindName[]];

  constructor(random: Random, kinds: readonly [KindName, ...KindName[]]) {
    this.random = random;
    this.kinds = kinds;
  }

  kind(): KindName {
    return this.random.pick(this.kinds);
  }

  /** Rows that are there at the beginning, and a few that are not. */
  id(): number {
    return 1 + this.random.whole(8);
  }

  one<Item>(...items: readonly [Item, ...Item[]]): Item {
    return this.random.pick(items);
  }

  /** What writers do most. */
  write(tx?: number): Step {
    const kind = this.kind();
    const id = this.id();
    const where = tx === undefined ? {} : { tx };
    const role = { person: this.id(), company: this.id() };
    return this.one<Step>(
      { do: 'update', kind, id, ...where },
      { do: 'update', kind, id, ...where },
      { do: 'insert', kind, id: 10 + this.random.whole(3), ...where },
      { do: 'rename', kind, id, ...where },
      { do: 'delete', kind, id, ...where },
      { do: 'relate', ...role, ...where },
      { do: 'unrelate', ...role, ...where },
    );
  }

  writes(atMost: number): readonly Step[] {
    return Array.from({ length: 1 + this.random.whole(atMost) }, () => this.write());
  }

  /** A kill at one of the first requests of these sorts. */
  kill(...sorts: readonly [Interruption['request'], ...Interruption['request'][]]): Interruption {
    return {
      request: this.one(...sorts),
      nth: 1 + this.random.whole(3),
      when: this.one('before', 'after'),
      act: 'crash',
    };
  }
}

/** The schedule of a seed. Throws for a theme that there is not. */
export function scheduleOf(themeName: string, seed: number): Schedule {
  const theme = themes[themeName];
  if (theme === undefined) throw new Error(`There is no theme ${themeName}: ${Object.keys(themes).join(', ')}.`);
  const random = seededRandom(seed * 7_919 + themeName.length);
  const [firstKinds = ['companies'] as const] = theme.kinds;
  const kinds = random.pick([firstKinds, ...theme.kinds.slice(1)]);
  const draw = new Draw(random, kinds);
  const steps = [...(theme.begin?.(draw) ?? [])];
  const length = theme.atLeast + random.whole(theme.atMost - theme.atLeast + 1);
  const makes = theme.choices.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));
  const [first] = makes;
  if (first === undefined) throw new Error(`The theme ${themeName} has no choices.`);
  for (let made = 0; made < length; made += 1) steps.push(...random.pick([first, ...makes.slice(1)])(draw));
  return { kinds, steps };
}
