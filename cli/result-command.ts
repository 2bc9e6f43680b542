import { Command } from 'commander';

/** What `--help` says below the options. */
interface Help {
  readonly notes?: string;
  /** Arguments of `entity-search`. */
  readonly examples: readonly string[];
}

/** A command that prints a result, as JSON where that is asked for. */
export function resultCommand(name: string, description: string, { notes, examples }: Help): Command {
  const lines = examples.map((example) => `  $ entity-search ${example}`);
  const paragraphs = [...(notes === undefined ? [] : [notes]), ['Examples:', ...lines].join('\n')];
  return new Command(name)
    .description(description)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `\n${paragraphs.join('\n\n')}`);
}
