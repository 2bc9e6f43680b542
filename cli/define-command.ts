import { Command } from 'commander';

interface Help {
  /** Only of subcommands: `cli.ts` describes the others. */
  readonly description?: string;
  readonly notes?: string;
  readonly examples: readonly string[];
}

export function defineCommand(name: string, { description = '', notes, examples }: Help): Command {
  const lines = examples.map((example) => `  $ entity-search ${example}`);
  const paragraphs = [...(notes === undefined ? [] : [notes]), ['Examples:', ...lines].join('\n')];
  return new Command(name).description(description).addHelpText('after', `\n${paragraphs.join('\n\n')}`);
}
