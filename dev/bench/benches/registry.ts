import type { BenchGroup } from './bench.ts';
import { bulk } from './bulk.ts';
import { feeder } from './feeder.ts';
import { growth } from './growth.ts';
import { lag } from './lag.ts';
import { reindex } from './reindex.ts';
import { search } from './search.ts';
import { sync } from './sync.ts';
import { vectors } from './vectors.ts';
import { verify } from './verify.ts';
import { writers } from './writers.ts';

export const benchGroups: readonly BenchGroup[] = [
  bulk,
  writers,
  reindex,
  feeder,
  verify,
  search,
  vectors,
  lag,
  sync,
  growth,
];
