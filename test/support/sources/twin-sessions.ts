import pg from 'pg';
import type { Draw } from './draw.ts';
import type { RandomSchema } from './random-schema.ts';
import { drawRareStatement, drawStatement } from './random-statements.ts';

// Sessions that write to the schema `crm`, which has triggers, and send the same statements to a twin without triggers.
// One statement runs at a time, so a seed repeats a schedule. A statement that waits for another session's lock fails
// soon.

interface Session {
  readonly crm: pg.Client;
  readonly twin: pg.Client;
  isOpen: boolean;
}

export interface TwinSessions extends AsyncDisposable {
  /** Sends some statements, in transactions that interleave. Returns true if no trigger noted some of them. */
  write(schema: RandomSchema, draw: Draw, count: number): Promise<boolean>;
  /** Ends open transactions. */
  settle(): Promise<void>;
  /** The statements so far, with their outcome. */
  readonly log: readonly string[];
}

/** A connection to the twin. */
export const onTwin = (sql: string): string => sql.replaceAll('crm.', 'twin.').replace('schema crm', 'schema twin');

/** Settings that change how values look as texts. */
const settings = [
  ['set datestyle = "SQL, DMY"', `set timezone = 'Asia/Kolkata'`],
  ['set extra_float_digits = 0', `set bytea_output = 'escape'`, 'set quote_all_identifiers = on'],
] as const;

export async function openTwinSessions(url: string): Promise<TwinSessions> {
  await using opened = new AsyncDisposableStack();
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, options: '-c lock_timeout=100ms' });
    await client.connect();
    opened.defer(() => client.end());
    return client;
  };
  const openSession = async (commands: readonly string[]): Promise<Session> => {
    const session = { crm: await connect(), twin: await connect(), isOpen: false };
    for (const sql of commands) for (const client of [session.crm, session.twin]) await client.query(sql);
    return session;
  };
  const sessions = [await openSession([]), await openSession(settings[0]), await openSession(settings[1])] as const;
  const log: string[] = [];
  const send = async ({ crm, twin }: Session, sql: string): Promise<string> => {
    const outcomes = [await outcomeOf(crm, sql), await outcomeOf(twin, onTwin(sql))];
    log.push(`${sql} → ${outcomes[0]}`);
    expect({ sql, code: outcomes[0] }).toEqual({ sql, code: outcomes[1] });
    return outcomes[0] ?? '';
  };
  const settle = async (): Promise<void> => {
    for (const session of sessions) {
      if (session.isOpen) await send(session, 'commit');
      session.isOpen = false;
    }
  };
  const move = opened.move();
  /** Sometimes begins or ends a transaction around a statement. */
  const step = async (session: Session, sql: string, draw: Draw): Promise<void> => {
    if (!session.isOpen && draw.once(2)) {
      await send(session, `begin isolation level ${draw.one(['read committed', 'repeatable read', 'serializable'])}`);
      session.isOpen = true;
    }
    if (session.isOpen) await send(session, 'savepoint s');
    await send(session, sql);
    if (!session.isOpen) return;
    if (draw.once(8)) await send(session, 'rollback to savepoint s');
    if (draw.once(3)) {
      await send(session, draw.one(['commit', 'commit', 'rollback']));
      session.isOpen = false;
    }
  };
  return {
    log,
    settle,
    async write(schema, draw, count) {
      let isUnnoted = false;
      for (let nth = 0; nth < count; nth += 1) {
        const session = draw.one(sessions);
        const written = draw.once(15) ? drawRareStatement(schema, draw) : drawStatement(schema, draw);
        if (written.isAlone) {
          await settle();
          await send(session, written.sql);
        } else await step(session, written.sql, draw);
        isUnnoted ||= written.isUnnoted === true;
      }
      return isUnnoted;
    },
    [Symbol.asyncDispose]: () => move.disposeAsync(),
  };
}

/** Returns the SQLSTATE of a failure, or the number of written rows. */
async function outcomeOf(client: pg.Client, sql: string): Promise<string> {
  try {
    const results: unknown = await client.query(sql);
    const last: unknown = Array.isArray(results) ? results.at(-1) : results;
    return typeof last === 'object' && last !== null && 'rowCount' in last ? `ok ${last.rowCount}` : 'ok';
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return error.code ?? error.message;
  }
}
