import { type Environment, SettingsError } from '../config/settings.ts';
import { tracingConfig } from '../config/tracing.ts';

/** Ends tracing: what was traced and not sent yet is sent, within the exporter's own time limit. Never rejects. */
export type CloseTracing = () => Promise<void>;

/** The function for a process without tracing. */
export const nothingToClose: CloseTracing = async () => undefined;

/**
 * Starts tracing if OpenTelemetry's variables are set. Must be awaited before other imports, because modules are
 * instrumented while they load.
 * @param name default of OTEL_SERVICE_NAME
 */
export async function startTracing(env: Environment, name: string): Promise<CloseTracing> {
  const config = tracingConfigOrNull(env);
  if (config === null) return nothingToClose;
  const { trace } = await import('./sdk.ts');
  return trace(config, name);
}

/** Returns null for wrong variables, which `readConfig` reports together with all other problems. */
function tracingConfigOrNull(env: Environment) {
  try {
    return tracingConfig(env);
  } catch (error) {
    if (error instanceof SettingsError) return null;
    throw error;
  }
}
