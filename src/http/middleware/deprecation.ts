import type { Context, Middleware } from '../context.ts';
import type { Deprecation, Deprecations } from '../openapi/deprecation.ts';

/** Where it is explained. */
const documentation = '</docs>; rel="deprecation"; type="text/html"';

/**
 * Tells who uses what is deprecated, on every answer: since when (`Deprecation`, RFC 9745), and when it may be gone
 * (`Sunset`, RFC 8594), of several the soonest. No middleware where nothing is.
 */
export function announceDeprecations({ deprecated, deprecatedParameters }: Deprecations): readonly Middleware[] {
  if (deprecated === undefined && deprecatedParameters === undefined) return [];
  const byName = Object.entries(deprecatedParameters ?? {});
  return [
    (ctx, next) => {
      const given = new URLSearchParams(ctx.querystring);
      const named = byName.flatMap(([name, deprecation]) => (given.has(name) ? deprecation : []));
      announce(ctx, deprecated === undefined ? named : [deprecated, ...named]);
      return next();
    },
  ];
}

function announce(ctx: Context, used: readonly Deprecation[]): void {
  if (used.length === 0) return;
  const sinceMs = Math.min(...used.map((each) => each.sinceMs));
  const sunsetMs = Math.min(...used.map((each) => each.sunsetMs));
  ctx.set('Deprecation', `@${sinceMs / 1_000}`);
  ctx.set('Sunset', new Date(sunsetMs).toUTCString());
  ctx.append('Link', documentation);
}
