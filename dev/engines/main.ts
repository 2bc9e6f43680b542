import { Command } from 'commander';
import { shutdownSignal, untilAborted } from '../lib/graceful-shutdown.ts';
import { StateInUseError } from '../lib/state.ts';
import { type EngineOptions, type Engines, startEngines } from './engines.ts';
import { MissingToolError } from './preflight.ts';

async function main(env: EngineOptions['env']): Promise<number> {
  const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const signal = shutdownSignal('the engines', env, printLine);
  let engines: Engines;
  try {
    engines = await startEngines({ state: env.STATE || '.local/engines', env, printLine, signal, keep: true });
  } catch (error) {
    if (signal.aborted) return 0;
    printLine(error instanceof MissingToolError || error instanceof StateInUseError ? error.message : String(error));
    return 1;
  }
  const addresses = { postgres: engines.postgres.url, elasticsearch: engines.elasticsearch.url };
  process.stdout.write(`${JSON.stringify({ ready: true, ...addresses })}\n`);
  if (engines.postgres.source === 'environment' && engines.elasticsearch.source === 'environment') {
    printLine(
      'Both addresses come from DATABASE_URL and ELASTICSEARCH_URL: nothing was started, and nothing must be kept running.',
    );
    await engines.stop();
    return 0;
  }
  printLine('Both engines are ready. Ctrl-C stops them and keeps their data.');
  await untilAborted(signal);
  await engines.stop();
  printLine('Stopped.');
  return 0;
}

await new Command('engines')
  .description('Runs Postgres and Elasticsearch alone, until Ctrl-C.')
  .addHelpText(
    'after',
    `
Each comes from DATABASE_URL or ELASTICSEARCH_URL, from Docker, or from this machine, whichever is there first. STATE
names the folder of their data (.local/engines). When both are ready, their addresses are printed as a line of JSON.`,
  )
  .action(async () => {
    process.exitCode = await main(process.env);
  })
  .parseAsync();
