import type { KindName } from '../../src/kinds/kind.ts';
import type { ChangeLogSize } from '../change-log/log-size.ts';
import type { FollowedGeneration } from '../change-log/positions.ts';
import type { Round } from '../change-log/reader.ts';
import type { SyncConfig } from '../config.ts';
import type { BackgroundDeps } from '../embeddings/background.ts';
import type { LockHolder } from '../generations/locks.ts';
import type { WriteContext } from '../write/write-context.ts';
import type { AutoRepairReport } from './auto-repair.ts';

/** Observes the work of sync. */
export interface SyncObserver {
  /** This process reads into the index from now on. */
  onFollowing(followed: FollowedGeneration): void;
  /** Another process reads into the index; this one waits for its lock. */
  onStandby(followed: FollowedGeneration, holder: LockHolder | undefined): void;
  /** This process stopped reading: the index was removed, or the process stops. */
  onEnded(followed: FollowedGeneration): void;
  onRound(followed: FollowedGeneration, round: Round): void;
  /** Reports a problem that is retried after a pause. `followed`: the only generation affected. */
  onFailure(text: string, pauseMs: number, followed?: FollowedGeneration): void;
  onRecovered(followed?: FollowedGeneration): void;
  /** A halted generation was compared with the tables, repaired, and is followed again. */
  onAutoRepaired(followed: FollowedGeneration, report: AutoRepairReport): void;
  onPruned(entries: number): void;
  /** Indices of surplus generations were removed. */
  onRetired(kind: KindName, indices: readonly string[]): void;
  /** Reports removed indices whose build did not continue. */
  onAbandoned(kind: KindName, indices: readonly string[]): void;
  /** Reports the length of the change log, after each pruning. */
  onChangeLogMeasured(size: ChangeLogSize): void;
  /** The change log was too long, and these kept it: they are compared with the tables before they are followed again. */
  onStalledHalted(holding: readonly FollowedGeneration[]): void;
}

export interface SyncDeps extends WriteContext<SyncConfig> {
  readonly observer: SyncObserver;
  readonly indexPrefix: string;
  /** Runs before locks are taken. Throws `ForeignOwnerError` if an alias belongs to another database. */
  readonly refuseForeignOwner?: () => Promise<void>;
  /** Makes vectors in the background; undefined if EMBEDDINGS is off. */
  readonly vectors?: BackgroundDeps | undefined;
  /** Name of the locks' connection, which shows others the holder. */
  readonly applicationName: string;
}
