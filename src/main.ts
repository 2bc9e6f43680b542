import { type Config, readConfig } from './config/api.ts';
import { readEnvironment } from './config/secrets.ts';
import { type Environment, SettingsError } from './config/settings.ts';
import { configText } from './config/shown.ts';
import { startTracing } from './tracing/start.ts';

/** What the process is told, or the end: what is wrong is for people. */
function settingsOrExit(): { readonly env: Environment; readonly config: Config } {
  try {
    const env = readEnvironment(process.env);
    if (!process.argv.includes('--print-config')) return { env, config: readConfig(env) };
    process.stdout.write(`${configText(env)}\n`);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

const { env, config } = settingsOrExit();
const closeTracing = await startTracing(env, 'entity-search-api');
// Only now: what is traced is instrumented as it is loaded.
const { serve } = await import('./serve.ts');
const { AuthorityFileError } = await import('./elasticsearch/client.ts');
try {
  await serve(config, closeTracing);
} catch (error) {
  if (!(error instanceof AuthorityFileError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
