import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import type { Manifest } from '../src/console-files.ts';

const here = import.meta.dirname;
const defaultOutdir = join(here, '..', 'dist', 'console');

const common = {
  bundle: true,
  metafile: true,
  logLevel: 'warning',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
  // The project's settings are for checking, and name what esbuild need not know.
  tsconfigRaw: {},
} as const satisfies BuildOptions;

/**
 * Builds the console: `assets/` for browsers, `server.cjs`, which renders the same pages to text, and `manifest.json`.
 * The folder is replaced. Returns the gzipped bytes of the first page's scripts: the entry and its direct imports.
 */
export async function buildConsole(outdir = defaultOutdir): Promise<number> {
  await rm(outdir, { recursive: true, force: true });
  const assets = join(outdir, 'assets');
  await mkdir(assets, { recursive: true });
  const [{ metafile }] = await Promise.all([
    build({
      ...common,
      entryPoints: {
        main: join(here, 'client/main.tsx'),
        console: join(here, 'styles/main.css'),
        icon: join(here, 'styles/icon.svg'),
      },
      loader: { '.svg': 'copy' },
      outdir: assets,
      format: 'esm',
      platform: 'browser',
      splitting: true,
      target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'],
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      minify: true,
    }),
    build({
      ...common,
      entryPoints: [join(here, 'server/main.tsx')],
      outfile: join(outdir, 'server.cjs'),
      format: 'cjs',
      platform: 'node',
      target: 'node22',
    }),
  ]);
  const manifest = await describe(metafile, assets);
  await writeFile(join(outdir, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const scripts = await Promise.all([manifest.script, ...manifest.preload].map((file) => readFile(join(assets, file))));
  return scripts.reduce((sum, script) => sum + gzipSync(script).length, 0);
}

async function describe({ outputs }: Metafile, assets: string): Promise<Manifest> {
  const entry = (name: string): readonly [file: string, output: Metafile['outputs'][string]] => {
    const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(name));
    if (found === undefined) throw new Error(`esbuild wrote no output for ${name}`);
    return found;
  };
  const [script, { imports }] = entry('client/main.tsx');
  const [account] = entry('client/account/main.tsx');
  const [style] = entry('styles/main.css');
  const [icon] = entry('styles/icon.svg');
  const files = (await readdir(assets)).sort();
  return {
    script: basename(script),
    preload: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path)),
    account: basename(account),
    style: basename(style),
    icon: basename(icon),
    files,
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { outdir: { type: 'string' } } });
  const bytes = await buildConsole(values.outdir);
  process.stdout.write(`built the console: ${bytes} bytes of gzipped scripts for the first page\n`);
}
