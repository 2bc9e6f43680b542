import type { Finding } from '../run.ts';
import type { Schedule } from './schedule.ts';

export async function shrink(
  schedule: Schedule,
  finding: Finding,
  run: (schedule: Schedule) => Promise<Finding | undefined>,
  untilMs: number,
): Promise<{ readonly schedule: Schedule; readonly finding: Finding }> {
  let best = { schedule: { ...schedule, steps: schedule.steps.slice(0, finding.at + 1) }, finding };
  for (let at = best.schedule.steps.length - 1; at >= 0; ) {
    if (performance.now() >= untilMs) break;
    const shorter = { ...best.schedule, steps: best.schedule.steps.toSpliced(at, 1) };
    const again = await run(shorter);
    if (again?.kind === finding.kind) {
      best = { schedule: { ...shorter, steps: shorter.steps.slice(0, again.at + 1) }, finding: again };
      at = Math.min(at, best.schedule.steps.length) - 1;
    } else at -= 1;
  }
  return best;
}
