import { entitySearch } from '../../dev/lib/command-line.ts';

/** The output of `entity-search doctor --json`. */
export interface Finding {
  readonly check: string;
  readonly level: string;
  readonly found: string;
  readonly todo: string | null;
}

export interface Diagnosis {
  readonly code: number;
  readonly findings: readonly Finding[];
  of(check: string): readonly Finding[];
}

export async function runDoctor(env: Readonly<Record<string, string>>): Promise<Diagnosis> {
  const { code, out } = await entitySearch(['doctor', '--json'], env);
  const findings: readonly Finding[] = JSON.parse(out);
  return { code, findings, of: (check) => findings.filter((one) => one.check === check) };
}

/** Every finding other than `ok` has the next step. */
export function expectRemedies(findings: readonly Finding[]): void {
  const without = findings.filter(({ level, todo }) => (level === 'warn' || level === 'fail') && todo === null);
  expect(without).toEqual([]);
}
