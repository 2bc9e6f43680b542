import { styleText } from 'node:util';
import { MultiBar, type SingleBar } from 'cli-progress';
import type { CommandContext } from '../context.ts';

type Fields = Readonly<Record<string, unknown>>;
type Figures = Readonly<Record<string, number>>;

interface WorkOptions {
  readonly kind: string;
  readonly phase: string;
  readonly total: number;
  /** Bytes are shown by the bar alone. */
  readonly unit?: 'rows' | 'bytes';
}

/** Shows works and events until it is disposed: bars and sentences on a terminal, lines of JSON elsewhere. */
export class Progress implements Disposable {
  readonly #context: Pick<CommandContext, 'terminal' | 'log'>;
  readonly #nowMs: () => number;
  /** Undefined if stderr is not a terminal. */
  readonly #bars: MultiBar | undefined;
  readonly #works = new Set<Work>();
  readonly #timer: NodeJS.Timeout;

  constructor(context: Pick<CommandContext, 'terminal' | 'log'>, nowMs = () => performance.now()) {
    this.#context = context;
    this.#nowMs = nowMs;
    this.#bars = context.terminal.stderr.isTTY ? createBars(context) : undefined;
    const show = (): void => {
      for (const work of this.#works) work.show();
    };
    this.#timer = setInterval(show, this.#bars === undefined ? 1_000 : 250);
  }

  /** Begins a piece of work, which is shown until it is disposed. */
  start(options: WorkOptions): Work {
    const bar = this.#bars?.create(Math.max(options.total, 1), 0, { label: options.kind.padEnd(9), text: '' });
    const print = (line: string): void => this.#context.terminal.say(line);
    const work = new Work(options, { bar, print, nowMs: this.#nowMs, onEnd: () => this.#works.delete(work) });
    this.#works.add(work);
    return work;
  }

  /** Reports an event: a sentence above the bars, or a line of the log. */
  report(level: 'info' | 'warn', message: string, fields: Fields = {}): void {
    const { terminal, log } = this.#context;
    if (terminal.stderr.isTTY !== true) log[level](fields, message);
    else if (level === 'warn') this.warn(sentenceOf(message, fields));
    else this.#say(sentenceOf(message, fields));
  }

  /** Writes a line for people, even if stderr is piped. */
  warn(line: string): void {
    const { terminal } = this.#context;
    if (this.#bars === undefined) terminal.warn(line);
    else this.#say(styleText('yellow', line, { stream: terminal.stderr }));
  }

  #say(line: string): void {
    if (this.#works.size > 0 && this.#bars !== undefined) this.#bars.log(`${line}\n`);
    else this.#context.terminal.say(line);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const work of this.#works) work[Symbol.dispose]();
    // Writes the lines that came since the bars were drawn last.
    this.#bars?.update();
    this.#bars?.stop();
  }
}

interface Output {
  readonly bar: SingleBar | undefined;
  readonly print: (line: string) => void;
  readonly nowMs: () => number;
  readonly onEnd: () => void;
}

/** Counted work in one or more phases, with figures of its result. */
export class Work implements Disposable {
  readonly #options: WorkOptions;
  readonly #output: Output;
  #phase: string;
  #startMs: number;
  /** The work that was done when the phase began. */
  #doneBefore = 0;
  #done = 0;
  #figures: Figures = {};
  /** The last line without its rate, which changes with time alone. */
  #printed = '';

  constructor(options: WorkOptions, output: Output) {
    this.#options = options;
    this.#output = output;
    this.#phase = options.phase;
    this.#startMs = output.nowMs();
  }

  enter(phase: string): void {
    this.#phase = phase;
    this.#startMs = this.#output.nowMs();
    this.#doneBefore = this.#done;
    this.show();
  }

  /** Replaces figures; `done` is how much of the total is done. */
  update({ done = this.#done, ...figures }: Figures): void {
    this.#done = done;
    this.#figures = { ...this.#figures, ...figures };
  }

  /** Draws the bar, or prints a line of JSON if more than the rate has changed. */
  show(): void {
    const { kind, total, unit = 'rows' } = this.#options;
    const [phase, done, figures] = [this.#phase, this.#done, this.#figures];
    const rate = rateOf(done - this.#doneBefore, total - this.#doneBefore, this.#output.nowMs() - this.#startMs);
    if (this.#output.bar !== undefined) {
      const rows = unit === 'bytes' ? [] : [`${done}/${total}`];
      const speed = unit === 'bytes' || rate.per_second === 0 ? [] : [`${rate.per_second}/s`];
      const left = rate.remaining_seconds === null ? [] : [`${duration(rate.remaining_seconds)} left`];
      const shown = Object.entries(figures).flatMap(([name, figure]) => (figure === 0 ? [] : [`${figure} ${name}`]));
      const text = `${phase} · ${[...rows, ...speed, ...left, ...shown].join(', ').replaceAll('_', ' ')}`;
      this.#output.bar.update(total === 0 ? 1 : done, { text });
      return;
    }
    const line = { event: 'progress', kind, phase, done, total, ...figures };
    const counts = JSON.stringify(line);
    if (counts !== this.#printed) this.#output.print(JSON.stringify({ ...line, ...rate }));
    this.#printed = counts;
  }

  [Symbol.dispose](): void {
    this.show();
    this.#output.onEnd();
  }
}

function createBars({ terminal: { stderr } }: Pick<CommandContext, 'terminal'>): MultiBar {
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

/** Returns the speed of the work and the remaining time; null if it is unknown, or if the estimated total was exceeded. */
export function rateOf(done: number, total: number, ms: number) {
  if (done <= 0 || ms <= 0) return { per_second: 0, remaining_seconds: null };
  const rate = (done * 1_000) / ms;
  return { per_second: Math.round(rate), remaining_seconds: done > total ? null : Math.ceil((total - done) / rate) };
}

function duration(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns an event for people: "companies-0a-1: documents were rejected (dead letters 3)". */
function sentenceOf(message: string, { kind, generation = kind, problem, ...others }: Fields): string {
  const details = Object.entries(others).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.replaceAll('_', ' ')} ${value}`],
  );
  const where = generation === undefined ? '' : `${generation}: `;
  const why = problem === undefined ? '' : `: ${problem}`;
  return `${where}${message}${details.length === 0 ? '' : ` (${details.join(', ')})`}${why}`;
}
