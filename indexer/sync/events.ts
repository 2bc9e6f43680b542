import type { EventEmitter } from 'node:events';
import type { KindName } from '../../src/kinds/kind.ts';
import type { ChangeLogSize } from '../change-log/log-size.ts';
import type { FollowedGeneration } from '../change-log/positions.ts';
import type { Round } from '../change-log/reader.ts';
import type { SyncConfig } from '../config.ts';
import type { BackgroundDeps } from '../embeddings/background.ts';
import type { LockHolder } from '../generations/locks.ts';
import type { WriteContext } from '../write/write-context.ts';
import type { AutoRepairReport } from './auto-repair.ts';

export interface SyncEvents {
  /** This process reads into the index from now on. */
  following: [followed: FollowedGeneration];
  /** Another process reads into the index; this one waits for its lock. */
  standby: [followed: FollowedGeneration, holder: LockHolder | undefined];
  /** This process stopped reading: the index was removed, or the process stops. */
  ended: [followed: FollowedGeneration];
  round: [followed: FollowedGeneration, round: Round];
  /** A problem that is retried after a pause. `followed`: the only generation affected. */
  failure: [text: string, pauseMs: number, followed?: FollowedGeneration];
  recovered: [followed?: FollowedGeneration];
  /** A halted generation was compared with the tables, repaired, and is followed again. */
  repaired: [followed: FollowedGeneration, report: AutoRepairReport];
  /** Entries of the change log were removed. */
  pruned: [entries: number];
  /** Indices of surplus generations were removed. */
  retired: [kind: KindName, indices: readonly string[]];
  /** Indices were removed whose build did not continue. */
  abandoned: [kind: KindName, indices: readonly string[]];
  /** The length of the change log, after each pruning. */
  measured: [size: ChangeLogSize];
  /** The change log was too long, and these kept it: they are compared with the tables before they are followed again. */
  stalled: [holding: readonly FollowedGeneration[]];
}

export interface SyncDeps extends WriteContext<SyncConfig> {
  readonly events: EventEmitter<SyncEvents>;
  readonly indexPrefix: string;
  /** Runs before locks are taken. Throws `ForeignOwnerError` if an alias belongs to another database. */
  readonly refuseForeignOwner?: () => Promise<void>;
  /** Makes vectors in the background; undefined if EMBEDDINGS is off. */
  readonly vectors?: BackgroundDeps | undefined;
  /** Name of the locks' connection, which shows others the holder. */
  readonly applicationName: string;
}
