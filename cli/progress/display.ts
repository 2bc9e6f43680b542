import { styleText } from 'node:util';
import { MultiBar, type SingleBar } from 'cli-progress';
import type { Terminal } from '../terminal.ts';

export interface Work {
  readonly label: string;
  readonly total: number;
  /** Returns how much of `total` is done, the text next to the bar, and the fields of a line for programs. */
  readonly state: () => { readonly done: number; readonly text: string; readonly line: object };
}

/** Fields that change with time alone. */
const rates = new Set(['per_second', 'rows_per_second', 'remaining_seconds']);

/** Shows work until it is disposed: a bar each on a terminal, elsewhere a line of JSON each when something has changed. */
export class ProgressDisplay implements Disposable {
  readonly #terminal: Terminal;
  /** Undefined if stderr is not a terminal. */
  readonly #bars: MultiBar | undefined;
  readonly #working = new Map<Work, { readonly bar: SingleBar | undefined; lastLine: string }>();
  readonly #timer: NodeJS.Timeout;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#bars = terminal.stderr.isTTY ? createBars(terminal) : undefined;
    const refresh = (): void => {
      for (const work of this.#working.keys()) this.show(work);
    };
    this.#timer = setInterval(refresh, this.#bars === undefined ? 1_000 : 250);
  }

  get hasBars(): boolean {
    return this.#bars !== undefined;
  }

  start(work: Work): void {
    const bar = this.#bars?.create(Math.max(work.total, 1), 0, { label: work.label, text: '' });
    this.#working.set(work, { bar, lastLine: '' });
  }

  /** Draws the bar of a piece of work, or writes its line if that has changed. */
  show(work: Work): void {
    const shown = this.#working.get(work);
    if (shown === undefined) return;
    const { done, text, line } = work.state();
    if (shown.bar !== undefined) {
      shown.bar.update(work.total === 0 ? 1 : done, { text });
      return;
    }
    const written = JSON.stringify(line, (key, value) => (rates.has(key) ? undefined : value));
    if (written !== shown.lastLine) this.#terminal.say(JSON.stringify(line));
    shown.lastLine = written;
  }

  /** Shows a piece of work for the last time and leaves its bar there. */
  finish(work: Work): void {
    this.show(work);
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

function createBars({ stderr }: Terminal): MultiBar {
  return new MultiBar({
    stream: stderr,
    format: '{label} {bar} {percentage} %  {text}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    autopadding: true,
    hideCursor: true,
    // A line above the bars moves all of them, including unchanged ones.
    forceRedraw: true,
    // The command handles signals.
    gracefulExit: false,
  });
}

/** Returns the speed of the work, and the remaining time at that speed. */
export function rateOf(done: number, total: number, seconds: number) {
  if (done === 0 || seconds <= 0) return { perSecond: 0, remainingSeconds: undefined };
  const rate = done / seconds;
  // The estimate was exceeded: the remaining time is unknown.
  return { perSecond: Math.round(rate), remainingSeconds: done > total ? undefined : Math.ceil((total - done) / rate) };
}

/** Returns `, 2 min 5 s left`, or nothing if that is unknown. */
export function timeLeft(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `, ${seconds} s left` : `, ${minutes} min ${seconds % 60} s left`;
}

type Figures = Readonly<Record<string, number>>;

/** Counted work, with figures of its result. */
export interface WorkProgress extends Disposable {
  update(done: number, figures?: Figures): void;
}

interface CountedWork {
  readonly kind: string;
  readonly phase: string;
  readonly total: number;
  /** Bytes are shown by the bar alone. */
  readonly unit?: 'rows' | 'bytes';
}

/** Shows one piece of counted work on a display until it is disposed. */
export function showCounted(
  display: ProgressDisplay,
  { kind, phase, total, unit = 'rows' }: CountedWork,
  nowMs: () => number,
): WorkProgress {
  const startMs = nowMs();
  let done = 0;
  let figures: Figures = {};
  const work: Work = {
    label: `${phase} ${kind.padEnd(9)}`,
    total,
    state() {
      const { perSecond, remainingSeconds } = rateOf(done, total, (nowMs() - startMs) / 1_000);
      const counts = unit === 'bytes' ? [] : [`${done}/${total}, ${perSecond}/s`];
      const shown = Object.entries(figures).flatMap(([name, figure]) => (figure === 0 ? [] : [`${figure} ${name}`]));
      const rate = { per_second: perSecond, remaining_seconds: remainingSeconds ?? null };
      return {
        done,
        text: [...counts, ...shown].join(', ') + timeLeft(remainingSeconds),
        line: { event: 'progress', kind, phase, done, total, ...rate, ...figures },
      };
    },
  };
  display.start(work);
  return {
    update(newDone, newFigures = {}) {
      done = newDone;
      figures = newFigures;
    },
    [Symbol.dispose]: () => display.finish(work),
  };
}

/** Shows the one piece of work of a command until it is disposed. */
export function showProgress(terminal: Terminal, counted: CountedWork, nowMs: () => number): WorkProgress {
  const display = new ProgressDisplay(terminal);
  const { update } = showCounted(display, counted, nowMs);
  return { update, [Symbol.dispose]: () => display[Symbol.dispose]() };
}
