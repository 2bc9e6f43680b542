import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Preloaded into measured programs (`node --import`). Reports the resources that the process used, to the parent on
 * request and to the file BENCH_LAST_WORDS at the end, and the times of some of its requests to Elasticsearch.
 */

const marks: Record<string, number> = {};

function requestOf(message: unknown): string {
  const holder = typeof message === 'object' && message !== null && 'request' in message ? message.request : undefined;
  return typeof holder === 'object' && holder !== null && 'path' in holder ? String(holder.path) : '';
}

subscribe('undici:request:create', (message) => {
  marks.firstRequestMs ??= performance.now();
  if (isTo('_bulk', message)) marks.firstBulkMs ??= performance.now();
});
subscribe('undici:request:trailers', (message) => {
  marks.lastAnswerMs = performance.now();
  if (isTo('_refresh', message)) marks.firstRefreshedMs ??= performance.now();
});

function isTo(action: string, message: unknown): boolean {
  return new RegExp(`/${action}(\\?|$)`).test(requestOf(message));
}

function used() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    rssMaxMb: peakMb() ?? maxRSS / 1_024,
    marks,
  };
}

/** On Linux, `maxRSS` begins with what the parent held when it made this process; the kernel's own peak does not. */
function peakMb(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}

const lastWords = process.env.BENCH_LAST_WORDS;
if (lastWords !== undefined) process.on('exit', () => writeFileSync(lastWords, JSON.stringify(used())));

process.on('message', () => process.send?.(used()));
process.channel?.unref();
