import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { label } from '../../arguments.ts';

/** The person or program that makes a change, as the audit log names it. */
export type Actor = () => string;

/** Adds `--actor` to a group of commands. Without it, the user of this process makes the changes. */
export function addActorOption(group: Command): Actor {
  group.option('--actor <NAME>', 'who makes changes, for the audit log; default: the user of this process', label);
  return () => group.opts<{ readonly actor?: string }>().actor ?? userInfo().username;
}
