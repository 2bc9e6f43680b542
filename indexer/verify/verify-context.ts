import type pg from 'pg';
import type { Cluster } from '../../src/elasticsearch/admin.ts';
import type { Generation } from '../generations/generations.ts';
import type { VerifyLimits } from '../limits.ts';

export interface VerifyContext {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly config: VerifyLimits;
  readonly nowMs: () => number;
  readonly generation: Generation;
  /** Compares whole documents, not only the hashes that they carry. */
  readonly deep: boolean;
  /** True if a reader applies the change log meanwhile; otherwise the comparison waits for no changes. */
  readonly isFollowed: boolean;
  readonly signal: AbortSignal;
}
