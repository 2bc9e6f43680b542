import { databaseConfig, elasticsearchConfig, importLimits, logLevelConfig } from '../indexer/config.ts';
import { reindexConfig } from '../indexer/reindex/config.ts';
import { syncConfig } from '../indexer/sync/config.ts';
import { verifyConfig } from '../indexer/verify/config.ts';
import { namesAskedFor, shownSettings } from '../src/config/secrets.ts';
import { type Environment, SettingsError } from '../src/config/settings.ts';
import { tracingConfig } from '../src/config/tracing.ts';
import { doctorConfig } from './doctor/config.ts';

const groups = {
  database: databaseConfig,
  elasticsearch: elasticsearchConfig,
  import: importLimits,
  reindex: reindexConfig,
  sync: syncConfig,
  verify: verifyConfig,
  doctor: doctorConfig,
  logLevel: logLevelConfig,
  tracing: tracingConfig,
} as const;

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
