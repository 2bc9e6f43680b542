import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { z } from 'zod';

export interface InstalledChromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

const usualPaths = [
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const root = resolve(import.meta.dirname, '..', '..');
const unpackTimeoutMs = 120_000;

/**
 * The browser that CHROME_PATH names, else the one that npm has installed (Linux on x64), else one at a usual path;
 * null if there is none. The packaged one is unpacked once, into `.local/chromium`.
 */
export async function findChromium(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<InstalledChromium | null> {
  if (env.CHROME_PATH !== undefined && env.CHROME_PATH !== '') {
    if (!existsSync(env.CHROME_PATH)) {
      throw new Error(`CHROME_PATH names ${env.CHROME_PATH}, which does not exist: name a Chrome or Chromium.`);
    }
    return { executablePath: env.CHROME_PATH, env: {} };
  }
  if (process.platform === 'linux' && process.arch === 'x64') return unpackedChromium();
  const executablePath = usualPaths.find((path) => existsSync(path));
  return executablePath === undefined ? null : { executablePath, env: {} };
}

/** Starts it without a window. Web security stays on, unlike with the package's own arguments. */
export async function launchChromium({ executablePath, env }: InstalledChromium): Promise<Browser> {
  return chromium.launch({
    executablePath,
    env: { ...definedOf(process.env), ...env },
    args: ['--font-render-hinting=none'],
    // Scroll bars are visible, as on a desktop.
    ignoreDefaultArgs: ['--hide-scrollbars'],
  });
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

async function unpackedChromium(): Promise<InstalledChromium> {
  const parent = join(root, '.local', 'chromium');
  const folder = join(parent, packagedVersion());
  if (!existsSync(folder)) await unpackInto(parent, folder);
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      TMPDIR: join(folder, 'tmp'),
      HOME: join(folder, 'tmp'),
    },
  };
}

/** Unpacks into a temporary folder and renames it, so that a concurrent process finds all of it or nothing. */
async function unpackInto(parent: string, folder: string): Promise<void> {
  const draft = join(parent, `unpacking-${randomUUID()}`);
  mkdirSync(join(draft, 'tmp'), { recursive: true });
  try {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'unpack.ts')], {
      cwd: root,
      env: { ...process.env, TMPDIR: draft },
      timeout: unpackTimeoutMs,
    });
    writeFileSync(join(draft, 'fonts.conf'), fontsConfig(folder));
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/** The package's fonts and those of the machine; a bare Debian has no configuration of its own. */
function fontsConfig(folder: string): string {
  const directories = [join(folder, 'fonts', 'fonts'), '/usr/share/fonts'].map((path) => `<dir>${path}</dir>`);
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    `<fontconfig>${directories.join('')}<cachedir>${join(folder, 'tmp', 'fonts')}</cachedir></fontconfig>`,
    '',
  ].join('\n');
}

function packagedVersion(): string {
  const file = join(root, 'node_modules', '@sparticuz', 'chromium', 'package.json');
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}
