import type { ServerResponse } from 'node:http';
import type { Context } from '../context.ts';

/** Bytes that are written to a socket at once. */
const pieceBytes = 65_536;
/** Pieces that are written, for all answers together, before other work continues. */
const piecesATurn = 4;

interface Sending {
  readonly res: ServerResponse;
  readonly body: Buffer;
  sent: number;
}

/**
 * Returns a function that sends long bodies in pieces, each when the socket has accepted the one before, so that a
 * thousand downloads don't block other requests, and unread bytes stay in this process, which limits them, and not in the
 * kernel. Koa sends shorter bodies. Must be called last.
 */
export function createBodySender(): (ctx: Context) => void {
  // Answers whose socket accepts more, served in turn.
  const ready: Sending[] = [];
  let scheduled = false;

  function goOn(sending: Sending): void {
    ready.push(sending);
    if (scheduled) return;
    scheduled = true;
    setImmediate(sendPieces);
  }

  function sendPieces(): void {
    for (const sending of ready.splice(0, piecesATurn)) sendPiece(sending);
    scheduled = ready.length > 0;
    if (scheduled) setImmediate(sendPieces);
  }

  function sendPiece(sending: Sending): void {
    const { res, body, sent } = sending;
    if (res.destroyed) return;
    const to = sent + pieceBytes;
    if (to >= body.length) {
      res.end(body.subarray(sent));
      return;
    }
    sending.sent = to;
    if (res.write(body.subarray(sent, to))) goOn(sending);
    else res.once('drain', () => goOn(sending));
  }

  return (ctx) => {
    const { body, res } = ctx;
    if (!Buffer.isBuffer(body) || body.length <= pieceBytes) return;
    if (ctx.method === 'HEAD' || !ctx.writable) return;
    ctx.respond = false;
    goOn({ res, body, sent: 0 });
  };
}
