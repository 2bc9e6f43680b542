import { type Config, readConfig } from './config/api.ts';
import { readEnvironment } from './config/secrets.ts';
import { type Environment, SettingsError } from './config/settings.ts';

/** Returns the settings. Prints problems and ends the process if they are wrong. */
export function settingsOrExit(environment: Environment): Config {
  try {
    return readConfig(readEnvironment(environment));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
