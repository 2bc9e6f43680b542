import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** An engine whose version is chosen: the variable of its address, which must not be set, and the variable of its version. */
export interface ChosenEngine {
  readonly address: 'DATABASE_URL' | 'ELASTICSEARCH_URL';
  readonly settings: Readonly<Record<string, string>>;
}

export async function runTests(pattern: string, { address, settings }: ChosenEngine): Promise<number> {
  if (process.env[address]) {
    process.stderr.write(`${address} is set, so the tests would run on that server: unset it.\n`);
    return 64;
  }
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = ['node_modules/jest/bin/jest.js', '--selectProjects', 'engines', '--testPathPatterns', pattern];
  const child = spawn(process.execPath, [...flags, ...jest], {
    env: { ...process.env, ...settings },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'close');
  return typeof code === 'number' ? code : 1;
}
