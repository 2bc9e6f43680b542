import { readFile } from 'node:fs/promises';
import { parseLines } from '../compare.ts';
import { capacityOf } from './capacity.ts';
import type { PlanOptions } from './options.ts';
import { pageOf } from './report.ts';

/** What `plan-capacity` prints. Throws `NotFiguresError`, `MissingFiguresError` or `NoPlanError`. */
export async function planCapacity({ asked, file, json }: PlanOptions): Promise<string> {
  const capacity = capacityOf(asked, parseLines(await readFile(file, 'utf8')));
  return json ? `${JSON.stringify(capacity)}\n` : pageOf(capacity);
}
