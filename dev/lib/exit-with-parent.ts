import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Runs a program of the project, `node dev/lib/exit-with-parent.ts PROGRAM ARGS…`, that ends as if by SIGTERM when its
 * standard input is closed, because the parent closed it or died.
 */
const [, , program, ...args] = process.argv;
if (program === undefined) throw new Error('Usage: node dev/lib/exit-with-parent.ts PROGRAM ARGS…');
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.on('error', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
// The input doesn't keep the process alive when the program is done.
if ('unref' in process.stdin) process.stdin.unref();

process.argv = [process.argv[0] ?? 'node', resolve(program), ...args];
await import(pathToFileURL(resolve(program)).href);
