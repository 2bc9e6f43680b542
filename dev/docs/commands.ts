import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { runCli } from '../../cli/cli.ts';
import { createTerminal } from '../../cli/terminal.ts';

async function helpOf(path: readonly string[]): Promise<string> {
  const stdout = new PassThrough();
  const context = {
    env: {},
    terminal: createTerminal(stdout, new PassThrough()),
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
  };
  await runCli([...path, '--help'], context, '0.0.0').finally(() => stdout.end());
  return (await text(stdout)).trimEnd();
}

/** Returns the subcommands that a help text lists. */
function commandsIn(help: string): readonly string[] {
  const [, list = ''] = /^Commands:\n([\s\S]*?)(?:\n\n|(?![\s\S]))/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

async function sectionOf(path: readonly string[]): Promise<string> {
  const help = await helpOf(path);
  const within = path.length === 0 ? [] : commandsIn(help);
  const title = `${'#'.repeat(path.length + 1)} entity-search ${path.join(' ')}`.trimEnd();
  const sections = await Promise.all(within.map((name) => sectionOf([...path, name])));
  return [title, `\`\`\`text\n${help}\n\`\`\``, ...sections].join('\n\n');
}

export async function commandsPage(): Promise<string> {
  const help = await helpOf([]);
  const sections = await Promise.all(commandsIn(help).map((name) => sectionOf([name])));
  return `# Commands

The help text of each command. Run \`npx entity-search\`, or \`node bin/entity-search.js\`.

\`\`\`text
${help}
\`\`\`

${sections.join('\n\n')}
`;
}
