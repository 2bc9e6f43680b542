import type { ImportFile } from '../../indexer/import/files.ts';
import type { FileCounts, ImportObserver } from '../../indexer/import/import-file.ts';
import type { Terminal } from '../terminal.ts';
import { ProgressDisplay, showCounted, type WorkProgress } from './display.ts';

/** Shows how much of each file is read, and bad lines as `file:line: path: message`, up to `badLinesShown`. */
export class ImportProgress implements ImportObserver, Disposable {
  readonly #badLinesShown: number;
  readonly #nowMs: () => number;
  readonly #display: ProgressDisplay;
  #file: WorkProgress | undefined;
  #bytesRead = 0;
  #badLines = 0;

  constructor(terminal: Terminal, badLinesShown: number, nowMs: () => number) {
    this.#badLinesShown = badLinesShown;
    this.#nowMs = nowMs;
    this.#display = new ProgressDisplay(terminal);
  }

  onNote(text: string): void {
    this.#display.say(text);
  }

  onFileStart({ kind, bytes }: ImportFile): void {
    this.#bytesRead = 0;
    this.#file = showCounted(this.#display, { kind, phase: 'import', total: bytes, unit: 'bytes' }, this.#nowMs);
  }

  onProgress(counts: Readonly<FileCounts>, bytesRead: number): void {
    this.#bytesRead = bytesRead;
    this.#file?.update(bytesRead, { ...counts });
  }

  onFileEnd(counts: Readonly<FileCounts>): void {
    this.#file?.update(this.#bytesRead, { ...counts });
    this.#file?.[Symbol.dispose]();
  }

  onBadLine(file: ImportFile, line: number, path: string, message: string): void {
    this.#badLines += 1;
    if (this.#badLines > this.#badLinesShown) return;
    this.#display.warn(`${file.name}:${line}: ${path === '' ? '' : `${path}: `}${message}`);
  }

  [Symbol.dispose](): void {
    const hidden = this.#badLines - this.#badLinesShown;
    if (hidden > 0) this.#display.warn(`… and ${hidden} more problems that are not shown.`);
    this.#display[Symbol.dispose]();
  }
}
