import { MultiBar, type SingleBar } from 'cli-progress';
import type { Round } from '../../indexer/change-log/reader.ts';
import type { GenerationState } from '../../indexer/generations/model.ts';
import type { LoadProgress } from '../../indexer/reindex/load.ts';
import type { ReindexObserver } from '../../indexer/reindex/observer.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { Terminal } from '../terminal.ts';

/** Watches a reindex for people, or for programs that read stderr, until it is disposed. */
export interface ReindexProgress extends ReindexObserver, Disposable {}

/** Where one kind's load stands. */
export interface KindStanding extends LoadProgress {
  /** Entries of the change log applied after the load. */
  readonly changes: number;
  readonly kind: KindName;
  readonly state: GenerationState;
  /** Rows expected; an estimate for large tables. */
  readonly total: number;
  readonly seconds: number;
}

/** The figures of a standing that are not its counts. */
export function paceOf({ rows, total, seconds }: Pick<KindStanding, 'rows' | 'total' | 'seconds'>): {
  readonly rowsPerSecond: number;
  /** Undefined while nothing is known, or when there are more rows than were expected. */
  readonly remainingSeconds: number | undefined;
} {
  if (rows === 0 || seconds <= 0) return { rowsPerSecond: 0, remainingSeconds: undefined };
  const rowsPerSecond = rows / seconds;
  return {
    rowsPerSecond: Math.round(rowsPerSecond),
    remainingSeconds: total < rows ? undefined : Math.ceil((total - rows) / rowsPerSecond),
  };
}

/** One line of JSON about one kind. */
export function progressLine(standing: KindStanding): string {
  const { rowsPerSecond, remainingSeconds } = paceOf(standing);
  return JSON.stringify({
    event: 'progress',
    kind: standing.kind,
    state: standing.state,
    rows: standing.rows,
    total: standing.total,
    rows_per_second: rowsPerSecond,
    bytes: standing.bytes,
    dead_letters: standing.deadLetters,
    changes: standing.changes,
    remaining_seconds: remainingSeconds ?? null,
  });
}

/** The text beside a bar. */
export function barText(standing: KindStanding): string {
  const { rowsPerSecond, remainingSeconds } = paceOf(standing);
  const megabytes = (standing.bytes / 1_000_000).toFixed(1);
  const loading = standing.state === 'loading';
  const left = loading && remainingSeconds !== undefined ? `, ${formatSeconds(remainingSeconds)} left` : '';
  const dead = standing.deadLetters === 0 ? '' : `, ${standing.deadLetters} rejected`;
  const changes = standing.changes === 0 ? '' : `, ${standing.changes} changes since`;
  // The state first: a narrow terminal cuts what comes last.
  return `${standing.state} · ${standing.rows}/${standing.total} rows, ${rowsPerSecond}/s, ${megabytes} MB${left}${dead}${changes}`;
}

function formatSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}

/** A bar for each kind on a terminal; elsewhere a line of JSON a second for each kind at work. */
export function createProgress(terminal: Terminal, nowMs: () => number): ReindexProgress {
  return terminal.stderr.isTTY ? new Bars(terminal, nowMs) : new Lines(terminal, nowMs);
}

const nothing: LoadProgress = { rows: 0, bytes: 0, deadLetters: 0 };
const lineEveryMs = 1_000;

