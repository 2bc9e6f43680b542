import { readEnvironment } from '../../src/config/secrets.ts';
import * as payments from '../../src/connect-payments.ts';
import { serve } from '../../src/serve.ts';
import { limitedConfig } from './limits.ts';

// The API as `src/main.ts` runs it, with the limits of LIMITS.
await serve(limitedConfig(readEnvironment(process.env)), payments);
