import { connected } from '../world/template.ts';
import type { World } from '../world/world.ts';

/** Copies the database, as a dump that is restored elsewhere does. Nothing may be prepared. */
export async function dump(world: World): Promise<void> {
  await administer(world, async (run, { database }) => {
    await run(`drop database if exists ${database}_dump with (force)`);
    await endSessions(world);
    await run(`create database ${database}_dump template ${database} strategy file_copy`);
  });
}

export async function restoreDump(world: World): Promise<void> {
  const known = await world.query('select from pg_database where datname = $1', [`${world.database}_dump`]);
  if (known.length === 0) return;
  await administer(world, async (run, { database }) => {
    await run(`drop database ${database} with (force)`);
    await run(`alter database ${database}_dump rename to ${database}`);
  });
}

/** Ends every session of the database, and waits until they are gone. */
export async function endSessions(world: World): Promise<void> {
  const { database } = world;
  await administer(world, (run) =>
    run(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${database}'`),
  );
}

async function administer(
  world: World,
  work: (run: (text: string) => Promise<unknown>, world: World) => Promise<unknown>,
): Promise<void> {
  await connected(world.pair.url('postgres'), (client) => work((text) => client.query(text), world));
}
