import { type Event, events } from '../../../src/payments/ledger/states.ts';
import type { Claim } from '../../../src/payments/ports.ts';
import { amount, type Command, possibleMax, usualChange, type Which, windows } from './ledger-commands.ts';

const plain = { payer: 0, query: 0, name: 0, owner: 0 } as const;
const onChain = { block: 6, spent: false, balance: 99n * amount, fromBlock: 5 } as const;

function claimed(nonce: number, more: Partial<Which & { onChain: Claim['onChain'] }> = {}): Command {
  return { do: 'claim', ...plain, onChain, ...more, nonce };
}

/** An event of the last answered row. */
function befalls(event: Event): Command {
  const change = usualChange(event);
  return { do: 'advance', row: 0, fresh: true, foreign: false, event: possibleMax + events.indexOf(event), change };
}

/** Sequences that random commands meet too rarely. */
export const stories: readonly (readonly Command[])[] = [
  // Only the holder uses a lease.
  [
    claimed(0),
    { do: 'renew', row: 0, fresh: true, foreign: true },
    { do: 'advance', row: 0, fresh: true, foreign: true, event: possibleMax + events.indexOf('dropped'), change: {} },
  ],
  // The least recently checked row comes first.
  [
    ...[0, 1, 2].flatMap((query) => [claimed(query, { query }), befalls('dropped')]),
    // Released rows are checked once they have expired.
    { do: 'due', max: 3 },
    { do: 'pass', ms: 13_000 },
    ...[2, 1].map((id): Command => ({ do: 'looked', id })),
    ...[1, 2, 3].map((max): Command => ({ do: 'due', max })),
  ],
  // A delivered search is repeated only for a short time.
  [
    claimed(0),
    befalls('intended'),
    befalls('landed'),
    { do: 'delivered', id: 1 },
    { do: 'pass', ms: windows.repeatMs - 1 },
    claimed(1),
    { do: 'pass', ms: 1 },
    claimed(2),
  ],
  // A released payment comes before a new one, and after a paid one.
  [claimed(0), befalls('dropped'), claimed(1), claimed(2, { query: 1 }), befalls('intended'), befalls('landed')],
  // The balance must cover every open payment, and payments that landed after it was read.
  [
    claimed(0, { onChain: { ...onChain, balance: amount } }),
    claimed(1, { query: 1, onChain: { ...onChain, balance: amount } }),
    { do: 'find', payer: 0, nonce: 0 },
    befalls('intended'),
    befalls('landed'),
    claimed(2, { query: 1, onChain: { ...onChain, balance: amount } }),
    claimed(3, { query: 1, onChain: { ...onChain, balance: amount, block: 7 } }),
  ],
  // A stale status changes nothing.
  [
    claimed(0),
    befalls('intended'),
    { do: 'advance', row: 0, fresh: false, foreign: false, event: possibleMax + events.indexOf('dropped'), change: {} },
  ],
  // One purchase of a search is open at a time.
  [claimed(0), claimed(1, { onChain: { ...onChain, spent: true } }), befalls('reopened')],
  // A paid payment comes before a released one.
  [claimed(0), befalls('dropped'), claimed(1, { onChain: { ...onChain, spent: true } }), befalls('landed'), claimed(2)],
  // A spent authorization gets a row, and no other payment's answer.
  [
    claimed(0),
    befalls('intended'),
    befalls('landed'),
    claimed(1, { name: 1, onChain: { ...onChain, spent: true, balance: 0n } }),
    befalls('landed'),
    claimed(2, { onChain: null }),
  ],
];

/** Payments of one payer for different searches that are claimed and released one after another. */
export function crowd(payments: number): readonly Command[] {
  return Array.from({ length: payments }, (_, at): readonly Command[] => [
    claimed(at, { query: at }),
    befalls('dropped'),
  ]).flat();
}
