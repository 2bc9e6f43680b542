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

/** What random commands meet too rarely. */
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
  // What was delivered a short while ago is repeated, and no longer.
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
  // What was given up is not reopened while another one is open for the same.
  [
    claimed(0),
    befalls('refused'),
    claimed(1, { looked: [1] }),
    { do: 'find', payer: 0, nonce: 0 },
    { do: 'take', row: 0, fresh: true, foreign: false, owner: 0 },
    befalls('reopened'),
  ],
  // What is paid is met before what was given up.
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
