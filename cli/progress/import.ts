import type { ImportFile } from '../../indexer/import/files.ts';
import { type FileCounts, type ImportObserver, zeroCounts } from '../../indexer/import/import-file.ts';
import type { CommandContext } from '../context.ts';
import { ProgressDisplay, rateOf, timeLeft, type Work } from './display.ts';

/**
 * Shows an import on stderr: a bar a file on a terminal, JSON lines elsewhere (one a second and one at each file's
 * end); bad lines as `file:line: path: message`, up to `badLinesShown`, and how many more there were at the end.
 */
export class ImportProgress implements ImportObserver, Disposable {
  readonly #context: Pick<CommandContext, 'terminal' | 'log'>;
  readonly #badLinesShown: number;
  readonly #nowMs: () => number;
  readonly #display: ProgressDisplay;
  #work: Work | undefined;
  #startMs = 0;
  #counts: Readonly<FileCounts> = zeroCounts();
  #bytesRead = 0;
  #badLines = 0;

  constructor(context: Pick<CommandContext, 'terminal' | 'log'>, badLinesShown: number, nowMs: () => number) {
    this.#context = context;
    this.#badLinesShown = badLinesShown;
    this.#nowMs = nowMs;
    this.#display = new ProgressDisplay(context.terminal);
  }

  onNote(text: string): void {
    this.#display.say(text);
  }

  onFileStart({ kind, bytes }: ImportFile, phase: 'check' | 'import'): void {
    this.#startMs = this.#nowMs();
    this.#counts = zeroCounts();
    this.#bytesRead = 0;
    this.#work = {
      label: `${phase === 'check' ? 'checking' : 'importing'} ${kind.padEnd(9)}`,
      total: Math.max(bytes, 1),
      bar: () => ({
        done: this.#bytesRead,
        text: `${this.#counts.read} rows, ${this.#rowsPerSecond()} rows/s${bytes > 0 ? timeLeft(this.#secondsLeft(bytes)) : ''}`,
      }),
      writeLine: () => {
        const percent = Math.floor((100 * this.#bytesRead) / bytes);
        const known = bytes > 0 ? { percent, seconds_left: this.#secondsLeft(bytes) ?? null } : {};
        this.#context.log.info({ ...this.#fields(kind, phase), ...known }, 'import progress');
      },
    };
    this.#display.start(this.#work);
  }

  onProgress(counts: Readonly<FileCounts>, bytesRead: number): void {
    this.#counts = counts;
    this.#bytesRead = bytesRead;
  }

  onFileEnd({ kind }: ImportFile, phase: 'check' | 'import', counts: Readonly<FileCounts>): void {
    this.#counts = counts;
    if (this.#work !== undefined) this.#display.finish(this.#work);
    const seconds = (this.#nowMs() - this.#startMs) / 1_000;
    if (!this.#display.hasBars) this.#context.log.info({ ...this.#fields(kind, phase), seconds }, 'import file done');
  }

  onBadLine(file: ImportFile, line: number, path: string, message: string): void {
    this.#badLines += 1;
    if (this.#badLines > this.#badLinesShown) return;
    this.#display.warn(`${file.name}:${line}: ${path === '' ? '' : `${path}: `}${message}`);
  }

  #fields(kind: string, phase: string) {
    return { kind, phase, ...this.#counts, rows_per_second: this.#rowsPerSecond() };
  }

  #rowsPerSecond(): number {
    return rateOf(this.#counts.read, 0, (this.#nowMs() - this.#startMs) / 1_000).perSecond;
  }

  #secondsLeft(bytes: number): number | undefined {
    return rateOf(this.#bytesRead, bytes, (this.#nowMs() - this.#startMs) / 1_000).remainingSeconds;
  }

  [Symbol.dispose](): void {
    this.#display[Symbol.dispose]();
    const hidden = this.#badLines - this.#badLinesShown;
    if (hidden > 0) this.#context.terminal.warn(`… and ${hidden} more problems that are not shown.`);
  }
}
