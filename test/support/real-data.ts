import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder that DATA names; empty if it is not set. */
export const realData = process.env.DATA ?? '';

/** Jest's `test` if `file` is in the folder of real data; otherwise `test.skip` and a message with `what`. */
export function testOnRealData(what: string, file = 'companies.ndjson'): typeof test | typeof test.skip {
  if (realData !== '' && existsSync(join(realData, file))) return test;
  process.stderr.write(`SKIPPED: ${what}. Set DATA to a folder of real data that has ${file}.\n`);
  return test.skip;
}
