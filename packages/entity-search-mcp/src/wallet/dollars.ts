// Money is counted in millionths of a dollar: the base units of USDC on every network here.

const unitsPerDollar = 1_000_000n;
const mostDollars = 1_000n;

/** An amount such as `0.05`; undefined where it is none, is zero, or is over 1000. */
export function toMicroDollars(text: string): bigint | undefined {
  const match = /^(\d{1,4})(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  const amount = BigInt(whole) * unitsPerDollar + BigInt(fraction.padEnd(6, '0'));
  return amount === 0n || amount > mostDollars * unitsPerDollar ? undefined : amount;
}

/** Such as `0.01`: at least two decimals, no more than are needed. */
export function dollars(amount: bigint): string {
  const fraction = (amount % unitsPerDollar).toString().padStart(6, '0').replace(/0+$/, '').padEnd(2, '0');
  return `${amount / unitsPerDollar}.${fraction}`;
}
