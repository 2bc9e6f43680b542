import type { Endpoint } from '../endpoint.ts';

/** An address for browsers, which is not in the OpenAPI document. */
export type PageRoute = Pick<Endpoint, 'method' | 'path' | 'gates' | 'countedAs'> & {
  handler(deps: Parameters<Endpoint['handler']>[0]): ReturnType<Endpoint['handler']>;
};
