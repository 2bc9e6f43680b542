import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Log } from './log.ts';
import { ServiceError, serviceErrorIn } from './service-error.ts';
import { callSignal, createServiceFetch } from './service-fetch.ts';
import type { Settings } from './settings.ts';

/** A result of the service, whose content is passed on unread. */
export type ServiceResult = Readonly<Record<string, unknown>>;

export interface Service {
  /**
   * Sends one request and waits for its result, connecting first if needed.
   * Throws `ServiceError` if there is no answer, `ProtocolError` if the answer is an error of the protocol.
   */
  request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ServiceResult>;
  close(): Promise<void>;
}

const anyResult = z.record(z.string(), z.unknown());

export function createService(settings: Settings, version: string, log: Log): Service {
  const { url, access, timeoutMs } = settings;
  const endpoint = new URL('mcp', url);
  let connection: Promise<Client> | undefined;

  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'entity-search-mcp', version }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(endpoint, {
      fetch: createServiceFetch(endpoint, access.kind),
      requestInit: { headers: access.kind === 'key' ? { Authorization: `Bearer ${access.key}` } : {} },
    });
    await client.connect(transport, { timeout: timeoutMs });
    log.info(`connected to ${endpoint.href}, protocol ${client.getNegotiatedProtocolVersion() ?? 'unknown'}`);
    return client;
  };

  /** The one connection. After a failure, the next call connects again. */
  const connected = (): Promise<Client> => {
    if (connection === undefined) {
      const attempt = connect();
      connection = attempt;
      attempt.catch(() => {
        if (connection === attempt) connection = undefined;
      });
    }
    return connection;
  };

  return {
    async request(method, params, signal) {
      try {
        const client = await connected();
        return await callSignal.run(signal, () =>
          client.request({ method, params }, anyResult, { signal, timeout: timeoutMs }),
        );
      } catch (error) {
        if (signal.aborted || error instanceof ProtocolError) throw error;
        const failure = toServiceError(error, endpoint, timeoutMs);
        // The service may have changed: the next call connects again.
        if (failure !== null) connection = undefined;
        throw failure ?? error;
      }
    },
    async close() {
      const closing = connection;
      connection = undefined;
      const client = await closing?.catch(() => undefined);
      await client?.close();
    },
  };
}

function toServiceError(error: unknown, endpoint: URL, timeoutMs: number): ServiceError | null {
  const found = serviceErrorIn(error);
  if (found !== undefined) return found;
  if (!(error instanceof SdkError)) return null;
  if (error.code === SdkErrorCode.RequestTimeout) {
    return new ServiceError(
      `The service at ${endpoint.origin} gave no answer within ${timeoutMs / 1_000} seconds: call again, or raise ENTITY_SEARCH_TIMEOUT_SECONDS.`,
      { cause: error },
    );
  }
  return new ServiceError(
    `The service at ${endpoint.origin} could not be used: ${error.message.slice(0, 300)}. Call again; if that does not help, check ENTITY_SEARCH_URL.`,
    { cause: error },
  );
}
