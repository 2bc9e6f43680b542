import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode, identityOf, isAlive, type ProcessIdentity } from './processes.ts';

const identitySchema = z.object({ pid: z.number().int().positive(), started: z.string() });
const portsSchema = z.object({
  postgres: z.number().int().optional(),
  elasticsearch: z.number().int().optional(),
  transport: z.number().int().optional(),
});

/** The last ports of a state directory's engines, so that their addresses stay the same. */
type RememberedPorts = z.infer<typeof portsSchema>;

/** A state directory that only this process may use until `release`. */
export interface State {
  /** A real path without symbolic links, as the operating system shows it for a process's working directory. */
  readonly dir: string;
  path(name: string): string;
  ports(): RememberedPorts;
  rememberPorts(ports: RememberedPorts): void;
  release(): void;
}

export class StateInUseError extends Error {
  override readonly name = 'StateInUseError';
}

/**
 * Creates the state directory if it is missing, and takes its lock, even from a dead process. Throws `StateInUseError`
 * with the holder's name if a live process has the lock.
 */
export function openState(directory: string): State {
  mkdirSync(directory, { recursive: true });
  const dir = realpathSync(directory);
  // The database's own user must reach its data through this folder. The secrets inside have their own modes.
  chmodSync(dir, 0o755);
  mkdirSync(join(dir, 'log'), { recursive: true });
  const path = (name: string): string => join(dir, name);
  const release = takeLock(path('lock.json'), `The state folder ${directory}`);
  return {
    dir,
    path,
    release,
    ports: () => readPorts(path('ports.json')),
    rememberPorts: (ports) =>
      writeWhole(path('ports.json'), JSON.stringify({ ...readPorts(path('ports.json')), ...ports })),
  };
}

/**
 * Takes a lock file, which contains our identity. Returns a function that releases it. `what` is the subject of the
 * message if another process has the lock.
 */
export function takeLock(file: string, what: string): () => void {
  const self = identityOf(process.pid);
  if (self === undefined) throw new Error('This process cannot find itself in the process table (is /proc mounted?).');
  const token = { ...self, token: randomUUID() };
  const mine = JSON.stringify(token);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (createExclusive(file, mine)) {
      return () => {
        if (readOptional(file) === mine) rmSync(file, { force: true });
      };
    }
    const text = readOptional(file);
    if (text === undefined) continue;
    const holder = parseIdentity(text);
    if (holder !== undefined && isAlive(holder)) {
      throw new StateInUseError(
        `${what} is in use by process ${holder.pid}: stop that process or choose another folder with STATE.`,
      );
    }
    putAside(file, text);
  }
  throw new StateInUseError(`${what} is wanted by several processes at once: start them one after another.`);
}

/**
 * Moves a dead process's lock away. Two processes may do this at the same time, so the moved file is compared, and a
 * live lock is moved back.
 */
function putAside(file: string, expected: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    if (readFileSync(aside, 'utf8') !== expected) linkSync(aside, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Creates a file with its whole text atomically. Returns false if it exists. */
function createExclusive(file: string, text: string): boolean {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Replaces a file atomically: readers and crashes see either the old or the new text. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

export function readOptional(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function readPorts(file: string): RememberedPorts {
  const parsed = portsSchema.safeParse(parseJson(readOptional(file)));
  // Damaged notes only cost a new port.
  return parsed.success ? parsed.data : {};
}

function parseIdentity(text: string): ProcessIdentity | undefined {
  const parsed = identitySchema.safeParse(parseJson(text));
  return parsed.success ? parsed.data : undefined;
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A file that a power failure truncated counts as missing.
    return undefined;
  }
}
