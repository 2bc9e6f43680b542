import type { Endpoint } from '../endpoint.ts';

/** One address for browsers. It is not documented: people find it, and programs have the API. */
export type PageRoute = Pick<Endpoint, 'method' | 'path' | 'gates' | 'countedAs'> & {
  handler(deps: Parameters<Endpoint['handler']>[0]): ReturnType<Endpoint['handler']>;
};
