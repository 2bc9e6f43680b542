import { type Environment, SettingsError } from '../config/settings.ts';
import { tracingConfig } from '../config/tracing.ts';

/** Ends tracing: what was traced and not sent yet is sent, within the exporter's own time limit. Never rejects. */
export type CloseTracing = () => Promise<void>;

/** Of a process that is not traced. */
export const nothingToClose: CloseTracing = async () => undefined;

/**
 * Traces this process, where OpenTelemetry's variables say so. To be awaited before anything else is imported: what is
 * traced is instrumented as it is loaded. Where nothing is traced, nothing of it is loaded.
 * @param name what the process is called where OTEL_SERVICE_NAME does not say
 */
export async function startTracing(env: Environment, name: string): Promise<CloseTracing> {
  const config = tracingConfigOrNull(env);
  if (config === null) return nothingToClose;
  const { trace } = await import('./sdk.ts');
  return trace(config, name);
}

/** What is wrong with the variables is told by who reads them all, in one list. */
function tracingConfigOrNull(env: Environment) {
  try {
    return tracingConfig(env);
  } catch (error) {
    if (error instanceof SettingsError) return null;
    throw error;
  }
}
