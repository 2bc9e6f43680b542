import { userInfo } from 'node:os';
import { Option } from 'commander';
import { label } from '../../arguments.ts';

/** The option `--actor`: who does this, as audits and events say it. */
export function actorOption(): Option {
  return new Option('--actor <NAME>', 'who does this, for the audit log; default: the user of this process').argParser(
    label,
  );
}

/** Whom it names; unless given, the user of this process. */
export function actorName({ actor }: { readonly actor?: string }): string {
  return actor ?? userInfo().username;
}
