import { type Event, events } from '../../../src/payments/ledger/states.ts';
import { type Command, possibleMax, usualChange, type Which, windows } from './ledger-commands.ts';

const plain = { payer: 0, query: 0, name: 0, owner: 0, mayOpen: true, fromBlock: null, looked: [] } as const;

function claimed(nonce: number, more: Partial<Which & { looked: readonly number[] }> = {}): Command {
  return { do: 'claim', ...plain, ...more, nonce };
}

/** An event that befalls the row that was answered last. */
function befalls(event: Event): Command {
  const change = usualChange(event);
  return { do: 'advance', row: 0, fresh: true, foreign: false, event: possibleMax + events.indexOf(event), change };
}

/** Sequences that random commands meet too rarely. */
export const stories: readonly (readonly Command[])[] = [
  // A lease is its holder's.
  [
    claimed(0),
    { do: 'renew', row: 0, fresh: true, foreign: true },
    { do: 'release', row: 0, fresh: true, foreign: true },
  ],
  // The least recently looked at comes first.
  [
    ...[0, 1, 2].flatMap((query) => [claimed(query, { query }), befalls('released')]),
    ...[2, 1].map((id): Command => ({ do: 'looked', id })),
    ...[1, 2, 3].map((max): Command => ({ do: 'due', max })),
  ],
  // A delivered search is repeated for a short while, and no longer.
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
  // An abandoned payment is not reopened while another one is open for the same search.
  [
    claimed(0),
    befalls('refused'),
    claimed(1, { looked: [1] }),
    { do: 'find', payer: 0, nonce: 0 },
    { do: 'take', row: 0, fresh: true, foreign: false, owner: 0 },
    befalls('reopened'),
  ],
  // A paid payment is found before an abandoned one.
  [
    claimed(0),
    befalls('refused'),
    claimed(1, { looked: [1] }),
    befalls('intended'),
    befalls('landed'),
    { do: 'find', payer: 0, nonce: 0 },
    { do: 'take', row: 0, fresh: true, foreign: false, owner: 0 },
    befalls('reopened'),
    befalls('released'),
    claimed(0),
    claimed(2),
  ],
];

/** Payments of one payer, each for something else, that are claimed and given up one after another. */
export function crowd(payments: number): readonly Command[] {
  return Array.from({ length: payments }, (_, at): readonly Command[] => [
    claimed(at, { query: at }),
    befalls('released'),
  ]).flat();
}
