import { withSecretFiles } from './config/secrets.ts';
import { type Environment, SettingsError } from './config/settings.ts';
import { startTracing } from './tracing/start.ts';

/** The environment with the secrets that it names as files, or the end: what is wrong is for people. */
async function environmentOrExit(): Promise<Environment> {
  try {
    const env = withSecretFiles(process.env);
    if (!process.argv.includes('--print-config')) return env;
    const { configText } = await import('./config/shown.ts');
    process.stdout.write(`${configText(env)}\n`);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

const env = await environmentOrExit();
const closeTracing = await startTracing(env, 'entity-search-api');
// Only now: what is traced is instrumented as it is loaded.
const { serve } = await import('./serve.ts');
const { AuthorityFileError } = await import('./elasticsearch/client.ts');
try {
  await serve(env, closeTracing);
} catch (error) {
  if (!(error instanceof AuthorityFileError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
