import { homedir } from 'node:os';
import process from 'node:process';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { forwardCalls, payForCalls } from './calls.ts';
import { stateFolder } from './daily-budget.ts';
import { helpText } from './help.ts';
import { createLog, type Log } from './log.ts';
import { networks } from './options.ts';
import { createPayer } from './payer.ts';
import { createServer } from './server.ts';
import { createService, type Service } from './service.ts';
import { readWish, type Settings, SettingsError } from './settings.ts';
import { packageVersion } from './version.ts';

// Entry of `npx entity-search-mcp`: settings → server on stdin and stdout, until stdin ends or a signal comes.

/** The largest message that a client may send. */
const messageBytesMax = 4 * 1024 * 1024;
/** The longest time for shutting down. */
const endMs = 2_000;

const wrongSettings = 2;

function main(): void {
  const log = createLog(process.stderr);
  const version = packageVersion();
  try {
    const wish = readWish(process.argv.slice(2), process.env);
    if (wish.kind === 'help') process.stdout.write(helpText(version));
    else if (wish.kind === 'version') process.stdout.write(`${version}\n`);
    else serve(wish.settings, version, log);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const problem of error.problems) log.warn(problem);
    log.warn('See entity-search-mcp --help.');
    process.exitCode = wrongSettings;
  }
}

function serve(settings: Settings, version: string, log: Log): void {
  for (const warning of settings.warnings) log.warn(warning);
  const service = createService(settings, version, log);
  const callTool = callToolOf(settings, service, log);
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: messageBytesMax });
  const handle = serveStdio(() => createServer({ service, callTool, version, log }), {
    transport,
    onerror: (error) => log.warn(error.message.slice(0, 500)),
  });
  let ending = false;
  const end = (why: string): void => {
    if (ending) return;
    ending = true;
    log.info(`${why}: ending`);
    // A service that keeps its connection open must not delay the end.
    setTimeout(() => process.exit(0), endMs).unref();
    void Promise.allSettled([handle.close(), service.close()]).then(() => process.exit(0));
  };
  process.stdin.once('end', () => end('stdin has ended'));
  process.stdin.once('close', () => end('stdin was closed'));
  // A client that is gone reads nothing more.
  process.stdout.on('error', () => end('stdout was closed'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(signal));
  log.info(`serving ${settings.url.href} on stdin and stdout, ${accessText(settings)}`);
}

function callToolOf({ access }: Settings, service: Service, log: Log) {
  if (access.kind === 'wallet')
    return payForCalls(service, createPayer(access, stateFolder(process.env, process.platform, homedir()), log), log);
  return forwardCalls(
    service,
    access.kind === 'key'
      ? null
      : 'This MCP server has neither an API key nor a wallet: set ENTITY_SEARCH_API_KEY, or ENTITY_SEARCH_WALLET_KEY to pay per search, in its configuration and restart it.',
  );
}

function accessText({ access }: Settings): string {
  if (access.kind !== 'wallet') return access.kind === 'key' ? 'with an API key' : 'without a key or a wallet';
  const { network, perCallUsd, perDayUsd } = access;
  return `paying on ${network} (${networks[network]}), at most ${perCallUsd} USD a call and ${perDayUsd} USD a day`;
}

main();
