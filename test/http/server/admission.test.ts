import type { Socket } from 'node:net';
import { admittedRoutes } from '../../../dev/docs/admission.ts';
import type { AccountData } from '../../../src/connect-account.ts';
import { noAccount } from '../../support/api/fake-sessions.ts';
import { type Api, startApi } from '../../support/api/in-process.ts';
import { openSocket } from '../../support/api/raw-http.ts';
import { forFile } from '../../support/for-file.ts';
import { until } from '../../support/until.ts';

// Strangers send bodies that never end to every route, from one address and from many, while a caller with a key
// searches and a person signs in.

const stranger = { env: { TRUST_PROXY: '1', REQUESTS_MAX: '24' }, limits: { http: { bodiesMaxBytes: 1_048_576 } } };
/** Number of silent bodies, of 65,000 bytes and the overhead of a request, that fit into that. */
const silentHeld = 12;
const challenges: AccountData['challenges'] = { ...noAccount.challenges, add: async () => undefined };
const api = await forFile(startApi({ ...stranger, account: { challenges } }));

const routes = admittedRoutes().map(({ method, path, ...route }) => ({
  ...route,
  method: method.toUpperCase(),
  path: path.replaceAll('{file}', 'x').replaceAll(/\{\w+\}/g, '1'),
}));

/** Sends of one connection: the text at once, then `more` again and again. */
interface Sent {
  readonly text: string;
  readonly more?: string;
  readonly abort?: true;
}

function kindsOf(method: string, path: string, address: string): Readonly<Record<string, Sent>> {
  const head = (more: string): string =>
    [
      `${method} ${path} HTTP/1.1`,
      `Host: localhost:${api.port}`,
      `Origin: http://localhost:${api.port}`,
      `X-Forwarded-For: ${address}`,
      'Content-Type: application/json',
      more,
      '',
      '',
    ].join('\r\n');
  const chunk = `400\r\n${' '.repeat(1_024)}\r\n`;
  return {
    slow: { text: `${head('Content-Length: 200')}{`, more: ' ' },
    silent: { text: `${head('Content-Length: 65000')}{` },
    endless: { text: `${head('Transfer-Encoding: chunked')}${chunk}`, more: chunk },
    huge: { text: `${head('Content-Length: 9000000000')}${' '.repeat(100_000)}` },
    aborted: { text: `${head('Content-Length: 200')}{`, abort: true },
    pipelined: { text: `${head('Content-Length: 2')}{}`.repeat(20) },
  };
}

const ofOneKind = 4;
let round = 0;

/** Opens connections of every kind and returns what ends them. */
async function attack(method: string, path: string): Promise<() => void> {
  round += 1;
  const one = `198.51.100.${round}`;
  const many = Array.from({ length: ofOneKind }, (_, at) => `2001:db8:${round}:${at}::1`);
  const sockets = [...Array<string>(ofOneKind).fill(one), ...many].flatMap((address) =>
    Object.values(kindsOf(method, path, address)).map((sent) => open(sent)),
  );
  const timers = await Promise.all(sockets);
  return () => {
    for (const { socket, timer } of timers) {
      clearInterval(timer);
      socket.destroy();
    }
  };
}

async function open({ text, more, abort }: Sent): Promise<{ readonly socket: Socket; readonly timer: NodeJS.Timeout }> {
  const socket = await openSocket(api.port);
  socket.resume().write(text);
  const timer = setInterval(() => more !== undefined && socket.writable && socket.write(more), 20);
  if (abort === true) setTimeout(() => socket.resetAndDestroy(), 5);
  return { socket, timer };
}

async function requestChallenge(of: Api, address: string): Promise<number> {
  const origin = `http://localhost:${of.port}`;
  const response = await fetch(`${origin}/account/api/wallets/challenge`, {
    method: 'POST',
    body: JSON.stringify({ address: `0x${'1'.repeat(40)}`, purpose: 'sign-in' }),
    headers: { origin, 'content-type': 'application/json', 'x-forwarded-for': address },
  });
  return response.status;
}

test('every route except health takes a slot of a class, after its body has arrived', () => {
  const exempt = routes.filter(({ gates }) => !gates.includes('slot'));
  expect(exempt.map(({ path }) => path)).toEqual(['/api/health']);
  const late = routes.filter(({ gates }) => gates.includes('body') && gates.indexOf('body') > gates.indexOf('slot'));
  expect(late).toEqual([]);
});

test.each(routes)('slow $method $path requests block no search and no sign-in', async ({ method, path }) => {
  const end = await attack(method, path);
  try {
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await api.keyed('/api/v1/search?type=all&query=quartz')).status).toBe(200);
      expect(await requestChallenge(api, `203.0.113.${round}`)).toBe(200);
    }
  } finally {
    end();
  }
});

test('slow bodies from many addresses are cut off in favour of new requests, each with an answer', async () => {
  const path = '/account/api/sign-out';
  const before = api.log.length;
  const opened = await Promise.all(
    Array.from({ length: 60 }, (_, at) => kindsOf('POST', path, `192.0.2.${at}`).silent ?? { text: '' }).map(open),
  );
  // All of them: requests that are just being cut need slots for their answers.
  const cut = opened.length - silentHeld;
  await until(() => opened.filter(({ socket }) => socket.closed).length >= cut, 'all but the newest to be cut');
  expect(await requestChallenge(api, '203.0.113.250')).toBe(200);
  for (const { socket, timer } of opened) {
    clearInterval(timer);
    socket.destroy();
  }
  // Requests of the tests before may still find Postgres unavailable.
  const errors = api.log.slice(before).filter(({ level, msg }) => level === 'error' && msg !== 'postgres unavailable');
  expect(errors).toEqual([]);
});
