import type { Router } from '@koa/router';
import type { State } from '../context.ts';

/**
 * Has a router keep what it finds for an address that is a route's as it stands, instead of comparing each request with
 * every route. It keeps as many as there are such routes and methods. To be called when all routes are there.
 */
export function keepMatches(router: Router<State, object>): void {
  const find = router.match.bind(router);
  const kept = new Map<string, ReturnType<typeof find>>();
  router.match = (path, method) => {
    const name = `${method} ${path}`;
    const known = kept.get(name);
    if (known !== undefined) return known;
    const found = find(path, method);
    if (found.path.some((layer) => layer.path === path)) kept.set(name, found);
    return found;
  };
}
