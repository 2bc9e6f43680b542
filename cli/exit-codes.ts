export const exitCodes = {
  ok: 0,
  failed: 1,
  partial: 2,
  refused: 3,
  pending: 4,
  usage: 64,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeHelp = `
Exit codes:
  0    everything that was asked for is done
  1    failed; the message gives the reason and the next step
  2    partly done: some lines or documents were not taken, and are reported; verify: index and tables differ;
       payments audit: ledger and chain differ; doctor: something ought to be done
  3    refused: a condition is not met, and what was refused was not begun; reindex: too much was rejected, and it
       stopped to be resumed
  4    not all could be judged: changes wait in the change log, and no sync reads it
  64   wrong usage: an option, an argument or a setting in the environment
  130  interrupted by Ctrl-C (143: by SIGTERM), after putting things in order`;
