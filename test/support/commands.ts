import { type CommandRun, entitySearch } from '../../dev/lib/command-line.ts';

export async function succeed(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CommandRun> {
  const run = await entitySearch(args, env);
  if (run.code !== 0) throw new Error(`entity-search ${args.join(' ')} ended with ${run.code}: ${run.err}${run.out}`);
  return run;
}

export function jsonLines<Line = Readonly<Record<string, unknown>>>(out: string): readonly Line[] {
  return out.split('\n').flatMap((line): readonly Line[] => (line === '' ? [] : [JSON.parse(line)]));
}
