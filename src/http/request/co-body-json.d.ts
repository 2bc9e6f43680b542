// Published types (`@types/co-body`) only have the whole package, which also loads the forms and types of files.
declare module 'co-body/lib/json.js' {
  import type { IncomingMessage } from 'node:http';
  // biome-ignore lint/style/noDefaultExport: the package has one
  export default function json(
    request: IncomingMessage,
    options: { readonly limit: number; readonly strict: boolean },
  ): Promise<unknown>;
}
