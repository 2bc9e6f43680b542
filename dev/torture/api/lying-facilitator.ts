import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../random.ts';

/** A real facilitator that sometimes misreports its actions. */
export interface LyingFacilitator extends AsyncDisposable {
  readonly url: string;
  readonly lies: Record<string, number>;
  lie(on: boolean): void;
}

/** The false answer, and whether the payment is sent to the chain all the same. */
interface Lie {
  readonly name: string;
  readonly sends: boolean;
  /** Left out, the connection is cut. */
  readonly answer?: { readonly status: number; readonly body: object };
}

const refusal = (errorReason: string): NonNullable<Lie['answer']> => ({
  status: 200,
  body: { success: false, errorReason, transaction: '', network: '' },
});

const aboutSettling: readonly [Lie, ...Lie[]] = [
  { name: 'sent and vague', sends: true, answer: refusal('unexpected_settle_error') },
  { name: 'sent and refused', sends: true, answer: refusal('insufficient_funds') },
  { name: 'sent and 429', sends: true, answer: { status: 429, body: { error: 'slow down' } } },
  { name: 'sent and cut', sends: true },
  { name: 'not sent and cut', sends: false },
  { name: 'not sent and vague', sends: false, answer: refusal('unexpected_settle_error') },
  {
    name: 'not sent and success',
    sends: false,
    answer: { status: 200, body: { success: true, transaction: `0x${'ab'.repeat(32)}`, network: '' } },
  },
];
const aboutVerifying: Lie = {
  name: 'sent and invalid',
  sends: true,
  answer: { status: 200, body: { isValid: false, invalidReason: 'insufficient_funds' } },
};

/** One in *n* verifications is a lie, while it lies. */
const verifyChance = 0.25;
const settleChance = 0.8;
/** Time limit for a transaction to reach its pool before the lie is sent. */
const sendingMs = 300;

export async function startLyingFacilitator(target: string, seed: number): Promise<LyingFacilitator> {
  const random = seededRandom(seed);
  const lies: Record<string, number> = {};
  let lying = false;
  const choose = (path: string): Lie | null => {
    if (!lying || !random.chance(path === '/settle' ? settleChance : verifyChance)) return null;
    const lie = path === '/settle' ? random.pick(aboutSettling) : aboutVerifying;
    lies[lie.name] = (lies[lie.name] ?? 0) + 1;
    return lie;
  };
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    handle(target, choose(request.url ?? ''), request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lies,
    lie: (on) => {
      lying = on;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(target: string, lie: Lie | null, request: IncomingMessage, response: ServerResponse) {
  const body = await text(request);
  if (lie === null) {
    const { status, answer } = await ask(`${target}${request.url}`, body);
    send(response, status, answer);
    return;
  }
  // A settlement has the form of a verification. Its outcome is discarded.
  if (lie.sends) await Promise.race([ask(`${target}/settle`, body).catch(() => undefined), delay(sendingMs)]);
  if (lie.answer === undefined) request.socket.resetAndDestroy();
  else send(response, lie.answer.status, JSON.stringify(lie.answer.body));
}

async function ask(url: string, body: string): Promise<{ readonly status: number; readonly answer: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, answer: await response.text() };
}

function send(response: ServerResponse, status: number, body: string): void {
  if (!response.destroyed) response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
