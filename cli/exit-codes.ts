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
  0    everything is done
  1    failed; the message gives the reason and the next step
  2    partly done: some lines or documents were rejected, and are reported; verify: index and tables differ;
       payments audit: ledger and chain differ; doctor: there are warnings
  3    refused: a condition is not met, and nothing was begun; reindex: too many documents were rejected, and it
       can be resumed
  4    not everything could be compared: changes are pending, and no sync applies them
  64   wrong usage: an option, an argument or a setting in the environment
  130  interrupted by Ctrl-C (143: by SIGTERM), after cleaning up`;
