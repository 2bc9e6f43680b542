/**
 * Preloaded into a program (`node --import`): leaves it a quarter of a core, so that on a machine with few of them it can
 * be seen how two such programs add up where processors are not what they lack.
 */
const share = 0.25;
const lookEveryMs = 2;

const never = new Int32Array(new SharedArrayBuffer(4));
let before = process.cpuUsage();
setInterval(() => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  Atomics.wait(never, 0, 0, ((user + system) / 1_000) * (1 / share - 1));
}, lookEveryMs).unref();
