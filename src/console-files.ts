import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import type { Pages } from './ports.ts';

/** The folder into which `npm run build` writes the pages. */
export const consoleFolder = join(import.meta.dirname, '..', 'dist', 'console');

const fileName = z.string().regex(/^[\w-][\w.-]{0,200}\.(?:js|css|svg)$/);
const manifestSchema = z.object({
  script: fileName,
  /** Scripts that the first one imports, so that browsers can fetch them at the same time. */
  preload: z.array(fileName),
  /** The script of the account's pages, which the first one imports on demand. */
  account: fileName,
  style: fileName,
  icon: fileName,
  /** Every public file. Names contain a hash of the content, so a file never changes. */
  files: z.array(fileName),
});

/** The server's description of a build, written as `manifest.json` next to its files. */
export type Manifest = z.output<typeof manifestSchema>;

function functionOf<Function>() {
  return z.custom<Function>((value) => typeof value === 'function', 'is not a function');
}

const rendererSchema = z.object({
  renderPage: functionOf<Pages['render']>(),
  readSearch: functionOf<Pages['readSearch']>(),
});

/**
 * Returns the built pages; null if they were not built. Reads all files, half a megabyte, so that the process keeps
 * serving this build when another one replaces it in the folder.
 * @param folder of the build
 */
export function readPages(folder: string): Pages | null {
  const manifest = readManifest(folder);
  if (manifest === null) return null;
  const { renderPage, readSearch } = rendererSchema.parse(createRequire(import.meta.url)(join(folder, 'server.cjs')));
  const { files, ...entry } = manifest;
  const texts = new Map(files.map((name) => [name, readFileSync(join(folder, 'assets', name), 'utf8')]));
  return { ...entry, render: renderPage, readSearch, texts };
}

function readManifest(folder: string): Manifest | null {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Error(`${folder} does not hold a whole build of the pages: run "npm run build"`, { cause: error });
  }
}
