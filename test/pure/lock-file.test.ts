import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      optionalDependencies: z.record(z.string(), z.string()).default({}),
      resolved: z.string().optional(),
    }),
  ),
});
const { packages } = lockFile.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8')),
);

// npm leaves a package out of the lock when the registry did not have it, and then refuses `npm ci` everywhere.
test('the lock file has an entry for every optional package, also for those of other platforms', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`node_modules/${name}`] === undefined && packages[`${path}/node_modules/${name}`] === undefined,
    ),
  );
  expect(missing).toEqual([]);
});

test('the lock file names no place from which packages were taken, so that any registry serves', () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});
