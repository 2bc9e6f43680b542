import { styleText } from 'node:util';
import { MultiBar, type SingleBar } from 'cli-progress';
import type { Terminal } from '../terminal.ts';

/** A piece of work that takes a while. */
export interface Work {
  readonly label: string;
  readonly total: number;
  /** How much of `total` is done, and the text beside the bar. */
  readonly bar: () => { readonly done: number; readonly text: string };
  /** Writes a line of JSON for programs. */
  readonly writeLine: () => void;
}

interface DisplayOptions {
  /** Of cli-progress; may use `label`, `bar`, `percentage` and `text`. */
  readonly format?: string;
  /** Leave nothing on the terminal. */
  readonly clear?: boolean;
  readonly drawEveryMs?: number;
  readonly lineEveryMs?: number;
}

/** Shows work that is going on until it is disposed: a bar each on a terminal, else a line each once in a while. */
export class ProgressDisplay implements Disposable {
  readonly #terminal: Terminal;
  /** Undefined where stderr is no terminal. */
  readonly #bars: MultiBar | undefined;
  readonly #working = new Map<Work, SingleBar | undefined>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    terminal: Terminal,
    { format, clear = false, drawEveryMs = 250, lineEveryMs = 1_000 }: DisplayOptions = {},
  ) {
    this.#terminal = terminal;
    this.#bars = terminal.stderr.isTTY
      ? new MultiBar({
          stream: terminal.stderr,
          format: format ?? '{label} {bar} {percentage} %  {text}',
          barCompleteChar: '█',
          barIncompleteChar: '░',
          barsize: 24,
          autopadding: true,
          hideCursor: true,
          clearOnComplete: clear,
          // A line above the bars moves them down, also those that have not changed.
          forceRedraw: true,
          // Signals are the command's business.
          gracefulExit: false,
        })
      : undefined;
    const refresh = (): void => {
      for (const [work, bar] of this.#working) show(work, bar);
    };
    this.#timer = setInterval(refresh, this.#bars === undefined ? lineEveryMs : drawEveryMs);
  }

  get hasBars(): boolean {
    return this.#bars !== undefined;
  }

  start(work: Work): void {
    this.#working.set(work, this.#bars?.create(work.total, 0, { label: work.label, text: '' }));
  }

  /** Leaves the bar as it is now; writes no more lines. */
  finish(work: Work): void {
    const bar = this.#working.get(work);
    if (bar !== undefined) show(work, bar);
    this.#working.delete(work);
  }

  /** Writes a line for people, above the bars. */
  say(line: string): void {
    if (this.#working.size > 0 && this.#bars !== undefined) this.#bars.log(`${line}\n`);
    else this.#terminal.say(line);
  }

  warn(line: string): void {
    if (this.#bars === undefined) this.#terminal.warn(line);
    else this.say(styleText('yellow', line, { stream: this.#terminal.stderr }));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const work of this.#working.keys()) this.finish(work);
    if (this.#bars === undefined) return;
    // Writes the lines that came since the bars were drawn last.
    this.#bars.update();
    this.#bars.stop();
  }
}

function show(work: Work, bar: SingleBar | undefined): void {
  if (bar === undefined) work.writeLine();
  else {
    const { done, text } = work.bar();
    bar.update(done, { text });
  }
}

/** How fast work goes, and how long the rest takes at that rate. */
export function rateOf(done: number, total: number, seconds: number) {
  if (done === 0 || seconds <= 0) return { perSecond: 0, remainingSeconds: undefined };
  const rate = done / seconds;
  // More than was estimated: nobody knows how much is left.
  return { perSecond: Math.round(rate), remainingSeconds: done > total ? undefined : Math.ceil((total - done) / rate) };
}

/** `, 2 min 5 s left`; nothing where that is not known. */
export function timeLeft(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `, ${seconds} s left` : `, ${minutes} min ${seconds % 60} s left`;
}

/** One piece of work of which only figures are shown. */
export interface WorkProgress extends Disposable {
  update(done: number, figures?: Readonly<Record<string, number>>): void;
}

/** Shows how far one piece of work is, until it is disposed. */
export function showProgress(
  terminal: Terminal,
  { kind, phase, total }: { readonly kind: string; readonly phase: string; readonly total: number },
  nowMs: () => number,
): WorkProgress {
  const startMs = nowMs();
  const now: { done: number; figures: Readonly<Record<string, number>> } = { done: 0, figures: {} };
  const rate = () => rateOf(now.done, total, (nowMs() - startMs) / 1_000);
  const display = new ProgressDisplay(terminal);
  const work: Work = {
    label: `${kind} ${phase}`,
    total,
    bar() {
      const figures = Object.entries(now.figures).map(([name, figure]) => `, ${figure} ${name}`);
      const text = `${now.done}/${total}${timeLeft(rate().remainingSeconds)}${figures.join('')}`;
      return { done: now.done, text };
    },
    writeLine() {
      const { done, figures } = now;
      const line = { event: 'progress', kind, phase, done, total, per_second: rate().perSecond, ...figures };
      terminal.say(JSON.stringify(line));
    },
  };
  display.start(work);
  return {
    update(done, figures = {}) {
      Object.assign(now, { done, figures });
    },
    [Symbol.dispose]() {
      if (!display.hasBars) work.writeLine();
      display[Symbol.dispose]();
    },
  };
}
