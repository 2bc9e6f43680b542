import { readConfig } from './api.ts';
import { namesAskedFor, shownSettings } from './secrets.ts';
import type { Environment } from './settings.ts';

/** The API's settings as one JSON text without any secret. Throws `SettingsError` where they are wrong. */
export function configText(env: Environment): string {
  return shownSettings(env, namesAskedFor(readConfig, env), readConfig(env));
}
