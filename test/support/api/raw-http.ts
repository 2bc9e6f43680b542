import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens a connection on which errors are ignored. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Reads until the other side closes. */
export async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  if (!socket.closed) await once(socket, 'close');
  return text;
}

/** Sends bytes unchanged, which Node's own client would change or refuse, and reads until the other side closes. */
export async function exchange(port: number, bytes: string): Promise<{ status: number; head: string; body: string }> {
  const socket = await openSocket(port);
  const answer = readAll(socket);
  socket.write(bytes);
  const [head = '', ...rest] = (await answer).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') };
}
