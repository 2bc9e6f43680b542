import { appendFileSync, chownSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../lib/processes.ts';
import { openState, type State } from '../../lib/state.ts';
import { withClient } from './client.ts';
import { type Cluster, prepareCluster } from './cluster.ts';
import { type Relay, startRelay } from './relay.ts';
import { copyFolder, type PostgresServer, startServer } from './server.ts';

const followMs = 20_000;

export interface PairOptions {
  /** A folder for this process only, which is removed at the end. */
  readonly folder: string;
  /** A folder to copy if it exists. Otherwise `prepare` creates it, with the new server's address. */
  readonly template?: { readonly dir: string; readonly prepare: (url: (database: string) => string) => Promise<void> };
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * A primary server and an optional standby that streams from it, behind one address that always leads to the present
 * primary.
 */
export class PostgresPair implements AsyncDisposable {
  readonly #state: State;
  readonly #cluster: Cluster;
  readonly #relay: Relay;
  readonly #settings: Readonly<Record<string, string>>;
  #primary: PostgresServer;
  #standby: PostgresServer | undefined;
  #made = 0;

  private constructor(
    own: { readonly state: State; readonly cluster: Cluster; readonly relay: Relay },
    primary: PostgresServer,
    settings: Readonly<Record<string, string>>,
  ) {
    this.#state = own.state;
    this.#cluster = own.cluster;
    this.#relay = own.relay;
    this.#primary = primary;
    this.#settings = settings;
  }

  /** Starts a primary with its own files. Throws with the end of the server's log if it does not start. */
  static async start({ folder, template, settings = {} }: PairOptions): Promise<PostgresPair> {
    const state = openState(folder);
    const passwordFile = state.path('postgres-password');
    const made = template !== undefined && existsSync(join(template.dir, 'postgres', 'PG_VERSION'));
    if (made) {
      await copyFolder(join(template.dir, 'postgres'), state.path('postgres'));
      await copyFolder(join(template.dir, 'postgres-password'), passwordFile);
    }
    const cluster = await prepareCluster(state, { sync: false });
    let primary = await startServer(cluster, state.path('postgres'), settings);
    if (!made && template !== undefined) {
      await template.prepare(primary.url);
      await primary.stop();
      await keepTemplate(state, template.dir);
      primary = await startServer(cluster, state.path('postgres'), settings);
    }
    const holder: { pair?: PostgresPair } = {};
    const relay = await startRelay(() => holder.pair?.port ?? primary.port);
    const pair = new PostgresPair({ state, cluster, relay }, primary, settings);
    holder.pair = pair;
    return pair;
  }

  get port(): number {
    return this.#primary.port;
  }

  url(database: string): string {
    const url = new URL(this.#primary.url(database));
    url.port = String(this.#relay.port);
    return url.href;
  }

  get hasStandby(): boolean {
    return this.#standby !== undefined;
  }

  get hasStorageSnapshot(): boolean {
    return existsSync(this.#state.path('storage-copy'));
  }

  dropStorageSnapshot(): void {
    rmSync(this.#state.path('storage-copy'), { recursive: true, force: true });
  }

  /**
   * Creates a standby from a base backup of the primary, and waits until it streams. An earlier standby is removed.
   */
  async addStandby(): Promise<void> {
    await this.#dropStandby();
    this.#made += 1;
    const dir = this.#state.path(`standby-${this.#made}`);
    await this.#baseCopy(dir);
    writeForServer(dir, 'standby.signal', '');
    const { password } = this.#cluster;
    const conninfo = `host=127.0.0.1 port=${this.#primary.port} user=postgres password=${password} sslmode=disable`;
    appendFileSync(join(dir, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    this.#standby = await startServer(this.#cluster, dir, this.#settings);
    await this.#caughtUp(this.#standby);
  }

  /** From now on the standby receives nothing, so that it lags. */
  async detachStandby(): Promise<void> {
    const standby = this.#standby;
    if (standby === undefined) throw new Error('There is no standby.');
    await withClient(standby.url('postgres'), async (client) => {
      await client.query(`alter system set primary_conninfo = ''`);
      await client.query('select pg_reload_conf()');
      const alone = async (): Promise<boolean> =>
        (await client.query('select from pg_stat_wal_receiver')).rowCount === 0;
      if (!(await until(alone, { timeoutMs: followMs, everyMs: 10 }))) throw new Error('The standby still receives.');
    });
  }

  /**
   * Stops the primary and promotes the standby. With `crash`, the primary is killed, and everything that the standby
   * has not received is lost. Otherwise it is shut down after the standby has everything (if it still receives).
   */
  async promote(options: { readonly crash: boolean }): Promise<void> {
    const standby = this.#standby;
    if (standby === undefined) throw new Error('There is no standby.');
    const old = this.#primary;
    await (options.crash ? old.crash() : old.stop());
    await withClient(standby.url('postgres'), async (client) => {
      const { rows } = await client.query<{ done: boolean }>('select pg_promote(true, 20) as done');
      if (rows[0]?.done !== true) throw new Error('The standby was not promoted within 20 s.');
    });
    this.#primary = standby;
    this.#standby = undefined;
    rmSync(old.dataDir, { recursive: true, force: true });
  }

  /** Kills the primary and starts it again with the same files. A standby is removed. */
  async crashPrimary(): Promise<void> {
    await this.#dropStandby();
    await this.#primary.crash();
    this.#primary = await startServer(this.#cluster, this.#primary.dataDir, this.#settings);
  }

  /** Copies the present files, for `restoreStorage`. */
  async snapshotStorage(): Promise<void> {
    await this.#primary.snapshotTo(this.#state.path('storage-copy'));
  }

  /** Restores the files of `snapshotStorage`: the same cluster, on the same timeline, at an earlier time. */
  async restoreStorage(): Promise<void> {
    await this.#dropStandby();
    const { dataDir } = this.#primary;
    await this.#primary.crash();
    await copyFolder(this.#state.path('storage-copy'), dataDir);
    this.#primary = await startServer(this.#cluster, dataDir, this.#settings);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
    await this.#dropStandby();
    await this.#primary.crash();
    this.#state.release();
    rmSync(this.#state.dir, { recursive: true, force: true });
  }

  async #baseCopy(dir: string): Promise<void> {
    await withClient(this.#primary.url('postgres'), async (client) => {
      await client.query(`select pg_backup_start('standby', fast => true)`);
      await copyFolder(this.#primary.dataDir, dir, { live: true });
      const { rows } = await client.query<{ labelfile: string }>(
        'select labelfile from pg_backup_stop(wait_for_archive => false)',
      );
      rmSync(join(dir, 'postmaster.pid'), { force: true });
      writeForServer(dir, 'backup_label', rows[0]?.labelfile ?? '');
    });
  }

  async #caughtUp(standby: PostgresServer): Promise<void> {
    const lsn = await withClient(this.#primary.url('postgres'), async (client) => {
      const { rows } = await client.query<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn');
      return rows[0]?.lsn ?? '0/0';
    });
    await withClient(standby.url('postgres'), async (client) => {
      const has = async (): Promise<boolean> => {
        const { rows } = await client.query<{ has: boolean }>(
          `select coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false)
                  and exists (select from pg_stat_wal_receiver where status = 'streaming') as has`,
          [lsn],
        );
        return rows[0]?.has === true;
      };
      if (!(await until(has, { timeoutMs: followMs, everyMs: 10 }))) throw new Error('The standby does not stream.');
    });
  }

  async #dropStandby(): Promise<void> {
    const standby = this.#standby;
    if (standby === undefined) return;
    this.#standby = undefined;
    await standby.crash();
    rmSync(standby.dataDir, { recursive: true, force: true });
  }
}

/** Gives a file the owner of the files next to it, because root's servers run as another user. */
function writeForServer(dir: string, name: string, text: string): void {
  const file = join(dir, name);
  writeFileSync(file, text, { mode: 0o600 });
  const { uid, gid } = statSync(dir);
  chownSync(file, uid, gid);
}

/** Several processes may create the same template. The first complete one is kept. */
async function keepTemplate(state: State, dir: string): Promise<void> {
  const draft = `${dir}.${process.pid}`;
  await copyFolder(state.dir, draft);
  rmSync(join(draft, 'lock.json'), { force: true });
  try {
    renameSync(draft, dir);
  } catch (error) {
    if (!existsSync(join(dir, 'postgres', 'PG_VERSION'))) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
}
