import { type Config, readConfig } from './config/api.ts';
import { readEnvironment } from './config/secrets.ts';
import { type Environment, SettingsError } from './config/settings.ts';
import { configText } from './config/shown.ts';

/** Returns the settings. Prints problems and ends the process if they are wrong. */
export function settingsOrExit(environment: Environment): Config {
  try {
    const env = readEnvironment(environment);
    if (!process.argv.includes('--print-config')) return readConfig(env);
    process.stdout.write(`${configText(env)}\n`);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
