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

/** Maximum size of request line and headers, in bytes. */
const headerBytesMax = 16_384;
/** Interval of checks for the timeouts below. */
const checkIntervalMs = 1_000;

/** Answers to errors of Node's HTTP parser, before the app sees a request. */
const parserReplies: Readonly<Record<string, readonly [code: ErrorCode, error: string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', `The request line and headers are over ${headerBytesMax} bytes.`],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request was not sent completely in time.'],
};
const malformed = ['malformed_request', 'The request is not valid HTTP.'] as const;

/** Creates an HTTP server with limits, whose own errors have the form of the API's errors. It does not listen yet. */
export function createHttpServer(handler: RequestListener, limits: Config['http'], log: Logger): Server {
  const enqueue = createRequestQueue(limits.answerTimeoutMs, log);
  const server = createServer(
    {
      maxHeaderSize: headerBytesMax,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
      // Node would answer a missing Host without a body, and accept two of them.
      requireHostHeader: false,
      // The stream of a request without a body ends at once.
      optimizeEmptyRequests: true,
    },
    (request, response) => enqueue(request, response, hostIsValid(request) ? handler : refuseHost),
  );
  server.on('connection', parseNothingAfterCut);
  server.maxConnections = limits.maxConnections;
  // Closes idle sockets. The timeout of answers applies to clients that read slowly.
  server.setTimeout(Math.max(limits.requestTimeoutMs, limits.keepAliveTimeoutMs));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const [code, sentence] = parserReplies[error.code ?? ''] ?? malformed;
    refuse(socket, code, sentence, log);
  });
  server.on('connect', (_request, socket) => {
    refuse(socket, 'method_not_allowed', 'This server is not a proxy: CONNECT is not supported.', log);
  });
  server.on('checkExpectation', (request, response) => enqueue(request, response, refuseExpectation));
  server.on('drop', () => log.warn({ maxConnections: limits.maxConnections }, 'connection refused: too many are open'));
  return server;
}

/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port. Empty is valid: RFC 9110, 7.2. */
const hostForm = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[\w.~!$&'()*+,;=%-]{0,255})(?::\d{0,5})?$/;

/** Returns true for exactly one valid `Host`, as RFC 9112, 3.2 demands. It is optional before HTTP/1.1. */
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
const refuseExpectation = refusal('expectation_failed', 'The only supported value of Expect is 100-continue.');

/** Returns a handler that refuses a request before the app and closes its connection. */
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
 * Answers on a bare socket and closes it. A socket that can't be written to, that owes an answer to an earlier request,
 * or that has begun to answer is only closed.
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

/** Returns true if the next answer on the socket belongs to another request than the incomplete one. */
function owesAnother(socket: Duplex): boolean {
  // Node keeps the next answer here, which is not in its types.
  const next = '_httpMessage' in socket ? socket._httpMessage : null;
  return next instanceof ServerResponse && (next.headersSent || next.req.complete);
}
