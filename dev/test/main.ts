import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { text } from 'node:stream/consumers';

// Runs the tests, and `npm run check` in the processor time that they leave. A failed check ends the tests.

const check = spawn('exec npm run --silent check 2>&1', { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
if (check.pid !== undefined) setPriority(check.pid, constants.priority.PRIORITY_LOW);
const args = ['run', 'jest', '--', '--selectProjects', 'pure', 'engines', ...process.argv.slice(2)];
const tests = spawn('npm', args, { stdio: 'inherit' });
process.once('SIGTERM', () => {
  check.kill();
  tests.kill();
});
const tested = once(tests, 'close');
const [report, [checkCode]] = await Promise.all([text(check.stdout), once(check, 'close')]);
if (checkCode !== 0) tests.kill();
const [testsCode] = await tested;
if (checkCode !== 0) process.stderr.write(`${report}\nnpm run check failed.\n`);
process.exitCode = checkCode === 0 && testsCode === 0 ? 0 : 1;