/** What both ways of showing know about each kind. */
class Standings {
  readonly #nowMs: () => number;
  readonly #kinds = new Map<KindName, KindStanding & { readonly startMs: number }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  start(kind: KindName, total: number): void {
    this.#kinds.set(kind, {
      kind,
      state: 'planned',
      total,
      seconds: 0,
      changes: 0,
      ...nothing,
      startMs: this.#nowMs(),
    });
  }

  caughtUp(kind: KindName, changes: number): KindStanding | undefined {
    return this.update(kind, { changes: (this.#kinds.get(kind)?.changes ?? 0) + changes });
  }

  /** Undefined for a kind that was never begun. */
  update(
    kind: KindName,
    change: Partial<LoadProgress & { state: GenerationState; changes: number }>,
  ): KindStanding | undefined {
    const known = this.#kinds.get(kind);
    if (known === undefined) return undefined;
    const nowMs = this.#nowMs();
    // The pace is that of the load: what comes after it does not slow it down.
    const begins = known.state !== 'loading' && change.state === 'loading';
    const startMs = begins ? nowMs : known.startMs;
    const seconds = known.state === 'loading' || begins ? (nowMs - startMs) / 1_000 : known.seconds;
    const standing = { ...known, ...change, startMs, seconds };
    this.#kinds.set(kind, standing);
    return standing;
  }

  atWork(): readonly KindStanding[] {
    const working: readonly GenerationState[] = ['planned', 'created', 'loading', 'catching-up', 'verifying', 'ready'];
    return [...this.#kinds.keys()]
      .flatMap((kind) => this.update(kind, {}) ?? [])
      .filter(({ state }) => working.includes(state));
  }
}

class Lines implements ReindexProgress {
  readonly #terminal: Terminal;
  readonly #standings: Standings;
  readonly #timer: NodeJS.Timeout;

  constructor(terminal: Terminal, nowMs: () => number) {
    this.#terminal = terminal;
    this.#standings = new Standings(nowMs);
    this.#timer = setInterval(() => {
      for (const standing of this.#standings.atWork()) terminal.say(progressLine(standing));
    }, lineEveryMs);
  }

  onStart(kind: KindName, index: string, totalRows: number): void {
    this.#standings.start(kind, totalRows);
    this.#terminal.say(JSON.stringify({ event: 'start', kind, generation: index, total: totalRows }));
  }

  onState(kind: KindName, state: GenerationState): void {
    const standing = this.#standings.update(kind, { state });
    if (standing !== undefined) this.#terminal.say(progressLine(standing));
  }

  onProgress(kind: KindName, progress: LoadProgress): void {
    this.#standings.update(kind, progress);
  }

  onRound(kind: KindName, round: Round): void {
    this.#standings.caughtUp(kind, round.changes);
  }

  onNote(kind: KindName, text: string): void {
    this.#terminal.say(JSON.stringify({ event: 'note', kind, text }));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

class Bars implements ReindexProgress {
  readonly #terminal: Terminal;
  readonly #standings: Standings;
  readonly #bars: MultiBar;
  readonly #barOf = new Map<KindName, SingleBar>();
  readonly #notes: string[] = [];

  constructor(terminal: Terminal, nowMs: () => number) {
    this.#terminal = terminal;
    this.#standings = new Standings(nowMs);
    this.#bars = new MultiBar({
      stream: terminal.stderr,
      format: '{kind} {bar} {percentage} %  {text}',
      barCompleteChar: '█',
      barIncompleteChar: '░',
      barsize: 24,
      autopadding: true,
      hideCursor: true,
      // Signals are the command's business.
      gracefulExit: false,
    });
  }

  onStart(kind: KindName, _index: string, totalRows: number): void {
    this.#standings.start(kind, totalRows);
    this.#barOf.set(kind, this.#bars.create(totalRows, 0, { kind: kind.padEnd(9), text: '' }));
  }

  onState(kind: KindName, state: GenerationState): void {
    this.#show(this.#standings.update(kind, { state }));
  }

  onProgress(kind: KindName, progress: LoadProgress): void {
    this.#show(this.#standings.update(kind, progress));
  }

  onRound(kind: KindName, round: Round): void {
    this.#show(this.#standings.caughtUp(kind, round.changes));
  }

  // After the bars: a line between them would be drawn over.
  onNote(kind: KindName, text: string): void {
    this.#notes.push(`${kind}: ${text}`);
  }

  #show(standing: KindStanding | undefined): void {
    if (standing === undefined) return;
    this.#barOf.get(standing.kind)?.update(standing.rows, { text: barText(standing) });
  }

  [Symbol.dispose](): void {
    this.#bars.stop();
    for (const note of this.#notes) this.#terminal.warn(note);
  }
}
