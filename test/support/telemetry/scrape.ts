import { until } from '../until.ts';
import { readScrape, type Sample } from './metrics.ts';

/** Returns the current metrics of a process. */
export async function scrape(port: number): Promise<{ readonly text: string; readonly samples: readonly Sample[] }> {
  // A kept connection would be one of the few that are served.
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
  if (response.status !== 200) throw new Error(`a scrape was answered ${response.status}`);
  const text = await response.text();
  return { text, samples: readScrape(text) };
}

/** Scrapes repeatedly, also before the server listens, until the condition holds. */
export async function scrapeUntil(
  port: number,
  wanted: (samples: readonly Sample[]) => boolean,
): Promise<readonly Sample[]> {
  let samples: readonly Sample[] = [];
  await until(async () => {
    samples = await scrape(port).then(
      (found) => found.samples,
      () => [],
    );
    return wanted(samples);
  }, 'the expected metrics');
  return samples;
}
