import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Asset } from '../../src/payments/protocol/assets.ts';
import { readOptional, writeWhole } from '../lib/state.ts';
import { localAsset } from './network.ts';

const source = fileURLToPath(new URL('contracts.sol', import.meta.url));
const cacheDir = fileURLToPath(new URL('../../.local/cache', import.meta.url));
const load = createRequire(import.meta.url);

const bytecode = z.string().regex(/^0x([0-9a-f]{2})+$/);
const contracts = z.object({ LocalDollar: bytecode, LocalWallet: bytecode, Multicall: bytecode });

export type Contracts = z.infer<typeof contracts>;

export function compileContracts({ symbol, decimals, domain }: Asset = localAsset): Contracts {
  const text = readFileSync(source, 'utf8')
    .replace(/(constant name = )".*"/, `$1"${domain.name}"`)
    .replace(/(constant symbol = )".*"/, `$1"${symbol}"`)
    .replace(/(constant version = )".*"/, `$1"${domain.version}"`)
    .replace(/(constant decimals = )\d+/, `$1${decimals}`);
  const versions = ['solc', '@openzeppelin/contracts'].map((name) => versionOf(name));
  const key = createHash('sha256')
    .update(JSON.stringify([text, versions]))
    .digest('hex')
    .slice(0, 16);
  const cached = join(cacheDir, `contracts-${key}.json`);
  const known = readOptional(cached);
  if (known !== undefined) return contracts.parse(JSON.parse(known));
  const compiled = compile(text);
  mkdirSync(cacheDir, { recursive: true });
  writeWhole(cached, JSON.stringify(compiled));
  return compiled;
}

const output = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z
    .object({
      'contracts.sol': z.record(
        z.string(),
        z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) }),
      ),
    })
    .optional(),
});

function compile(text: string): Contracts {
  const solc: { compile(input: string, callbacks: object): string } = load('solc');
  const input = {
    language: 'Solidity',
    sources: { 'contracts.sol': { content: text } },
    settings: { optimizer: { enabled: true }, outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  };
  const read = (path: string) => ({ contents: readFileSync(load.resolve(path), 'utf8') });
  const result = output.parse(JSON.parse(solc.compile(JSON.stringify(input), { import: read })));
  const errors = result.errors.filter(({ severity }) => severity === 'error');
  const file = result.contracts?.['contracts.sol'];
  if (errors.length > 0 || file === undefined) {
    throw new Error(`contracts.sol does not compile:\n${errors.map((error) => error.formattedMessage).join('\n')}`);
  }
  const code = Object.entries(file).map(([name, contract]) => [name, `0x${contract.evm.bytecode.object}`]);
  return contracts.parse(Object.fromEntries(code));
}

function versionOf(name: string): string {
  const manifest = readFileSync(join(dirname(load.resolve(`${name}/package.json`)), 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}
