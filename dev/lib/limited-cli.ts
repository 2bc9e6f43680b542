import { pino } from 'pino';
import { runCli } from '../../cli/cli.ts';
import { createTerminal } from '../../cli/terminal.ts';
import { limitsOf } from './limits.ts';

// `entity-search` as `cli/main.ts` runs it, with the limits of LIMITS.
const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort(new Error('Stopped by SIGTERM.')));
process.exitCode = await runCli(
  process.argv.slice(2),
  {
    env: process.env,
    terminal: createTerminal(process.stdout, process.stderr),
    log: pino({ base: null }, pino.destination({ dest: 2, sync: true })),
    signal: stopping.signal,
    limits: limitsOf(process.env),
  },
  '0.0.0',
);
