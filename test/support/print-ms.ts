/** Prints a duration. A test never expects one, because the machine may be busy. */
export function printMs(what: string, ms: number): void {
  process.stderr.write(`${what}: ${Math.round(ms)} ms\n`);
}
