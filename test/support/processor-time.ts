const turns = 10_000_000;

/** Processor time of the loop, in microseconds; measured once. */
let loopTime: number | undefined;

/**
 * Returns the processor time since `before` as a multiple of a fixed loop's time (about 10 ms), so that it is similar
 * on slow and fast machines.
 */
export function costSince(before: NodeJS.CpuUsage): number {
  const spent = process.cpuUsage(before).user;
  if (loopTime === undefined) {
    const begun = process.cpuUsage();
    spin();
    loopTime = Math.max(1, process.cpuUsage(begun).user);
  }
  return spent / loopTime;
}

/** Returns a number, so that the loop is not optimised away. It uses no global, which is slow to find in a test. */
function spin(): number {
  let sum = 1;
  for (let turn = 0; turn < turns; turn += 1) sum = ((sum << 5) ^ (sum >>> 3) ^ turn) | 0;
  return sum;
}
