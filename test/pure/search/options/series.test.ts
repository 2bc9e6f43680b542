import fc from 'fast-check';
import { seriesOf } from '../../../../src/search/options/series.ts';

describe('Editions of a series share a key despite', () => {
  test.each([
    ['years', ['Quorum Days', 'Quorum Days 2022', '2023 Quorum Days', 'Quorum Days (2024)', 'QuorumDays2025']],
    ['short years', ['ETHOporto', 'ETHOporto 23', "ETHOporto'24", 'ETHOporto ’25', 'ETHOPORTO26', 'ETHOporto #26']],
    ['numbers', ['Gridcon 0', 'Gridcon 3', 'Gridcon VI', 'Gridcon X', 'Gridcon 12 2026', 'Gridcon 004', 'Gridcon v2']],
    ['announced numbers', ['Node Talks', 'Node Talks #7', 'Node Talks No. 8', 'Node Talks Vol 9', 'Node Talks, Pt. 2']],
    ['ordinals', ['Rollup Summit', '1st Rollup Summit', '4th Annual Rollup Summit', 'Third Rollup Summit']],
    ['editions', ['Ledger Fest', 'Ledger Fest – 5th edition', 'Ledger Fest (2nd Edition)', 'Ledger Fest, Season 3']],
    [
      'months',
      [
        'Token Tuesday',
        'Token Tuesday March',
        'Token Tuesday – May 2024',
        'June Token Tuesday',
        'Token Tuesday Dec 24',
      ],
    ],
    [
      'days',
      ['zk Evening', 'zk Evening 12 March', 'zk Evening, April 3rd', 'zk Evening 2024-03-12', 'zk Evening 12.03.24'],
    ],
    ['seasons next to years', ['Hack Weeks', 'Hack Weeks Spring 2021', 'Hack Weeks 2022 Winter', 'Hack Weeks Q3 2023']],
    ['spelling', ['NFT Porto', 'NFT.Porto', 'nft-porto', 'NFTPorto', 'ＮＦＴ Pórto', 'NFT Porto!']],
  ])('%s', (_, names) => {
    expect([...new Set(names.map(seriesOf))]).toHaveLength(1);
  });
});

describe('Other events have different keys because of', () => {
  test.each([
    ['places', ['Buidl Lisbon', 'Buidl New York', 'Buidl', 'Buidl Lisbon Hackathon']],
    ['numbers that belong to a name', ['Web3 Summit', 'Web 2 Summit', 'Web Summit', 'Web 3.0 Summit']],
    ['counted things', ['5 Steps to Staking', '6 Steps to Staking', 'Steps to Staking', 'Top 10', 'Top 20']],
    ['numbers of proposals', ['Intro to ERC20', 'Intro to ERC 21', 'Intro to EIP-4', 'Intro to EIP-7']],
    ['implausible years', ['TOKEN2049', 'Token', 'TOKEN 2077']],
    ['digits in brands', ['0x Meetup', '1inch Meetup', 'L2 Meetup', 'L3 Meetup', 'Meetup']],
    ['words that are also months', ['March of the Bulls', 'of the Bulls', 'May the Fork', 'The Fork']],
    ['seasons without a year', ['DeFi Summer', 'DeFi', 'DeFi Winter']],
    ['other scripts', ['東京ブロックチェーン', '大阪ブロックチェーン', 'Блокчейн Київ', 'Блокчейн Львів']],
    ['lower-case letters that are not numerals', ['Alpha x', 'Alpha', 'Alpha mix', 'Alpha civil']],
    ['lengths', ['24-Hour Hackathon Porto', '48-Hour Hackathon Porto', '10% off Porto', '20% off Porto']],
  ])('%s', (_, names) => {
    const keys = names.map(seriesOf);
    expect(new Set(keys).size).toBe(names.length);
  });
});

test.each([
  ['ETHGlobal Istanbul 2023', 'ethglobalistanbul'],
  ['Devcon 7 - Southeast Asia', 'devconsoutheastasia'],
  ['Gwei Meetup @ PBW23', 'gweimeetuppbw'],
  ['2024', '2024'],
  ['#7', '7'],
  ['March 2024', 'march2024'],
  ['3rd Edition', '3rdedition'],
  ['🎉 – 🎉', '🎉 – 🎉'],
  // A letter that is a blank with marks, taken apart.
  ['\ufc5e', '\ufc5e'],
])('the key of %s is %s', (name, key) => {
  expect(seriesOf(name)).toBe(key);
});

test('any name has a key, whatever its case and width', () => {
  const part = fc.constantFrom(' ', ..."Devcon ETH 7 2024 # - : VI March 12th é 🎉 ' .".split(' '));
  const names = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(part).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(names, (name) => {
      const key = seriesOf(name);
      if (/[\p{L}\p{N}]/u.test(name)) expect(key).not.toBe('');
      expect(key).toBe(key.toLowerCase());
    }),
    { numRuns: 2_000 },
  );
});

test('a number or year after a name does not change its key', () => {
  const letters = fc.stringMatching(/^[a-z]{5,12}( [a-z]{5,12}){0,2}$/);
  fc.assert(
    fc.property(
      letters,
      fc.integer({ min: 0, max: 999 }),
      fc.integer({ min: 1990, max: 2039 }),
      (name, number, year) => {
        fc.pre(!/\b(?:layer|march|april|august|season|episode|number|part|second|third|fifth)\b/.test(name));
        expect([`${name} ${number}`, `${name} ${year}`, `${name} ${number} ${year}`].map(seriesOf)).toEqual(
          Array(3).fill(seriesOf(name)),
        );
      },
    ),
  );
});

test('a very long name is parsed immediately', () => {
  for (const piece of ['1.', '2024 ', 'a', '7', 'x ', "' ", '-', 'March '])
    expect(seriesOf(piece.repeat(100_000)).length).toBeGreaterThan(0);
});
