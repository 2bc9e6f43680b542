/** Prints how long something took. A test never expects a duration, because the machine may be busy. */
export function printMs(what: string, ms: number): void {
  process.stderr.write(`${what}: ${Math.round(ms)} ms\n`);
}
