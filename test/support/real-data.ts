import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder that DATA names; empty where it names none. */
export const realData = process.env.DATA ?? '';

/** Jest's `test` where `file` lies in the folder of real data; else `test.skip`, and a loud line that names `what`. */
export function testOnRealData(what: string, file = 'companies.ndjson'): typeof test | typeof test.skip {
  if (realData !== '' && existsSync(join(realData, file))) return test;
  process.stderr.write(`SKIPPED: ${what}. Set DATA to a folder of real data that has ${file}.\n`);
  return test.skip;
}
