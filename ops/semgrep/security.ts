// Code that the rules of security.yml must find, and code that they must not: `semgrep --test` compares. Never executed.

export function code(text: string): void {
  // ruleid: no-code-from-text
  eval(text);
  // ruleid: no-code-from-text
  new Function('a', text)();
  // ruleid: no-code-from-text
  setTimeout('go()', 1);
  // ok: no-code-from-text
  setTimeout(() => text, 1);
}
// ruleid: no-code-from-text
import { runInNewContext } from 'node:vm';

// ruleid: no-processes
import { exec } from 'node:child_process';
// ruleid: no-processes
import * as processes from 'node:child_process';
// ruleid: no-processes
spawn('ls', [text], { shell: true });
// ok: no-processes
import { once } from 'node:events';

export async function redirects(settings: Settings): Promise<void> {
  // ruleid: no-redirects
  await fetch(addressOf(settings));
  // ruleid: no-redirects
  await fetch(addressOf(settings), { method: 'POST' });
  // ruleid: no-redirects
  await fetch(addressOf(settings), { redirect: 'follow' });
  // ruleid: no-redirects
  const init = { method: 'GET', redirect: 'follow' };
  // ok: no-redirects
  await fetch(addressOf(settings), { method: 'POST', redirect: 'error' });
  // ok: no-redirects
  await fetch(addressOf(settings), { redirect: 'manual', headers: {} });
}

export async function addresses(settings: Settings, payment: Payment): Promise<void> {
  // ruleid: only-configured-addresses
  await fetch(payment.resource.url, { redirect: 'error' });
  // ruleid: only-configured-addresses
  new WebSocket(payment.resource.url);
  // ok: only-configured-addresses
  await fetch(addressOf(settings, 'verify'), { redirect: 'error' });
  const address = addressOf(settings, 'supported');
  // ok: only-configured-addresses
  await fetch(address, { redirect: 'manual' });
}
// ruleid: only-configured-addresses
import { request } from 'node:https';
// ruleid: only-configured-addresses
import { connect } from 'node:net';
// ok: only-configured-addresses
import { createServer } from 'node:http';

export function chance(): number {
  // ruleid: no-predictable-chance
  return Math.random();
}
// ruleid: no-predictable-chance
const random = Math.random;
// ok: no-predictable-chance
const bytes = randomBytes(32);

export function outside(text: string): string {
  // ruleid: outside-data-is-checked
  const answer = JSON.parse(text) as Answer;
  // ruleid: outside-data-is-checked
  const name = JSON.parse(text).name;
  // ok: outside-data-is-checked
  const checked = schema.parse(JSON.parse(text));
  // ok: outside-data-is-checked
  const parsed = schema.safeParse(JSON.parse(text));
  // ok: outside-data-is-checked
  const unknown: unknown = JSON.parse(text);
  return name;
}
function parseJson(text: string): unknown {
  // ok: outside-data-is-checked
  return JSON.parse(text);
}

export function logs(ctx: Context, log: Logger): void {
  // ruleid: no-headers-in-logs
  log.info({ headers: ctx.headers }, 'request');
  // ruleid: no-headers-in-logs
  ctx.state.log.warn({ seen: ctx.req.headers }, 'request');
  // ruleid: no-headers-in-logs
  log.error({ key: ctx.get('authorization') }, 'refused');
  // ruleid: no-headers-in-logs
  log.debug({ ctx }, 'all of it');
  // ruleid: no-headers-in-logs
  log.debug(config);
  // ok: no-headers-in-logs
  log.info({ requestId: ctx.state.requestId, status: ctx.status }, 'request');
}

// ruleid: no-exponential-expressions
const nested = /^(a+)+$/;
// ruleid: no-exponential-expressions
const words = /^(\w+\s?)*$/;
// ruleid: no-exponential-expressions
const classes = /([a-z]+)*:/;
// ok: no-exponential-expressions
const plain = /^[\w-]+$/;
// ok: no-exponential-expressions
const several = /^x402:(\d{1,15})([A-Za-z]*)$/;

export function expressions(word: string): void {
  // ruleid: no-expressions-from-values
  new RegExp(word);
  // ruleid: no-expressions-from-values
  new RegExp(`^${word}$`, 'u');
  // ok: no-expressions-from-values
  new RegExp('^[a-z]+$');
}

// ruleid: environment-in-mains-only
const secret = process.env.CURSOR_SECRET;
// ruleid: environment-in-mains-only
const all = { ...process.env };

export async function statements(pool: Pool, name: string): Promise<void> {
  // ruleid: no-values-in-sql
  await pool.query(`select * from accounts where name = '${name}'`);
  // ruleid: no-values-in-sql
  await pool.query(`
    update accounts set plan = ${input.plan}
     where id = $1`);
  // ruleid: no-values-in-sql
  await pool.query('select * from accounts where name = ' + name);
  // ruleid: no-values-in-sql
  await pool.query(`SET ROLE ${name}`);
  // ok: no-values-in-sql
  await pool.query(`select ${keyColumns} from api_keys k where k.id = $1`, [name]);
  // ok: no-values-in-sql
  await pool.query('select 1 from accounts where name = $1', [name]);
  // ok: no-values-in-sql
  throw new Error(`There is no account ${name}.`);
}

// ruleid: encrypted-means-checked
const tls = { ca, rejectUnauthorized: false };
// ruleid: encrypted-means-checked
const names = { host, checkServerIdentity: () => undefined };
// ok: encrypted-means-checked
const good = { ca: readFileSync(path) };

// ruleid: no-broken-hashes
createHash('md5');
// ruleid: no-broken-hashes
createHmac('sha1', secret);
// ok: no-broken-hashes
createHmac('sha256', secret);

export function seals(given: Buffer, body: Buffer): boolean {
  // ruleid: seals-compared-in-constant-time
  if (createHmac('sha256', secret).update(body).digest('hex') === given.toString('hex')) return true;
  // ruleid: seals-compared-in-constant-time
  if (given.equals(seal(body, secret))) return true;
  // ok: seals-compared-in-constant-time
  return timingSafeEqual(given, seal(body, secret));
}
