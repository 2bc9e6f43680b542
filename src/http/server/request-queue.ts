import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';

// A client may send requests on one connection without waiting for answers (pipelining). Node hands over all of them at
// once, and keeps each answer until its turn comes: whoever sends hundreds and reads nothing would hold hundreds of
// answers. And when such a connection closes, Node emits `close` on the answer whose turn it is, and on no other, so
// that whatever waits for the others to be over would wait for ever.

/** Pipelined requests of one connection that wait for their turn. */
const queuedMax = 100;
/** The same of all connections of a process: each holds some 4 KB. */
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
 * Hands requests to their handlers one at a time for each connection, so that a connection holds one answer at most,
 * and cuts connections that queue too many requests or have not taken an answer within its time.
 * @param answerTimeoutMs from the request's turn to the last byte of its answer
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
      // Not at once: between two requests of one connection, others have their turn.
      if (queue.waiting.length > 0) setImmediate(goOn, queue, socket);
      else queue.answering = false;
    });
    handler(request, response);
  }

  function goOn(queue: Queue, socket: Socket): void {
    queue.answering = false;
    // After `Connection: close` nothing can be written, so nothing more is done.
    if (!socket.writable) return;
    const next = queue.waiting.shift();
    if (next === undefined) return;
    queuedTotal -= 1;
    begin(queue, next);
  }

  /** Handles a request when those before it on its connection have been answered. */
  return (request: IncomingMessage, response: ServerResponse, handler: RequestListener): void => {
    const { socket } = request;
    // What was read together with a request for which the connection was cut is still parsed.
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

/** What makes Node's parser leave the rest of what it was given, as if the connection spoke another protocol from here. */
const parseNoFurther = 2;

/**
 * Stops reading requests from a connection that was cut: of one packet, a thousand may be left, and Node would make
 * each of them, to be freed only when the socket has closed. Its parser is no part of what Node documents; where it is
 * another than expected, nothing is changed.
 */
export function parseNothingAfterCut(socket: Socket): void {
  const parser: unknown = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null || !('onIncoming' in parser)) return;
  const { onIncoming } = parser;
  if (typeof onIncoming !== 'function') return;
  parser.onIncoming = (...given: readonly unknown[]): unknown =>
    socket.destroyed ? parseNoFurther : onIncoming(...given);
}
