import type { Pages } from '../../ports.ts';
import { RouteNotFound } from '../errors/errors.ts';
import { sendStatic, staticFile } from '../response/static-file.ts';
import { assetsPath } from './document.ts';
import type { PageRoute } from './page-route.ts';

const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** GET /console/assets/{file} */
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

/** Returns a handler for each file. Names include a hash of the content, so answers can be cached forever. */
function sendersOf({ texts }: Pages): ReadonlyMap<string, ReturnType<typeof sendStatic>> {
  return new Map(
    [...texts].map(([name, text]) => {
      const type = types[name.slice(name.lastIndexOf('.') + 1)];
      if (type === undefined) throw new Error(`${name} has an unknown file type; add its media type`);
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
