import { once } from 'node:events';
import { createServer } from 'node:http';
import { z } from 'zod';
import { facilitatorHandler } from './handler.ts';

// The local facilitator as a separate process, configured by CHAIN_URL, PORT and CONFIRMATION_TIMEOUT_MS.
const settings = z
  .object({
    CHAIN_URL: z.url(),
    PORT: z.coerce.number().int(),
    CONFIRMATION_TIMEOUT_MS: z.coerce.number().int().positive().default(20_000),
  })
  .parse(process.env);

const server = createServer(facilitatorHandler(settings.CHAIN_URL, settings.CONFIRMATION_TIMEOUT_MS));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
server.listen(settings.PORT, '127.0.0.1');
await once(server, 'listening');
process.stdout.write('The facilitator listens.\n');
