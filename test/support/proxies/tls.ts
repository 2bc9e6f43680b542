import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate authority and a certificate that it signed, as files in a new folder. */
export interface Certificates extends Disposable {
  readonly caFile: string;
  readonly keyFile: string;
  readonly certFile: string;
}

/** Created for each run with the openssl of this machine; valid for a day. */
export function makeCertificates(hosts: string): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-tls-'));
  const file = (name: string): string => join(folder, name);
  const openssl = (args: string): void => void execFileSync('openssl', args.split(' '), { stdio: 'pipe' });
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  const [ca, node] = [file('ca'), file('node')];
  openssl(`req -x509 ${key} -days 1 -subj /CN=test-authority -keyout ${ca}.key -out ${ca}.crt`);
  openssl(`req ${key} -subj /CN=node -keyout ${node}.key -out ${node}.csr -addext subjectAltName=${hosts}`);
  openssl(
    `x509 -req -in ${node}.csr -CA ${ca}.crt -CAkey ${ca}.key -CAcreateserial -days 1 -copy_extensions copy -out ${node}.crt`,
  );
  return {
    caFile: file('ca.crt'),
    keyFile: file('node.key'),
    certFile: file('node.crt'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** A proxy with TLS and authentication in front of Elasticsearch, like a secured cluster. */
export interface TlsProxy extends AsyncDisposable {
  readonly url: string;
  /** The Authorization header of each request. */
  readonly seen: (string | undefined)[];
}

/** @param authorization the accepted header value; others get Elasticsearch's error */
export async function startTlsProxy(
  target: string,
  certificates: Certificates,
  authorization: string,
): Promise<TlsProxy> {
  const seen: (string | undefined)[] = [];
  const server = createServer(
    { key: readFileSync(certificates.keyFile), cert: readFileSync(certificates.certFile) },
    (incoming, outgoing) => {
      seen.push(incoming.headers.authorization);
      if (incoming.headers.authorization === authorization) forward(target, incoming, outgoing);
      else refuse(incoming, outgoing);
    },
  );
  // The other side reports failed handshakes.
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { authorization: _, ...headers } = incoming.headers;
  const { hostname, port } = new URL(target);
  const onward = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

/** The form of Elasticsearch's security errors. */
function refuse(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume();
  const reason =
    incoming.headers.authorization === undefined
      ? `missing authentication credentials for REST request [${incoming.url}]`
      : 'unable to authenticate with provided credentials and anonymous access is not allowed for this request';
  const cause = { type: 'security_exception', reason };
  const headers = {
    'content-type': 'application/json',
    'x-elastic-product': 'Elasticsearch',
    'www-authenticate': 'Basic realm="security" charset="UTF-8", ApiKey',
  };
  outgoing.writeHead(401, headers).end(JSON.stringify({ error: { root_cause: [cause], ...cause }, status: 401 }));
}
