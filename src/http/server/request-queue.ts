import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';

// A client may send requests on one connection without waiting for answers (pipelining). Node passes all of them to the
// handler at once and keeps the answers until their turn, so a client that reads nothing could hold hundreds of
// answers. When such a connection closes, Node emits `close` only on the current answer, so that code waiting for the
// others would wait forever.

/** Maximum number of waiting requests of one connection. */
const queuedMax = 100;
/** Maximum number of waiting requests of a process. Each takes about 4 KB. */
const queuedTotalMax = 256;

type Socket = IncomingMessage['socket'];

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handler: RequestListener;
}

interface Queue {
  answering: boolean;
  readonly waiting: Turn[];
}

/**
 * Handles the requests of each connection one at a time, so that a connection holds at most one answer. Cuts
 * connections with too many waiting requests, or whose client does not read an answer in time.
 * @param answerTimeoutMs time from the request's turn to the last byte of its answer
 */
export function createRequestQueue(answerTimeoutMs: number, log: Logger) {
  const queues = new WeakMap<Socket, Queue>();
  let queuedTotal = 0;

  function cut(socket: Socket, reason: string): void {
    log.info({ reason }, 'connection cut');
    socket.destroy();
  }

  function open(socket: Socket): Queue {
    const queue: Queue = { answering: false, waiting: [] };
    queues.set(socket, queue);
    socket.once('close', () => {
      queuedTotal -= queue.waiting.length;
      queue.waiting.length = 0;
    });
    return queue;
  }

  function begin(queue: Queue, { request, response, handler }: Turn): void {
    queue.answering = true;
    const { socket } = request;
    const timer = setTimeout(() => cut(socket, 'the answer was not read in time'), answerTimeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      // Other connections get a turn between two requests of this one.
      if (queue.waiting.length > 0) setImmediate(goOn, queue, socket);
      else queue.answering = false;
    });
    handler(request, response);
  }

  function goOn(queue: Queue, socket: Socket): void {
    queue.answering = false;
    // After `Connection: close`, no further answer can be written.
    if (!socket.writable) return;
    const next = queue.waiting.shift();
    if (next === undefined) return;
    queuedTotal -= 1;
    begin(queue, next);
  }

  /** Handles a request after the earlier ones of its connection. */
  return (request: IncomingMessage, response: ServerResponse, handler: RequestListener): void => {
    const { socket } = request;
    // Node still parses the requests that it read before the connection was cut.
    if (socket.destroyed) return;
    const queue = queues.get(socket) ?? open(socket);
    if (!queue.answering) begin(queue, { request, response, handler });
    else if (queue.waiting.length >= queuedMax || queuedTotal >= queuedTotalMax) {
      cut(socket, 'too many pipelined requests');
    } else {
      queue.waiting.push({ request, response, handler });
      queuedTotal += 1;
    }
  };
}

/** The return value that makes Node's parser stop, as for a protocol upgrade. */
const parseNoFurther = 2;

/**
 * Stops parsing requests of a connection that was cut. One packet may contain a thousand more, and Node would keep each
 * in memory until the socket has closed. Node does not document its parser; an unexpected one stays unchanged.
 */
export function parseNothingAfterCut(socket: Socket): void {
  const parser: unknown = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null || !('onIncoming' in parser)) return;
  const { onIncoming } = parser;
  if (typeof onIncoming !== 'function') return;
  parser.onIncoming = (...given: readonly unknown[]): unknown =>
    socket.destroyed ? parseNoFurther : onIncoming(...given);
}
