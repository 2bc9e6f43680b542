/** After the last test: stops what `engines-up.ts` started. */
// biome-ignore lint/style/noDefaultExport: Jest loads the default export
export default async function enginesDown(): Promise<void> {
  const { stopTestEngines } = globalThis as { stopTestEngines?: () => Promise<void> };
  await stopTestEngines?.();
}
