import { readEnvironment } from '../../src/config/secrets.ts';
import { serve } from '../../src/serve.ts';
import { nothingToClose } from '../../src/tracing/start.ts';
import { limitedConfig } from './limits.ts';

// The API as `src/main.ts` runs it, with the limits of LIMITS.
await serve(limitedConfig(readEnvironment(process.env)), nothingToClose);
