/** One request to Elasticsearch, past all proxies and past the code that is explored. */
export type Elasticsearch = <Body = unknown>(
  method: string,
  path: string,
  body?: object | string,
) => Promise<{ readonly status: number; readonly body: Body }>;

export function elasticsearchAt(url: string): Elasticsearch {
  return async <Body>(method: string, path: string, body?: object | string) => {
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
    const answer = await fetch(new URL(path, url), {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': type },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      signal: AbortSignal.timeout(15_000),
    });
    return { status: answer.status, body: (await answer.json()) as Body };
  };
}
