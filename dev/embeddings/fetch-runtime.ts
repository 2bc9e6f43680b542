import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRuntimeInstalled, runtimeFolder } from '../../src/embeddings/local/load-model.ts';
import type { FetchEnvironment } from '../lib/fetch-once.ts';
import { fetchPackages } from '../lib/fetch-packages.ts';

export async function fetchRuntime(options: FetchEnvironment): Promise<void> {
  if (isRuntimeInstalled()) return;
  await fetchPackages(
    {
      what: 'The runtime of embeddings',
      megabytes: 85,
      lockFolder: fileURLToPath(new URL('./runtime/', import.meta.url)),
      into: runtimeFolder,
      prepare: async (folder) => removeOtherPlatforms(folder),
    },
    options,
  );
}

/** Removes 200 MB: the package has the binaries of every platform. */
function removeOtherPlatforms(folder: string): void {
  const binaries = join(folder, 'node_modules', 'onnxruntime-node', 'bin', 'napi-v6');
  for (const platform of readdirSync(binaries)) {
    for (const processor of readdirSync(join(binaries, platform))) {
      if (platform === process.platform && processor === process.arch) continue;
      rmSync(join(binaries, platform, processor), { recursive: true });
    }
  }
}
