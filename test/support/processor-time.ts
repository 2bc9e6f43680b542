const turns = 10_000_000;

/**
 * Returns the processor time since `before`, as a multiple of the time of a fixed loop (10 ms on a usual machine), so
 * that it is alike on slow and fast machines.
 */
export function costSince(before: NodeJS.CpuUsage): number {
  const spent = process.cpuUsage(before).user;
  const loops = Array.from({ length: 3 }, () => {
    const begun = process.cpuUsage();
    spin();
    return process.cpuUsage(begun).user;
  });
  return spent / Math.max(1, ...loops);
}

/** Returns a number, so that the loop is not optimised away. */
function spin(): number {
  let sum = 1;
  for (let turn = 0; turn < turns; turn += 1) sum = (Math.imul(sum, 1_664_525) + turn) | 0;
  return sum;
}
