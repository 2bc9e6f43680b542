import type { KindName } from '../../../../src/kinds/kind.ts';
import type { Random } from '../../../torture/random.ts';
import type { Interruption, Step } from './step.ts';

export interface Theme {
  readonly kinds: readonly (readonly [KindName, ...KindName[]])[];
  readonly begin?: (draw: Draw) => readonly Step[];
  /** The steps to choose among, each with its weight. */
  readonly choices: readonly (readonly [weight: number, make: (draw: Draw) => readonly Step[]])[];
  readonly atLeast: number;
  readonly atMost: number;
  /** There is a provider of embeddings, and indices hold vectors. */
  readonly embeddings?: true;
  /** Loads send one document at a time. */
  readonly smallLoads?: true;
  /** Views show tables of a team's own. */
  readonly views?: true;
}

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

  /** Rows that exist at the beginning, and a few that don't. */
  id(): number {
    return 1 + this.random.whole(8);
  }

  one<Item>(...items: readonly [Item, ...Item[]]): Item {
    return this.random.pick(items);
  }

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
