import type { Pages } from '../../ports.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { sendStatic, staticFile } from '../response/static-file.ts';
import { assetsPath } from './document.ts';
import type { PageRoute } from './page-route.ts';

const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** GET /console/assets/{file}: what the pages load. */
export const pageAssets: PageRoute = {
  method: 'get',
  path: `${assetsPath}{file}`,
  gates: ['slot'],
  handler({ pages }) {
    const senders = pages === null ? new Map() : sendersOf(pages);
    return (ctx, next) => {
      const send = senders.get(ctx.params.file ?? '');
      if (send === undefined) throw new RouteNotFound();
      return send(ctx, next);
    };
  },
};

/** Names hold a hash of what they name, so every answer stays true. */
function sendersOf({ texts }: Pages): ReadonlyMap<string, ReturnType<typeof sendStatic>> {
  return new Map(
    [...texts].map(([name, text]) => {
      const type = types[name.slice(name.lastIndexOf('.') + 1)];
      if (type === undefined) throw new Error(`${name} is of no type that the pages have`);
      return [
        name,
        sendStatic(
          staticFile(type, () => text),
          { namesContent: true },
        ),
      ];
    }),
  );
}
