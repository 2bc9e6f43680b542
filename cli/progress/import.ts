import { SingleBar } from 'cli-progress';
import type { ImportFile } from '../../indexer/import/files.ts';
import type { FileCounts, ImportObserver } from '../../indexer/import/import-file.ts';
import type { CommandContext } from '../context.ts';

const linePeriodMs = 1_000;

/**
 * Shows an import on stderr: a bar a file on a terminal, JSON lines elsewhere (one a second and one at each file's
 * end); bad lines as `file:line: path: message`, up to `badLinesShown`, and how many more there were at the end.
 */
export function observeImport(
  context: Pick<CommandContext, 'terminal' | 'log'>,
  badLinesShown: number,
  now: () => number,
): ImportObserver & { end(): void } {
  const show = context.terminal.stderr.isTTY
    ? new BarProgress(context.terminal.stderr, now)
    : lineProgress(context, now);
  let bad = 0;
  return {
    note: (text) => context.terminal.say(text),
    fileStarted: show.started,
    progress: show.progress,
    fileEnded: show.ended,
    badLine(file, line, path, message) {
      bad += 1;
      if (bad > badLinesShown) return;
      show.interrupted(() =>
        context.terminal.warn(`${file.name}:${line}: ${path === '' ? '' : `${path}: `}${message}`),
      );
    },
    end() {
      if (bad > badLinesShown) context.terminal.warn(`… and ${bad - badLinesShown} more problems that are not shown.`);
    },
  };
}

interface Progress {
  readonly started: ImportObserver['fileStarted'];
  readonly progress: ImportObserver['progress'];
  readonly ended: ImportObserver['fileEnded'];
  /** Writes between two states of the display. */
  interrupted(write: () => void): void;
}

class BarProgress implements Progress {
  readonly #stream: NodeJS.WritableStream;
  readonly #now: () => number;
  #bar: SingleBar | undefined;
  #startedAt = 0;

  constructor(stream: NodeJS.WritableStream, now: () => number) {
    this.#stream = stream;
    this.#now = now;
  }

  readonly started = (file: ImportFile, phase: 'check' | 'import'): void => {
    this.#startedAt = this.#now();
    this.#bar = new SingleBar({
      stream: this.#stream,
      format: `${phase === 'check' ? 'checking' : 'importing'} ${file.kind.padEnd(9)} {bar} {percentage}%  {rows} rows  {speed} rows/s  {eta_formatted} left`,
      barsize: 24,
      fps: 8,
      hideCursor: true,
      clearOnComplete: false,
    });
    this.#bar.start(Math.max(file.bytes, 1), 0, { rows: 0, speed: 0 });
  };

  readonly progress = (counts: Readonly<FileCounts>, bytesRead: number): void => {
    this.#bar?.update(bytesRead, { rows: counts.read, speed: perSecond(counts.read, this.#now() - this.#startedAt) });
  };

  readonly ended = (_file: ImportFile, _phase: 'check' | 'import', counts: Readonly<FileCounts>): void => {
    this.#bar?.update({ rows: counts.read, speed: perSecond(counts.read, this.#now() - this.#startedAt) });
    this.#bar?.stop();
    this.#bar = undefined;
  };

  interrupted(write: () => void): void {
    // Back to the line's beginning and clear it; the bar draws itself anew below.
    if (this.#bar !== undefined) this.#stream.write('\r\u001b[K');
    write();
  }
}

function lineProgress({ log }: Pick<CommandContext, 'log'>, now: () => number): Progress {
  let at = { kind: '', phase: '', startedAt: 0, lastAt: 0, bytes: 1, isSized: true };
  const fields = (counts: Readonly<FileCounts>) => ({
    kind: at.kind,
    phase: at.phase,
    ...counts,
    rows_per_second: perSecond(counts.read, now() - at.startedAt),
  });
  return {
    started(file, phase) {
      at = {
        kind: file.kind,
        phase,
        startedAt: now(),
        lastAt: now(),
        bytes: Math.max(file.bytes, 1),
        isSized: file.bytes > 0,
      };
    },
    progress(counts, bytesRead) {
      if (now() - at.lastAt < linePeriodMs) return;
      at.lastAt = now();
      const elapsedMs = now() - at.startedAt;
      const remaining = Math.max(0, Math.round((elapsedMs * (at.bytes / bytesRead - 1)) / 1_000));
      const known = { percent: Math.floor((100 * bytesRead) / at.bytes), seconds_left: remaining };
      log.info({ ...fields(counts), ...(at.isSized ? known : {}) }, 'import progress');
    },
    ended(_file, _phase, counts) {
      log.info({ ...fields(counts), seconds: (now() - at.startedAt) / 1_000 }, 'import file done');
    },
    interrupted: (write) => write(),
  };
}

function perSecond(count: number, elapsedMs: number): number {
  return elapsedMs <= 0 ? 0 : Math.round((count * 1_000) / elapsedMs);
}
