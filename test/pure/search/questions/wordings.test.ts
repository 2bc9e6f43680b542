import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';
import { companies, events, investors, people, related, understood } from '../../../support/search/understood.ts';

// The same questions in other words than the usual ones.

describe('a founder is asked for by', () => {
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

  test('a name alone is none: a founder in it is a part of it', () => {
    expect(understood('Founder Fund')).toEqual({ rest: 'Founder Fund' });
    expect(understood('founders factory')).toEqual({ rest: 'founders factory' });
  });
});

describe('an investor or a portfolio is asked for by', () => {
  test.each([
    ['who put money into compound', related('investor', 'compound', investors)],
    ['who gave money to uniswap', related('investor', 'uniswap', investors)],
    ['who funds optimism', related('investor', 'optimism', investors)],
    ['which vcs are behind celestia', related('investor', 'celestia', investors)],
    ['union square ventures investments', related('portfolio', 'union square ventures', companies)],
    ['consensys portfolio startups', related('portfolio', 'consensys', companies)],
  ])('%s', (text, expected) => expect(understood(text)).toEqual(expected));

  test('investments behind one word are part of a name', () => {
    expect(understood('think investments')).toEqual({ rest: 'think investments' });
  });
});

describe('other relations are asked for by', () => {
  test.each([
    ['who gave a talk at devcon 4', related('speaker', 'devcon 4', people)],
    ['lineup of ethprague', related('speaker', 'ethprague', people)],
    ['chief executive of trezor', related('ceo', 'trezor', people)],
    ['ceo trezor', related('ceo', 'trezor', people)],
    ['who is behind erc-721', related('author', 'erc-721', people)],
    ['events run by ethglobal', related('organizer', 'ethglobal', events)],
    ['companies gavin wood founded', related('founder', 'gavin wood', companies)],
  ])('%s', (text, expected) => expect(understood(text)).toEqual(expected));

  test('"who founded a company after a year" is no relation to the year', () => {
    expect(understood('startups in berlin founded after 2020')).not.toHaveProperty('relation');
  });
});

describe('neighbours are asked for by', () => {
  test.each([
    ['other tools that do what tenderly does', 'tenderly'],
    ['ens but for other chains', 'ens'],
    ['funds that invest the way paradigm does', 'paradigm'],
    ['farcaster-like apps', 'farcaster'],
    ['switching away from metamask', 'metamask'],
    ['in place of infura', 'infura'],
  ])('%s', (text, like) => expect(understood(text)).toMatchObject({ like }));

  test.each(['game-like apps', 'dapp but for people', 'the way we vote'])('not by %s', (text) =>
    expect(understood(text)).not.toHaveProperty('like'),
  );
});

describe('kinds', () => {
  test('are not those whom something is for', () => {
    expect(understood('tools for developers')).not.toMatchObject({ kinds: people });
    expect(understood('looking for startups')).toMatchObject({ kinds: companies });
  });

  test('may have names of two words', () => {
    expect(understood('happy hours in berlin')).toMatchObject({ kinds: events, places: ['berlin'] });
    expect(understood('venture capital in berlin')).toMatchObject({ kinds: investors, places: ['berlin'] });
  });

  test('makers of something are companies', () => {
    expect(understood('hardware wallet makers in berlin')).toEqual({
      rest: 'hardware wallet',
      kinds: companies,
      places: ['berlin'],
    });
  });
});

describe('a month or season without a year', () => {
  const time = (text: string) => readQuestion(text, knowledge, now).time;

  test.each(['events in september', 'summer events'])('is of any year: %s', (text) =>
    expect(time(text)).toMatchObject({ yearly: true }),
  );

  test.each(['events in september 2024', 'events next september', 'events last summer', 'events since september'])(
    'is of one year if the text names it: %s',
    (text) => expect(time(text)).toMatchObject({ yearly: false }),
  );

  test('has the year from elsewhere in the text', () => {
    expect(time('summer events 2024')).toMatchObject({ from: '2024-06-01', until: '2024-09-01', yearly: false });
    expect(understood('summer events 2024').rest).toBe('');
  });
});
