import { reindexConfig, syncConfig } from '../indexer/config.ts';
import { logLevelConfig } from '../src/config/engines.ts';
import { databaseConfig, elasticsearchConfig } from '../src/config/indexer.ts';
import { namesAskedFor, shownSettings } from '../src/config/secrets.ts';
import { type Environment, SettingsError } from '../src/config/settings.ts';

const groups: Readonly<Record<string, (env: Environment) => unknown>> = {
  database: databaseConfig,
  elasticsearch: elasticsearchConfig,
  reindex: reindexConfig,
  sync: syncConfig,
  logLevel: logLevelConfig,
};

/**
 * The command line's settings as one JSON text without any secret. Each command reads only what it needs, so a group
 * that is wrong is reported in its place and the others are shown.
 */
export function printableConfig(env: Environment): string {
  const names = new Set<string>();
  const effective = Object.fromEntries(
    Object.entries(groups).map(([group, read]) => {
      try {
        for (const name of namesAskedFor(read, env)) names.add(name);
        return [group, read(env) ?? null];
      } catch (error) {
        if (error instanceof SettingsError) return [group, { wrong: error.problems }];
        throw error;
      }
    }),
  );
  return shownSettings(env, [...names], effective);
}
