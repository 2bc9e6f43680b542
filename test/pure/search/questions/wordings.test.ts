import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';
import { companies, events, investors, people, related, understood } from '../../../support/search/understood.ts';

// The same questions in other words than the usual ones.

describe('a question for a founder can be worded', () => {
  test.each([
    ['who set up aave', 'aave'],
    ['who came up with aave', 'aave'],
    ['who is the brain behind aave', 'aave'],
    ['who invented solidity', 'solidity'],
    ['who co-founded gnosis', 'gnosis'],
    ['co founder of gnosis', 'gnosis'],
    ['founding team of optimism', 'optimism'],
    ['founder aave', 'aave'],
  ])('%s', (text, of) => expect(understood(text)).toEqual(related('founder', of, people)));

  test('"founder" within a name is not a question', () => {
    expect(understood('Founder Fund')).toEqual({ rest: 'Founder Fund' });
    expect(understood('founders factory')).toEqual({ rest: 'founders factory' });
  });
});

describe('a question for an investor or a portfolio can be worded', () => {
  test.each([
    ["firstminute's companies", related('portfolio', 'firstminute', companies)],
    ['which funds put money into arweave', related('investor', 'arweave', investors)],
    ['who funds optimism', related('investor', 'optimism', investors)],
    ['which vcs are behind celestia', related('investor', 'celestia', investors)],
    ['who financed ethena pls', related('investor', 'ethena', investors)],
    ['union square ventures investments', related('portfolio', 'union square ventures', companies)],
    ['consensys portfolio startups', related('portfolio', 'consensys', companies)],
    ['startups that a16z has co-invested in', related('portfolio', 'a16z', companies)],
    ['a fund that backed drift', related('investor', 'drift', investors)],
    ['investors in dbt, not counting a16z', { ...related('investor', 'dbt', investors), without: ['a16z'] }],
    ['which funds back defi startups', { rest: 'defi', kinds: investors }],
    ['who did aave raise money from', related('investor', 'aave', investors)],
    ['who did aave raise from', related('investor', 'aave', investors)],
  ])('%s', (text, expected) => expect(understood(text)).toEqual(expected));

  test('"investments" after a single word is part of a name', () => {
    expect(understood('think investments')).toEqual({ rest: 'think investments' });
  });
});

describe('questions for other relations can be worded', () => {
  test.each([
    ['who gave a talk at devcon 4', related('speaker', 'devcon 4', people)],
    ['lineup of ethprague', related('speaker', 'ethprague', people)],
    ['people with a stint at consensys', related('member', 'consensys', people)],
    ['chief executive of trezor', related('ceo', 'trezor', people)],
    ['ceo trezor', related('ceo', 'trezor', people)],
    ['who is behind erc-721', related('author', 'erc-721', people)],
    ['events run by ethglobal', related('organizer', 'ethglobal', events)],
    ['webzero hosted events', related('organizer', 'webzero', events)],
    ['nethermind team', related('member', 'nethermind', people)],
    ['people who wrote a bip', related('author', 'bip', people)],
    ['EIP authors', related('author', 'EIP', people)],
    ['gateway to cosmos speakers', related('speaker', 'gateway to cosmos', people)],
    ['companies gavin wood founded', related('founder', 'gavin wood', companies)],
  ])('%s', (text, expected) => expect(understood(text)).toEqual(expected));

  test('"founded after a year" is not a relation to the year', () => {
    expect(understood('startups in berlin founded after 2020')).not.toHaveProperty('relation');
  });
});

test.each([
  ['NFT-centred meetups', { rest: 'NFT meetups', kinds: events }],
  ['projs that raised 5 - 10 million', { rest: '', kinds: companies, amounts: ['funding 5000000..10000000.01'] }],
  ['dexs yet are not available on polygon', { rest: 'dexs', withoutTopics: ['polygon'] }],
  ['dexs other then uniswap', { like: 'uniswap' }],
])('A question in other words: %s', (text, expected) => expect(understood(text)).toMatchObject(expected));

describe('a question for similar entities can be worded', () => {
  test.each([
    ['other tools that do what tenderly does', 'tenderly'],
    ['ens but for other chains', 'ens'],
    ['funds that invest the way paradigm does', 'paradigm'],
    ['farcaster-like apps', 'farcaster'],
    ['switching away from metamask', 'metamask'],
    ['in place of infura', 'infura'],
    ['version of github on a chain', 'github'],
  ])('%s', (text, like) => expect(understood(text)).toMatchObject({ like }));

  test.each(['game-like apps', 'dapp but for people', 'the way we vote'])('but not %s', (text) =>
    expect(understood(text)).not.toHaveProperty('like'),
  );
});

