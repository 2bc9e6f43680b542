import { companies, events, investors, people, understood } from '../../../support/search/understood.ts';

type Row = readonly [text: string, expected: Readonly<Record<string, unknown>>];

const amounts: readonly Row[] = [
  ['companies with more than 50 employees', { kinds: companies, amounts: ['employees 51..'] }],
  ['startups with fewer than 10 people', { kinds: companies, amounts: ['employees ..10'] }],
  ['companies with between 10 and 50 employees', { kinds: companies, amounts: ['employees 10..51'] }],
  ['startups that raised at least $1.5m', { kinds: companies, amounts: ['funding 1500000..'] }],
  ['companies that raised over $50m in total', { kinds: companies, amounts: ['funding 50000000.01..'] }],
  ['companies with a headcount of 200+', { kinds: companies, amounts: ['employees 200..'] }],
  ['firms with no more than ten staff', { kinds: companies, amounts: ['employees ..11'] }],
  ['raised between 10 and 50 million dollars', { kinds: companies, amounts: ['funding 10000000..50000000.01'] }],
  ['companies whose funding exceeds 20 mln $', { kinds: companies, amounts: ['funding 20000000.01..'] }],
  ['startups that got two hundred million or more', { kinds: companies, amounts: ['funding 200000000..'] }],
  ['dex with known funding amount', { rest: 'dex', kinds: companies, amounts: ['funding 0.01..'] }],
  ['startups with five or more named investors', { kinds: companies, amounts: ['investors 5..'] }],
  ['funded dex startups', { rest: 'dex', kinds: companies, amounts: ['investors 1..'] }],
  ['funded startups by paradigm', { kinds: companies, rest: 'funded by paradigm' }],
  ['job board for vc-backed startups', { rest: 'job board for vc-backed startups' }],
  ['Funded Next', { rest: 'Funded Next' }],
  ['vc-backed startups in berlin', { kinds: companies, amounts: ['investors 1..'], places: ['berlin'] }],
  ['berlin events 500+ capacity', { kinds: events, amounts: ['capacity 500..'], places: ['berlin'] }],
  ['lawyers who speak about crypto', { rest: 'lawyers crypto', kinds: people }],
  ['companies with 50-100 employees', { kinds: companies, amounts: ['employees 50..101'] }],
  ['startups with a team of over 50', { kinds: companies, amounts: ['employees 51..'] }],
  ['companies employing fifty or more', { kinds: companies, amounts: ['employees 50..'] }],
  ['companies with at least $1M raised', { kinds: companies, amounts: ['funding 1000000..'] }],
  ['solana project no token but raised money', { chains: ['solana'], kinds: companies, amounts: ['funding 0.01..'] }],
  ['companies with six investors or more', { kinds: companies, amounts: ['investors 6..'] }],
  ['projects with a disclosed funding total above $5m', { kinds: companies, amounts: ['funding 5000000.01..'] }],
  ['companies with 50+ people', { kinds: companies, amounts: ['employees 50..'] }],
  ['startups that have more than 8 investors', { kinds: companies, amounts: ['investors 9..'] }],
  ['companies backed by at least five funds', { kinds: companies, amounts: ['investors 5..'] }],
  ['an event for more than 500 ppl', { kinds: events, amounts: ['capacity 501..'] }],
  ['which could take 400 guests or more', { kinds: events, amounts: ['capacity 400..'] }],
  ['events with room for at most 50 people', { kinds: events, amounts: ['capacity ..51'] }],
  ['vcs that backed more than 20 companies', { kinds: investors, amounts: ['portfolio 21..'] }],
  ['investors whose portfolio counts ten names or more', { kinds: investors, amounts: ['portfolio 10..'] }],
  ['developers with more then 3 proposals', { rest: 'developers', kinds: people, amounts: ['proposals 4..'] }],
  ['top 10 people in defi', { rest: 'top 10 people in defi' }],
  ['wallets with more than 1 million users', { rest: 'wallets', kinds: companies }],
  ['companies valued at over a billion', { kinds: companies }],
  ['hackathons with prizes over $100k', { rest: 'hackathons', kinds: events }],
];

describe('reads amounts', () => {
  test.each(amounts)('%s', (text, expected) => expect(understood(text)).toEqual({ rest: '', ...expected }));
});
