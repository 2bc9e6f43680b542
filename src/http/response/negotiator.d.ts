// Published types (`@types/negotiator`) don't know `preferred`.
declare module 'negotiator' {
  // biome-ignore lint/style/noDefaultExport: the package has one
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> });
    /** @param options `preferred` decides between codings of equal weight */
    encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
  }
}
