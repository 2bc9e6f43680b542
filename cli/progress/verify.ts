import { SingleBar } from 'cli-progress';
import type { Terminal } from '../terminal.ts';

/** Shows how far one long piece of work is: a bar on a terminal, elsewhere a line of JSON a second. */
export interface WorkProgress extends Disposable {
  update(done: number, figures?: Readonly<Record<string, number>>): void;
}

const lineEveryMs = 1_000;

export function showWork(
  terminal: Terminal,
  work: { readonly kind: string; readonly phase: string; readonly total: number },
  nowMs: () => number,
): WorkProgress {
  return terminal.stderr.isTTY ? bar(terminal, work) : lines(terminal, work, nowMs);
}

function bar(terminal: Terminal, work: Parameters<typeof showWork>[1]): WorkProgress {
  const shown = new SingleBar({
    stream: terminal.stderr,
    format: '{kind} {phase} {bar} {percentage} %  {value}/{total}, {eta_formatted} left {text}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    gracefulExit: false,
  });
  shown.start(work.total, 0, { kind: work.kind, phase: work.phase, text: '' });
  return {
    update(done, figures = {}) {
      const text = Object.entries(figures).map(([name, figure]) => `${figure} ${name}`);
      shown.update(done, { text: text.join(', ') });
    },
    [Symbol.dispose]: () => shown.stop(),
  };
}

function lines(terminal: Terminal, work: Parameters<typeof showWork>[1], nowMs: () => number): WorkProgress {
  const startMs = nowMs();
  let last: { readonly done: number; readonly figures: object } = { done: 0, figures: {} };
  const say = (): void => {
    const seconds = (nowMs() - startMs) / 1_000;
    const perSecond = seconds > 0 ? Math.round(last.done / seconds) : 0;
    const { total, ...what } = work;
    terminal.say(
      JSON.stringify({ event: 'progress', ...what, done: last.done, total, per_second: perSecond, ...last.figures }),
    );
  };
  const timer = setInterval(say, lineEveryMs);
  return {
    update(done, figures = {}) {
      last = { done, figures };
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      say();
    },
  };
}
