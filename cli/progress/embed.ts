import type { EventEmitter } from 'node:events';
import type { EmbeddingEvents } from '../../indexer/embeddings/fill-vectors.ts';
import type { Progress, Work } from './progress.ts';

/** Refused texts named one by one; the rest are counted. */
const refusedShown = 20;

/** Reports failures of a provider, each once while it lasts, and the first texts that it refused. */
export function reportEmbedding(progress: Progress, events: EventEmitter<EmbeddingEvents>): void {
  let refused = 0;
  let known: string | undefined;
  events.on('skipped', (kind, id, problem) => {
    refused += 1;
    if (refused <= refusedShown) progress.report('warn', 'a text was refused', { kind, id, problem });
  });
  events.on('failure', (problem, pauseMs) => {
    if (known !== problem) progress.report('warn', 'vectors wait', { problem, pause_ms: pauseMs });
    known = problem;
  });
  events.on('recovered', () => {
    known = undefined;
    progress.report('info', 'vectors are being created again');
  });
}

/** Shows how many texts of each kind have their vectors. */
export function showEmbed(progress: Progress, events: EventEmitter<EmbeddingEvents>): void {
  let texts: Work | undefined;
  let counts = { stored: 0, refused: 0 };
  const count = (change: Partial<typeof counts>): void => {
    counts = { ...counts, ...change };
    texts?.update({ done: counts.stored + counts.refused, refused: counts.refused });
  };
  reportEmbedding(progress, events);
  events.on('backlog', (kind, total) => {
    texts?.[Symbol.dispose]();
    counts = { stored: 0, refused: 0 };
    texts = progress.start({ kind, phase: 'embed', total });
  });
  events.on('stored', (_kind, { stored }) => count({ stored: counts.stored + stored }));
  events.on('skipped', () => count({ refused: counts.refused + 1 }));
}
