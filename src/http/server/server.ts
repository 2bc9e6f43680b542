import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Config } from '../../config/api.ts';
import { type ErrorCode, errorCodes } from '../errors/codes.ts';
import { createRequestQueue, parseNothingAfterCut } from './request-queue.ts';

/** Request line and headers together, in bytes. */
const headerBytesMax = 16_384;
/** How often connections are looked at for the time-outs below. */
const checkIntervalMs = 1_000;

/** What Node's HTTP parser refuses before there is a request that the app could see. */
const parserReplies: Readonly<Record<string, readonly [code: ErrorCode, error: string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', `The request line and headers are over ${headerBytesMax} bytes.`],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request was not sent completely in time.'],
};
const malformed = ['malformed_request', 'The request is not valid HTTP.'] as const;

/**
 * An HTTP server with limits on time, size and number, whose every answer has the form of the API's errors, also where
 * Node answers on its own. Not listening yet.
 */
export function createHttpServer(handler: RequestListener, limits: Config['http'], log: Logger): Server {
  const enqueue = createRequestQueue(limits.answerTimeoutMs, log);
  const server = createServer(
    {
      maxHeaderSize: headerBytesMax,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
      // Node would answer its absence on its own and without a body, and let two of them pass.
      requireHostHeader: false,
      // A request without a body is none to wait for: its stream has ended as it begins.
      optimizeEmptyRequests: true,
    },
    (request, response) => enqueue(request, response, hostIsValid(request) ? handler : refuseHost),
  );
  server.on('connection', parseNothingAfterCut);
  server.maxConnections = limits.maxConnections;
  // A socket is closed when nothing moves on it for that long; who reads a little now and then meets the time-out above.
  server.setTimeout(Math.max(limits.requestTimeoutMs, limits.keepAliveTimeoutMs));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const [code, sentence] = parserReplies[error.code ?? ''] ?? malformed;
    refuse(socket, code, sentence, log);
  });
  server.on('connect', (_request, socket) => {
    refuse(socket, 'method_not_allowed', 'This server is no proxy: CONNECT is not offered.', log);
  });
  server.on('checkExpectation', (request, response) => enqueue(request, response, refuseExpectation));
  server.on('drop', () => log.warn({ maxConnections: limits.maxConnections }, 'connection refused: too many are open'));
  return server;
}

/** A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port. Empty is valid: RFC 9110, 7.2. */
const hostForm = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[\w.~!$&'()*+,;=%-]{0,255})(?::\d{0,5})?$/;

/** What RFC 9112, 3.2 demands: one valid `Host`; before HTTP/1.1 there may be none. */
function hostIsValid({ rawHeaders, httpVersionMinor, httpVersionMajor }: IncomingMessage): boolean {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length !== 4 || rawHeaders[at]?.toLowerCase() !== 'host') continue;
    if (found !== undefined) return false;
    found = rawHeaders[at + 1] ?? '';
  }
  if (found === undefined) return httpVersionMajor === 1 && httpVersionMinor === 0;
  return hostForm.test(found);
}

const refuseHost = refusal('malformed_request', 'An HTTP/1.1 request must have exactly one valid Host header.');
const refuseExpectation = refusal('expectation_failed', 'The only expectation that is understood is 100-continue.');

/** Answers a request that the app does not get to see, and closes its connection. */
function refusal(code: ErrorCode, error: string): RequestListener {
  return (_request, response) => {
    const { status, headers, body } = rawReply(code, error);
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(body);
  };
}

function rawReply(code: ErrorCode, error: string) {
  const { status } = errorCodes[code];
  const body = JSON.stringify({ error, code });
  const requestId = randomUUID();
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
    ...(status === 405 ? { Allow: 'GET, HEAD, OPTIONS, POST' } : {}),
  };
  return { status, body, headers, requestId };
}

/**
 * Answers on a bare socket and closes it. A socket that is gone, that owes an answer to a whole request before, or that
 * has begun to answer, is only closed.
 */
function refuse(socket: Duplex, code: ErrorCode, error: string, log: Logger): void {
  if (!socket.writable || owesAnother(socket)) {
    socket.destroy();
    return;
  }
  const { status, body, headers, requestId } = rawReply(code, error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  log.info({ requestId, status, code }, 'request refused');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Whether the next answer on the socket is another one than that to the request which could not be read to its end. */
function owesAnother(socket: Duplex): boolean {
  // Node keeps the answer that is next here, and its types leave that out.
  const next = '_httpMessage' in socket ? socket._httpMessage : null;
  return next instanceof ServerResponse && (next.headersSent || next.req.complete);
}
