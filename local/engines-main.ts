import { type EngineOptions, type Engines, startEngines } from './engines.ts';
import { MissingToolError } from './preflight.ts';
import { StateInUseError } from './state.ts';

/**
 * `npm run engines`: Postgres and Elasticsearch alone, until Ctrl-C. People's text goes to stderr; stdout
 * gets one line of JSON when both are ready. A second Ctrl-C ends at once (the engines see our end and
 * stop by themselves).
 */
async function main(env: EngineOptions['env']): Promise<number> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (stopping.signal.aborted) process.exit(130);
        say(`${signal}: stopping the engines …`);
        stopping.abort(new Error(`Stopped by ${signal}.`));
        resolve();
      });
    }
  });
  let engines: Engines;
  try {
    engines = await startEngines({ state: env.STATE || '.local/engines', env, say, signal: stopping.signal });
  } catch (error) {
    if (stopping.signal.aborted) return 0;
    say(error instanceof MissingToolError || error instanceof StateInUseError ? error.message : String(error));
    return 1;
  }
  const { postgres, elasticsearch } = engines;
  process.stdout.write(
    `${JSON.stringify({ ready: true, postgres: postgres.url, elasticsearch: elasticsearch.url })}\n`,
  );
  say('Both engines are ready. Ctrl-C stops them and keeps their data.');
  await stopped;
  await engines.stop();
  say('Stopped.');
  return 0;
}

process.exitCode = await main(process.env);
