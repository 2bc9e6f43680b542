import type { Trace } from './schedule.ts';
import type { Failure } from './types.ts';

/** One line per step, `>` before deviations, the clock where it has moved; then the failure and the world's state. */
export function storyOf({ steps, world }: Trace, failure: Failure | null): string {
  let clock = 0;
  const lines = steps.map(({ label, deviation, time }, at) => {
    const moved = time === clock ? '' : `  [${time} ms]`;
    clock = time;
    return `${String(at + 1).padStart(4)} ${deviation ? '>' : ' '} ${label}${moved}`;
  });
  lines.push(failure === null ? '     = no failure' : `     = ${failure.kind}: ${failure.message}`);
  if (world !== '') lines.push(...world.split('\n').map((line) => `       ${line}`));
  return lines.join('\n');
}
