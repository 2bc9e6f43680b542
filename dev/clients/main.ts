import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientsDocument, documentPath } from './document.ts';
import { generatedFolder, generateTypeScript, howToInstall } from './typescript.ts';

/** Writes the source of the generated clients, and generates those whose generators are installed. */

writeFileSync(documentPath, clientsDocument());
process.stdout.write(`${documentPath}\n`);

if (!generateTypeScript(documentPath, generatedFolder)) {
  process.stderr.write(`SKIPPED: the types of the TypeScript client were not generated. First: ${howToInstall}\n`);
}

const folder = join(import.meta.dirname, '..', '..', 'clients', 'python');
const own = join(import.meta.dirname, '..', '..', '.local', 'clients-python', 'bin', 'python');
const python = existsSync(own) ? own : 'python3';
if (spawnSync(python, ['-c', 'import datamodel_code_generator, ruff']).status === 0) {
  const { status } = spawnSync(python, ['generate.py'], { cwd: folder, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  process.stderr.write(
    "SKIPPED: the Python client was not generated. Create .local/clients-python with python3 -m venv, and install clients/python with '[test]' there.\n",
  );
}
