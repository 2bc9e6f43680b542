import { setTimeout as delay } from 'node:timers/promises';
import { readScrape, type Sample } from './metrics.ts';

/** Returns the current metrics of a process. */
export async function scrape(port: number): Promise<{ readonly text: string; readonly samples: readonly Sample[] }> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(5_000) });
  if (response.status !== 200) throw new Error(`a scrape was answered ${response.status}`);
  const text = await response.text();
  return { text, samples: readScrape(text) };
}

/** Scrapes again and again, also before anyone listens, until what is found is as wanted. */
export async function scrapeUntil(
  port: number,
  wanted: (samples: readonly Sample[]) => boolean,
): Promise<readonly Sample[]> {
  const deadlineMs = performance.now() + 30_000;
  for (;;) {
    const samples = await scrape(port).then(
      (found) => found.samples,
      () => [],
    );
    if (wanted(samples)) return samples;
    if (performance.now() > deadlineMs) throw new Error('the metrics were not as wanted within 30 s');
    await delay(20);
  }
}
