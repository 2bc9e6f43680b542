import pg from 'pg';
import { to } from 'pg-copy-streams';
import { z } from 'zod';

// `COPY (SQL) TO STDOUT`, read and dropped: DATABASE_URL in the environment, the SQL as argument.

const [, , sql = ''] = process.argv;
const client = new pg.Client({ connectionString: z.url().parse(process.env.DATABASE_URL) });
await client.connect();
await client.query('set jit = off');
const startedMs = performance.now();
let bytes = 0;
for await (const chunk of client.query(to(`copy (${sql}) to stdout`))) bytes += chunk.length;
process.stdout.write(`${JSON.stringify({ seconds: (performance.now() - startedMs) / 1_000, bytes })}\n`);
await client.end();
