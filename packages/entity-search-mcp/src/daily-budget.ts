import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { assertWithin, microsOf, type Reserve } from '../../../clients/typescript/src/spending.ts';

// A limit per wallet and day, shared by all processes and kept over crashes: a file to which lines are only appended.
// A process appends its reservation before it reads the sum of all lines up to its own. Appends are ordered, so each
// process sees every earlier reservation, and no lock is needed. A process that dies after its line has spent the amount.

/** The amounts that are already bound can't be read or stored, so nothing may be signed. */
export class SpendingRecordError extends Error {
  override readonly name = 'SpendingRecordError';
}

interface DailyLimit {
  readonly folder: string;
  readonly network: string;
  /** The wallet's address. */
  readonly wallet: string;
  readonly perDayUsd: string;
}

/**
 * Returns the reservations of a wallet. They, and their release, throw `SpendingRecordError` if the file can't be read or
 * written.
 */
export function reserveDaily({ folder, network, wallet, perDayUsd }: DailyLimit): Reserve {
  const limit = microsOf('perDayUsd', perDayUsd);
  const name = `spent-${network.replaceAll(':', '-')}-${wallet.toLowerCase()}`;
  return (micros) => {
    const file = join(folder, `${name}-${new Date().toISOString().slice(0, 10)}.log`);
    const release = (): void => void recorded(() => appendAmount(file, -micros));
    const spent = recorded(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return spentUntil(file, appendAmount(file, micros));
    });
    try {
      assertWithin(micros, spent - micros, limit);
    } catch (error) {
      release();
      throw error;
    }
    return release;
  };
}

/** Appends an amount to the file, and returns its id. */
function appendAmount(file: string, micros: bigint): string {
  const id = randomUUID();
  const line = `${id} ${micros}\n`;
  const descriptor = openSync(file, 'a', 0o600);
  try {
    if (writeSync(descriptor, line) !== line.length) throw new Error('the disk took only a part of a line');
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return id;
}

/** Returns the sum of all lines up to one. Throws if any line is not of this form. */
function spentUntil(file: string, id: string): bigint {
  let sum = 0n;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, lineId, micros] = /^([0-9a-f-]{36}) (-?\d{1,15})$/.exec(line) ?? [];
    if (lineId === undefined || micros === undefined) throw new Error(`${file} has a line that isn't a reservation`);
    sum += BigInt(micros);
    if (lineId === id) return sum;
  }
  throw new Error(`${file} does not have the line that was appended`);
}

function recorded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new SpendingRecordError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Returns the folder in which a user's programs keep their state. */
export function stateFolder(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  home: string,
): string {
  const name = 'entity-search-mcp';
  const given = env.XDG_STATE_HOME ?? '';
  if (isAbsolute(given)) return join(given, name);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', name);
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), name);
  return join(home, '.local', 'state', name);
}
