import { isStep } from '../../indexer/generations/model.ts';
import type { ReindexObserver } from '../../indexer/reindex/observer.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import type { Progress, Work } from './progress.ts';

/** Shows a reindex: the state of each kind, and the rows that became a document or a dead letter. */
export function showReindex(progress: Progress): ReindexObserver {
  const works = new Map<KindName, { readonly work: Work; changes: number }>();
  return {
    onStart(kind, generation, total) {
      progress.report('info', 'building', { kind, generation });
      works.set(kind, { work: progress.start({ kind, phase: 'planned', total }), changes: 0 });
    },
    onState(kind, state) {
      const work = works.get(kind)?.work;
      work?.enter(state);
      if (!isStep(state)) work?.[Symbol.dispose]();
    },
    onProgress: (kind, { rows, deadLetters }) =>
      works.get(kind)?.work.update({ done: rows, dead_letters: deadLetters }),
    onRound(kind, { changes }) {
      const shown = works.get(kind);
      if (shown === undefined) return;
      shown.changes += changes;
      shown.work.update({ changes: shown.changes });
    },
    onNote: (kind, text) => progress.report('warn', text, { kind }),
  };
}
