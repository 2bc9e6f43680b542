import type { ServerResponse } from 'node:http';
import type { Context } from '../context.ts';

/** What is handed to a socket at once. In bytes. */
const pieceBytes = 65_536;
/** Pieces that are handed over, of all answers together, before other work has its turn. */
const piecesATurn = 4;

interface Sending {
  readonly res: ServerResponse;
  readonly body: Buffer;
  sent: number;
}

/**
 * Makes a function that sends a long body in pieces, each when the socket has taken the one before, so that a thousand
 * downloads which begin together leave others their turn. Shorter bodies it leaves to Koa. To be called when all else
 * is done.
 */
export function createBodySender(): (ctx: Context) => void {
  // Those whose socket takes more, served in turn.
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
