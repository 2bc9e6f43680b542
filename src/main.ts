import { startTracing } from './tracing/start.ts';

const closeTracing = await startTracing(process.env, 'entity-search-api');
// Only now: what is traced is instrumented as it is loaded.
const { serve } = await import('./serve.ts');
await serve(process.env, closeTracing);
