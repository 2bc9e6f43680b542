import { fileURLToPath } from 'node:url';
import chromium, { inflate } from '@sparticuz/chromium';

/**
 * Unpacks the packaged Chromium, its fonts and the libraries that a bare Linux lacks into TMPDIR, which is the only
 * place that the package knows; a program of its own, so that no other TMPDIR changes.
 */
const libraries = fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium')));
await Promise.all([chromium.executablePath(), inflate(libraries)]);
