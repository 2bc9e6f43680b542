import type { KindName } from '../../../../src/kinds/kind.ts';
import { seededRandom } from '../../../torture/random.ts';
import { Draw } from './draw.ts';
import type { Step } from './step.ts';
import { themes } from './themes.ts';

export interface Schedule {
  readonly kinds: readonly KindName[];
  readonly steps: readonly Step[];
  readonly embeddings?: boolean | undefined;
  readonly smallLoads?: boolean | undefined;
  readonly views?: boolean | undefined;
}

/** The schedule of a seed. Throws for an unknown theme. */
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
  return { kinds, steps, embeddings: theme.embeddings, smallLoads: theme.smallLoads, views: theme.views };
}
