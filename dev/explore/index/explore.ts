import { type Engines, type Finding, runSchedule } from './run.ts';
import { type Schedule, scheduleOf } from './schedule/schedule.ts';
import { shrink } from './schedule/shrink.ts';
import { storyOf } from './schedule/step.ts';

export interface PrintedFinding {
  readonly theme: string;
  readonly seed: number;
  readonly kind: string;
  readonly message: string;
  readonly story: string;
  readonly schedule: string;
  /** From the beginning of the search, without the shrinking. */
  readonly seconds: number;
}

export interface ExploreOptions {
  readonly themes: readonly string[];
  readonly seed: number;
  readonly runs?: number;
  /** No schedule begins later than this after the call. */
  readonly untilMs: number;
  readonly first?: boolean;
  readonly verbose?: boolean;
  readonly shrink: boolean;
  readonly printLine: (line: string) => void;
}

const shrinkMs = 60_000;

export async function exploreSchedules(engines: Engines, options: ExploreOptions): Promise<readonly PrintedFinding[]> {
  const { printLine, seed: firstSeed, runs = Number.POSITIVE_INFINITY } = options;
  const startMs = performance.now();
  const told: PrintedFinding[] = [];
  for (let run = 0; run < runs; run += 1) {
    for (const theme of options.themes) {
      const beganMs = performance.now();
      if (beganMs - startMs >= options.untilMs) return told;
      const seed = firstSeed + run;
      const schedule = scheduleOf(theme, seed);
      const finding = await runSchedule(engines, schedule, options.verbose ? printLine : undefined);
      const seconds = Math.round((performance.now() - startMs) / 100) / 10;
      const took = Math.round(performance.now() - beganMs);
      printLine(
        `${theme} ${seed}: ${finding === undefined ? 'kept' : `${finding.kind} ${finding.message}`} (${took} ms)`,
      );
      if (finding === undefined) continue;
      told.push(await tell(engines, { theme, seed, schedule, finding, seconds }, options));
      if (options.first) return told;
    }
  }
  return told;
}

export async function replay(
  engines: Engines,
  text: string,
  printLine: (line: string) => void,
): Promise<readonly PrintedFinding[]> {
  const schedule: Schedule = JSON.parse(text);
  const finding = await runSchedule(engines, schedule, printLine);
  printLine(finding === undefined ? 'kept' : `${finding.kind} ${finding.message}`);
  if (finding === undefined) return [];
  return [{ theme: 'replay', seed: 0, ...finding, story: storyOf(schedule.steps), schedule: text, seconds: 0 }];
}

async function tell(
  engines: Engines,
  found: {
    readonly theme: string;
    readonly seed: number;
    readonly schedule: Schedule;
    readonly finding: Finding;
    readonly seconds: number;
  },
  options: ExploreOptions,
): Promise<PrintedFinding> {
  const { theme, seed, seconds } = found;
  const until = performance.now() + (options.shrink ? shrinkMs : 0);
  const { schedule, finding } = await shrink(found.schedule, found.finding, (one) => runSchedule(engines, one), until);
  const story = `indices of ${schedule.kinds.join(' and ')}\n${storyOf(schedule.steps)}`;
  options.printLine(`\n${finding.kind}: ${finding.message}\n${story}\n--replay '${JSON.stringify(schedule)}'\n`);
  const { kind, message } = finding;
  return { theme, seed, kind, message, story, schedule: JSON.stringify(schedule), seconds };
}
