import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Keeps compiled modules for the next start, which takes 0.57 s of CPU instead of 0.89. The folder is our own, because
// others could put code into a shared one. If it can't be written, nothing is kept.
enableCompileCache(join(import.meta.dirname, '..', '.local', 'compile-cache'));

// Signals end the process at once while modules load, because nothing must be closed yet.
const exit = (): void => process.exit(0);
process.once('SIGTERM', exit).once('SIGINT', exit);

const { readConfig } = await import('./config/api.ts');
const { readEnvironment } = await import('./config/secrets.ts');
const { SettingsError } = await import('./config/settings.ts');
const { AuthorityFileError } = await import('./elasticsearch/client.ts');
try {
  const config = readConfig(readEnvironment(process.env));
  const { serve } = await import('./serve.ts');
  // Loading the client of the chain takes a tenth of a start, which an installation without paid search saves.
  const payments = config.paid === null ? null : await import('./connect-payments.ts');
  const serving = serve(config, payments);
  // From here on it ends the process itself.
  process.off('SIGTERM', exit).off('SIGINT', exit);
  await serving;
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof AuthorityFileError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
