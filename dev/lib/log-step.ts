export type PrintLine = (line: string) => void;

const remindEveryMs = 5_000;

/** Prints a line when a step begins, again every few seconds while it lasts, and its duration. */
export async function logStep<T>(printLine: PrintLine, what: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const seconds = (): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  printLine(`${what} …`);
  const reminder = setInterval(() => printLine(`${what} … ${seconds()}`), remindEveryMs);
  try {
    const result = await work();
    printLine(`${what}: done in ${seconds()}`);
    return result;
  } finally {
    clearInterval(reminder);
  }
}