describe('kinds', () => {
  test('exclude the audience of a thing, as in "tools for developers"', () => {
    expect(understood('tools for developers')).not.toMatchObject({ kinds: people });
    expect(understood('looking for startups')).toMatchObject({ kinds: companies });
  });

  test('may have names of two words', () => {
    expect(understood('happy hours in berlin')).toMatchObject({ kinds: events, places: ['berlin'] });
    expect(understood('venture capital in berlin')).toMatchObject({ kinds: investors, places: ['berlin'] });
  });

  test.each([
    ['devcon editions in berlin', { rest: 'devcon', kinds: events, places: ['berlin'] }],
    ['where was devcon held, all editions', { rest: 'devcon', kinds: events }],
    ['wallets that support solana', { rest: 'wallets', kinds: companies, chains: ['solana'] }],
    ['defi protocols built on base', { rest: 'defi protocols', kinds: companies, chains: ['base'] }],
    ['wallets that exist on solana', { rest: 'wallets', kinds: companies, chains: ['solana'] }],
    ['banks whose head office sits in berlin', { rest: 'banks', places: ['berlin'] }],
    ['firms whose founding year is 2022 or later', { kinds: companies, time: 'founded 2022-01-01..' }],
    ['firms that raised less then 5 mio', { kinds: companies, amounts: ['funding ..5000000'] }],
    ['berlin events, not the hackathon kind', { places: ['berlin'], withoutTopics: ['hackathon'] }],
    ['No meetups please, what else is on in berlin', { places: ['berlin'], withoutTopics: ['meetups'] }],
    ['dex on both solana and eth', { rest: 'dex', chains: ['solana', 'ethereum'] }],
    ['wallets, base or eth mainnet', { rest: 'wallets', chains: ['base or ethereum'] }],
    ['solana staking, base chain too', { rest: 'solana staking', chains: ['base'] }],
    ['ethereum scaling startups', { rest: 'ethereum scaling', kinds: companies }],
    ['talks on bitcoin in berlin', { rest: 'talks on bitcoin', places: ['berlin'] }],
    ['solana staking startups', { rest: 'staking', kinds: companies, chains: ['solana'] }],
    ['solana people', { rest: 'solana', kinds: people }],
    ['eth events in germany', { rest: '', kinds: events, chains: ['ethereum'], places: ['germany'] }],
    ['has anyone given a talk about zk', { rest: 'zk', kinds: people }],
    ['bridges on base, leaving out those also deployed on ethereum', { withoutTopics: ['ethereum'] }],
    ['nigeria kenya events 2025 2024', { places: ['nigeria kenya'], time: 'starts 2024-01-01..2026-01-01' }],
    ['berlin events 2025-26', { places: ['berlin'], time: 'starts 2025-01-01..2027-01-01' }],
    ['hackathons on a continent other than europe', { excluded: ['on a continent other than europe'] }],
    ['people at aave besides the ceo and the cto', { withoutTopics: ['ceo', 'cto'] }],
    [
      'name bridges on base that skipped ethereum',
      { rest: 'bridges', chains: ['base'], excluded: ['that skipped ethereum'] },
    ],
    ['wallets, bridges or exchanges in berlin', { rest: 'wallets or bridges or exchanges', places: ['berlin'] }],
    ['solana, wallets or bridges in berlin', { rest: 'wallets or bridges', chains: ['solana'], places: ['berlin'] }],
    ['As a founder, I want funds in berlin', { rest: '', kinds: investors, places: ['berlin'] }],
    ['I plan a trip to berlin; show everything from 2024 on', { rest: '', places: ['berlin'] }],
    ['companies established in berlin', { rest: '', kinds: companies, places: ['berlin'] }],
    ['events in june, july and august 2021', { time: 'starts 2021-06-01..2021-09-01' }],
    ['conferences that fall in the second half of 2026', { time: 'starts 2026-07-01..2027-01-01' }],
    ['european funds investing at the seed stage', { rest: 'seed', kinds: investors, places: ['european'] }],
    ['gatherings in berlin, devcon and ethprague i know already', { without: ['devcon', 'ethprague'] }],
    ['editions in berlin', { rest: '', kinds: events, places: ['berlin'] }],
    ['wallets in berlin for people i know', { rest: 'wallets for people' }],
    ['eth hackathons in berlin', { rest: 'hackathons', kinds: events, chains: ['ethereum'] }],
    ['which persons employed by aave', related('member', 'aave', people)],
    ['listed companies in berlin', { rest: 'listed companies', kinds: companies, places: ['berlin'] }],
    ['startups that raised money in berlin', { kinds: companies, places: ['berlin'], amounts: ['funding 0.01..'] }],
    ['companies that raised money from a16z', related('portfolio', 'a16z', companies)],
    ['companies that never ever raised money', { kinds: companies, rest: 'never ever raised money' }],
    ['events in Germany not including berlin', { places: ['Germany'], excluded: ['not including berlin'] }],
    ['companies that support solana developers', { rest: 'support solana developers' }],
    ['pragma series, which cities did it go', { rest: 'pragma', kinds: events }],
    ['funds that do series a', { rest: 'series a', kinds: investors }],
    ['privacy editions in berlin', { rest: 'privacy editions', places: ['berlin'] }],
    [
      'privacy wallets on solana but not on ethereum',
      { rest: 'privacy wallets', chains: ['solana'], excluded: ['but not on ethereum'] },
    ],
    ['events in Berlin, Lisbon or Zürich', { kinds: events, places: ['Berlin Lisbon or Zürich'] }],
    ['events in Berlin, Germany', { kinds: events, places: ['Berlin', 'Germany'] }],
  ])('are read with their conditions: %s', (text, expected) => expect(understood(text)).toMatchObject(expected));

  test('include makers of something as companies', () => {
    expect(understood('hardware wallet makers in berlin')).toEqual({
      rest: 'hardware wallet',
      kinds: companies,
      places: ['berlin'],
    });
  });
});

describe('a month or season without a year', () => {
  const time = (text: string) => readQuestion(text, knowledge, now).time;

  test.each(['events in september', 'summer events'])('applies to every year: %s', (text) =>
    expect(time(text)).toMatchObject({ yearly: true }),
  );

  test.each(['events in september 2024', 'events next september', 'events last summer', 'events since september'])(
    'applies to one year if the text names it: %s',
    (text) => expect(time(text)).toMatchObject({ yearly: false }),
  );

  test('takes its year from elsewhere in the text', () => {
    expect(time('summer events 2024')).toMatchObject({ from: '2024-06-01', until: '2024-09-01', yearly: false });
    expect(understood('summer events 2024').rest).toBe('');
  });
});
