import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';

const here = import.meta.dirname;
const defaultOutdir = join(here, '..', 'dist', 'console');

/** The server's description of a build, written as `manifest.json` next to its files. */
interface Manifest {
  /** A hash of the whole build. */
  readonly version: string;
  readonly script: string;
  /** Scripts that the first one imports, so that browsers can fetch them at the same time. */
  readonly preload: readonly string[];
  readonly style: string;
  readonly icon: string;
  /** Every public file. Names contain a hash of the content, so a file never changes. */
  readonly files: readonly string[];
}

/** The files of a build, and the gzipped bytes that browsers load for each kind of page. */
export interface ConsoleBuild {
  readonly manifest: Manifest;
  /** The size of the first page's scripts: the entry and its direct imports. */
  readonly firstScriptGzipBytes: number;
  readonly gzipBytes: Readonly<Record<string, number>>;
}

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
 * The folder is replaced.
 */
export async function buildConsole({
  outdir = defaultOutdir,
  minify = true,
}: {
  readonly outdir?: string;
  readonly minify?: boolean;
} = {}): Promise<ConsoleBuild> {
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
      minify,
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
  return measure(manifest, assets);
}

async function describe({ outputs }: Metafile, assets: string): Promise<Manifest> {
  const entry = (name: string): readonly [file: string, output: Metafile['outputs'][string]] => {
    const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(name));
    if (found === undefined) throw new Error(`esbuild wrote no output for ${name}`);
    return found;
  };
  const [script, { imports }] = entry('client/main.tsx');
  const [style] = entry('styles/main.css');
  const [icon] = entry('styles/icon.svg');
  const files = (await readdir(assets)).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(await readFile(join(assets, file)));
  return {
    version: hash.digest('base64url').slice(0, 16),
    script: basename(script),
    preload: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path)),
    style: basename(style),
    icon: basename(icon),
    files,
  };
}

async function measure(manifest: Manifest, assets: string): Promise<ConsoleBuild> {
  const sizes = await Promise.all(
    manifest.files.map(async (file) => [file, gzipSync(await readFile(join(assets, file))).length] as const),
  );
  const gzipBytes = Object.fromEntries(sizes);
  const first = [manifest.script, ...manifest.preload];
  return {
    manifest,
    gzipBytes,
    firstScriptGzipBytes: first.reduce((sum, file) => sum + (gzipBytes[file] ?? 0), 0),
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { outdir: { type: 'string' } } });
  const startedMs = performance.now();
  const built = await buildConsole(values.outdir === undefined ? {} : { outdir: values.outdir });
  const lines = Object.entries(built.gzipBytes).map(([file, bytes]) => `${String(bytes).padStart(8)}  ${file}`);
  process.stdout.write(
    `${lines.join('\n')}\n${String(built.firstScriptGzipBytes).padStart(8)}  script of the first page, gzipped\n` +
      `built the console in ${Math.round(performance.now() - startedMs)} ms\n`,
  );
}
