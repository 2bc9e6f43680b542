import type { ReindexConfig } from '../config.ts';
import { DeadLetterMonitor } from '../dead-letters/monitor.ts';
import type { Generation } from '../generations/generations.ts';
import type { LoadCounts } from '../generations/model.ts';
import { readAllDocuments } from '../read/read-all.ts';
import type { DocumentChunk } from '../read/read-by-id.ts';
import { sendDocuments } from '../write/send-documents.ts';
import type { WriteContext } from '../write/write-context.ts';
import { LoadTracker, readResumePoint, saveResumePoint } from './resume-point.ts';

export type ReindexContext = WriteContext<ReindexConfig>;

/**
 * Sends every row of a generation's kind to its index, from the saved point of an earlier run. Rows are read while
 * earlier batches are under way; the budget for batches limits memory. Rejects with the first failure
 * (`TooManyDeadLettersError` is one) or the signal's reason, after all requests have ended.
 */
export async function loadGeneration(
  context: ReindexContext,
  generation: Generation,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: LoadCounts) => void },
): Promise<LoadCounts> {
  const { pool, config, nowMs } = context;
  const from = await readResumePoint(pool, generation);
  const tracker = new LoadTracker(from);
  let { deadLetters } = from;
  let savedMs = nowMs();
  const counts = (): LoadCounts => ({ ...tracker.settled, deadLetters });
  const save = async (): Promise<void> => {
    savedMs = nowMs();
    await saveResumePoint(pool, generation, tracker.point);
  };
  async function* rows(): AsyncGenerator<DocumentChunk, void, undefined> {
    for await (const chunk of readAllDocuments(pool, generation, { afterId: from.id, signal })) {
      tracker.addUnreadable(chunk.unreadable?.length ?? 0);
      yield chunk;
    }
  }
  try {
    await sendDocuments(context, generation, rows(), {
      watch: new DeadLetterMonitor(config.deadLetters),
      signal,
      onBatch: (batch) => {
        const acknowledge = tracker.begin(batch);
        return async () => {
          acknowledge();
          onProgress(counts());
          if (nowMs() - savedMs >= config.saveEveryMs) await save();
        };
      },
      onLetters: (total) => {
        deadLetters = total;
      },
    });
  } catch (error) {
    // If this save fails, the load resumes from an earlier point. The first failure is reported.
    await save().catch(() => undefined);
    throw error;
  }
  await save();
  return counts();
}
