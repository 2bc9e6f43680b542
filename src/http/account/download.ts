import type { Context } from '../context.ts';

/** Lets the browser keep the answer as a file instead of showing it. */
export function nameDownload(ctx: Context, fileName: string, mediaType: 'text/csv' | 'application/json'): void {
  ctx.set('Content-Disposition', `attachment; filename="${fileName}"`);
  ctx.set('Content-Type', `${mediaType}; charset=utf-8`);
}
