import { open, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/**
 * Sends prebuilt `_bulk` bodies as fast as Elasticsearch takes them: `replay.ts PLAN`, a file of JSON as below. Prints
 * the seconds from the first request until everything was searchable.
 */
const plan = z
  .object({
    elasticsearch: z.url(),
    index: z.string(),
    bodies: z.string(),
    /** The offsets in bytes at which blocks of whole documents end in the file of bodies. */
    ends: z.array(z.int()),
    blocksPerRequest: z.int().positive(),
    inFlight: z.int().positive(),
  })
  .parse(JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')));

const agent = new Agent({ keepAlive: true, maxSockets: plan.inFlight });

async function post(path: string, body: Buffer): Promise<string> {
  const sending = request(new URL(path, plan.elasticsearch), {
    agent,
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson', 'Content-Length': body.length },
  });
  const answer = new Promise<string>((resolve, reject) => {
    sending.once('error', reject);
    sending.once('response', (response) => {
      text(response).then((words) => {
        if (response.statusCode === 200) resolve(words);
        else reject(new Error(`Elasticsearch answered ${response.statusCode}: ${words.slice(0, 500)}`));
      }, reject);
    });
  });
  sending.end(body);
  return answer;
}

await using file = await open(plan.bodies);
let next = 0;

async function send(): Promise<void> {
  while (next < plan.ends.length) {
    const from = next === 0 ? 0 : (plan.ends[next - 1] ?? 0);
    next += plan.blocksPerRequest;
    const to = plan.ends[Math.min(next, plan.ends.length) - 1] ?? from;
    const body = Buffer.allocUnsafeSlow(to - from);
    await file.read(body, 0, body.length, from);
    const answer = await post(`/${plan.index}/_bulk?filter_path=errors,items.*.error`, body);
    if (!answer.startsWith('{"errors":false')) throw new Error(`documents were refused: ${answer.slice(0, 500)}`);
  }
}

const startedMs = performance.now();
await Promise.all(Array.from({ length: plan.inFlight }, send));
await post(`/${plan.index}/_refresh`, Buffer.alloc(0));
process.stdout.write(`${JSON.stringify({ seconds: (performance.now() - startedMs) / 1_000 })}\n`);
agent.destroy();
