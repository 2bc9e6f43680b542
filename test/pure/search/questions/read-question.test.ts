import { emptyKnowledge } from '../../../../src/search/questions/knowledge.ts';
import type { Question } from '../../../../src/search/questions/question.ts';
import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';
import { companies, events, investors, people, related, understood } from '../../../support/search/understood.ts';

type Row = readonly [text: string, expected: Readonly<Record<string, unknown>>];

const neighbours: readonly Row[] = [
  ['companies like uniswap', { kinds: companies, like: 'uniswap' }],
  ['alternatives to ledger', { like: 'ledger' }],
  ['metamask alternatives', { like: 'metamask' }],
  ['best alternative to the graph', { like: 'the graph' }],
  ['something similar to opensea but on solana', { chains: ['solana'], like: 'opensea' }],
  ['instead of metamask', { like: 'metamask' }],
  ['wallet to use instead of metamask', { rest: 'wallet', like: 'metamask' }],
  ['alternatives to maker', { like: 'maker' }],
  ['wallets like metamask that support solana', { rest: 'wallets', chains: ['solana'], like: 'metamask' }],
  ['competitors of chainlink', { like: 'chainlink' }],
  ['chainlink competitors in europe', { like: 'chainlink', places: ['europe'] }],
  ['who competes with wormhole', { like: 'wormhole' }],
  ['what can i use instead of gnosis safe', { like: 'gnosis safe' }],
  ['better than metamask', { like: 'metamask' }],
  ['projects doing the same job as the graph', { kinds: companies, like: 'the graph' }],
  ['exchanges like binance and kraken', { rest: 'exchanges', kinds: ['companies'], like: 'binance' }],
  ['similar projects to the graph', { like: 'the graph' }],
  ['like uniswap', { like: 'uniswap' }],
  ['buy a piece of a house instead of the whole thing', { rest: 'buy a piece of a house instead of the whole thing' }],
  ['rent out my graphics card when not playing', { rest: 'rent out my graphics card when not playing' }],
  ['dex other than uniswap', { rest: 'dex', like: 'uniswap', without: ['uniswap'] }],
  ['dex other than a16z, curve and lido', { rest: 'dex', like: 'a16z', without: ['a16z', 'curve', 'lido'] }],
  ['companies like uniswap, curve and balancer', { like: 'uniswap', kinds: ['companies'] }],
  ['rollups besides arbitrum and base', { rest: 'rollups', like: 'arbitrum', without: ['arbitrum', 'base'] }],
  ['wallets except metamask and ledger', { rest: 'wallets', kinds: companies, without: ['metamask', 'ledger'] }],
  ['dex like uniswap but not sushi', { rest: 'dex', like: 'uniswap', without: ['sushi'] }],
];

const constraints: readonly Row[] = [
  [
    'nineteenth-century dex in new york',
    { rest: 'dex', kinds: companies, places: ['new york'], time: 'founded 1800-01-01..1900-01-01' },
  ],
  [
    'in which cities did ethglobal stop in 2025',
    { rest: 'ethglobal', kinds: events, time: 'starts 2025-01-01..2026-01-01' },
  ],
  ['any engineer / designer in berlin', { rest: 'engineer or designer', kinds: people, places: ['berlin'] }],
  ['berlin-hq companies founded 2015+', { kinds: companies, places: ['berlin'], time: 'founded 2015-01-01..' }],
  ['vcs from germany/portugal', { kinds: investors, places: ['germany / portugal'] }],
  ['what took place at the blockspäti venue', { rest: 'blockspäti', kinds: events }],
  [
    'what was on in berlin around devcon 5 in june 2024',
    { kinds: events, places: ['berlin'], time: 'starts 2024-06-01..2024-07-01' },
  ],
  ['smth in berlin any year', { places: ['berlin'] }],
  ['hackathons this yr where n when', { rest: 'hackathons', kinds: events, time: 'starts 2026-01-01..2027-01-01' }],
  [
    'berlin 22 may 2024 which conference was there',
    { rest: 'conference', kinds: events, places: ['berlin'], time: 'starts 2024-05-22..2024-05-23' },
  ],
  [
    'parties thrown in berlin in 2024',
    { rest: 'parties', kinds: events, places: ['berlin'], time: 'starts 2024-01-01..2025-01-01' },
  ],
  [
    'which gatherings on german soil fell in 2024',
    { rest: '', kinds: events, places: ['german'], time: 'starts 2024-01-01..2025-01-01' },
  ],
  ['zk rollup startups in Berlin', { rest: 'zk rollup', kinds: companies, places: ['Berlin'] }],
  ['startups in berlin founded after 2020', { kinds: companies, places: ['berlin'], time: 'founded 2021-01-01..' }],
  ['events in lisbon next month', { kinds: events, places: ['lisbon'], time: 'starts 2026-12-01..2027-01-01' }],
  ['events in asia this autumn', { kinds: events, places: ['asia'], time: 'starts 2026-09-01..2026-12-01' }],
  ['online hackathon 2025', { rest: 'hackathon', kinds: events, online: true, time: 'starts 2025-01-01..2026-01-01' }],
  ['latin american crypto funds', { rest: 'crypto', kinds: investors, places: ['latin american'] }],
  ['seed investors in switzerland', { rest: 'seed', kinds: investors, places: ['switzerland'] }],
  ['events in europe in june', { kinds: events, places: ['europe'], time: 'starts 2027-06-01..2027-07-01' }],
  ['events year 2024 in the uk', { kinds: events, places: ['uk'], time: 'starts 2024-01-01..2025-01-01' }],
  ['events for women in lisbon', { rest: 'women', kinds: events, places: ['lisbon'] }],
  ['meetups in the uk', { rest: 'meetups', kinds: events, places: ['uk'] }],
  ['what has lisbon hosted in 2023', { kinds: events, places: ['lisbon'], time: 'starts 2023-01-01..2024-01-01' }],
  ["japan's scene in 2022", { kinds: events, places: ['japan'], time: 'starts 2022-01-01..2023-01-01' }],
  ['defi berlin - which events', { rest: 'defi', kinds: events, places: ['berlin'] }],
  ['uk 2022 no dex', { kinds: events, places: ['uk'], time: 'starts 2022-01-01..2023-01-01', withoutTopics: ['dex'] }],
  [
    'parties berlin lisbon 2024',
    { rest: 'parties', kinds: events, places: ['berlin or lisbon'], time: 'starts 2024-01-01..2025-01-01' },
  ],
  ['german, swiss or japanese companies', { kinds: companies, places: ['german swiss or japanese'] }],
  ['swiss-domiciled firms', { kinds: companies, places: ['swiss'] }],
  ['conferences deal mainly with zk', { rest: 'conferences deal mainly with zk', kinds: events }],
  ['lisbon / berlin hackathons', { rest: 'hackathons', kinds: events, places: ['lisbon / berlin'] }],
  ['hq berlin', { kinds: companies, places: ['berlin'] }],
  ['swiss vc, seed', { rest: 'seed', kinds: investors, places: ['swiss'] }],
  ['old wallets, before 1990', { rest: 'wallets', kinds: companies, time: 'founded ..1990-01-01' }],
  ['events from the first of june to the end of august 2021', { kinds: events, time: 'starts 2021-06-01..2021-09-01' }],
  ['events from november to january 2025', { kinds: events, time: 'starts 2024-11-01..2025-02-01' }],
  ['events at any point in 2023', { kinds: events, time: 'starts 2023-01-01..2024-01-01' }],
  ['every edition of devcon since the first one', { rest: 'devcon', kinds: events }],
  ['berlin startups', { kinds: companies, places: ['berlin'] }],
  ['wallets you can use on solana', { rest: 'wallets', kinds: companies, chains: ['solana'] }],
  ['firms having their head office in berlin', { kinds: companies, places: ['berlin'] }],
  ['everything that began in uk in 2024', { kinds: events, places: ['uk'], time: 'starts 2024-01-01..2025-01-01' }],
  ['mexico city week speakers', related('speaker', 'mexico city week', people)],
  ['new york startups', { kinds: companies, places: ['new york'] }],
  ['new york wallets', { rest: 'wallets', kinds: companies, places: ['new york'] }],
  ['hackathons new york', { rest: 'hackathons', kinds: events, places: ['new york'] }],
  ['where was devcon held in 2018', { rest: 'devcon', kinds: events, time: 'starts 2018-01-01..2019-01-01' }],
  ['lisbon: which meetups were there', { rest: 'meetups', kinds: events, places: ['lisbon'] }],
  ["what's going on in lisbon", { kinds: events, places: ['lisbon'] }],
  ['hackathon in berlin', { rest: 'hackathon', kinds: events, places: ['berlin'] }],
  ['events later this year', { kinds: events, time: 'starts 2026-11-22..2027-01-01' }],
  ['events between 1 and 15 september 2023', { kinds: events, time: 'starts 2023-09-01..2023-09-16' }],
  ['events lisbon next month', { kinds: events, places: ['lisbon'], time: 'starts 2026-12-01..2027-01-01' }],
  ['wallets from berlin, germany', { rest: 'wallets', kinds: companies, places: ['berlin', 'germany'] }],
  ['startups in berlin or lisbon', { kinds: companies, places: ['berlin or lisbon'] }],
  [
    'defi companies from the nordics founded between 2018 and 2020',
    { rest: 'defi', kinds: companies, places: ['nordics'], time: 'founded 2018-01-01..2021-01-01' },
  ],
  ['events of the first quarter of 2024', { kinds: events, time: 'starts 2024-01-01..2024-04-01' }],
  ['ethereum meetup berlin', { rest: 'meetup', chains: ['ethereum'], kinds: events, places: ['berlin'] }],
  ['japanese investors', { kinds: investors, places: ['japanese'] }],
  [
    'Which startups in Switzerland were founded after 2015?',
    { kinds: companies, places: ['Switzerland'], time: 'founded 2016-01-01..' },
  ],
  ['banks founded in the 19th century', { rest: 'banks', kinds: companies, time: 'founded 1800-01-01..1900-01-01' }],
  ['companies founded in the 90s', { kinds: companies, time: 'founded 1990-01-01..2000-01-01' }],
  ['what happened in lisbon before 2020', { kinds: events, places: ['lisbon'], time: 'starts ..2020-01-01' }],
  ['top 10 defi startups in germany', { rest: 'defi', kinds: companies, places: ['germany'] }],
  ['Events Deutschland 2023', { kinds: events, places: ['Deutschland'], time: 'starts 2023-01-01..2024-01-01' }],
  ['german and swiss startups', { kinds: companies, places: ['german and swiss'] }],
  ['uk-based companies', { kinds: companies, places: ['uk'] }],
  ['berlin based startups', { kinds: companies, places: ['berlin'] }],
  ['events happening in may 2024 in uk', { kinds: events, places: ['uk'], time: 'starts 2024-05-01..2024-06-01' }],
  ['summits taking place in october 2022', { rest: 'summits', kinds: events, time: 'starts 2022-10-01..2022-11-01' }],
  ['summits no later than 2020', { rest: 'summits', kinds: events, time: 'starts ..2021-01-01' }],
  ['events later than march 2025', { kinds: events, time: 'starts 2025-04-01..' }],
  ['companies in timbuktu', { rest: 'timbuktu', kinds: companies }],
  ['startups in the ethereum ecosystem', { kinds: companies, chains: ['ethereum'] }],
  ['companies from 1999', { kinds: companies, time: 'founded 1999-01-01..2000-01-01' }],
  ['firms based lisbon 2023', { kinds: companies, places: ['lisbon'], time: 'founded 2023-01-01..2024-01-01' }],
  ['lawyer speaking lisbon', { rest: 'lawyer', kinds: people, places: ['lisbon'] }],
  ['lisbon 2024 or after', { kinds: events, places: ['lisbon'], time: 'starts 2024-01-01..' }],
  [
    'banks set up in the nineteenth century',
    { rest: 'banks', kinds: companies, time: 'founded 1800-01-01..1900-01-01' },
  ],
  ['give me every devcon edition on record', { rest: 'devcon on record', kinds: events }],
  ['very old banks dating to the 1800s', { rest: 'banks', kinds: companies, time: 'founded 1800-01-01..1900-01-01' }],
  ['berlin oil and gas firms', { rest: 'oil and gas', kinds: companies, places: ['berlin'] }],
  ['firms start after 1990', { kinds: companies, time: 'founded 1991-01-01..' }],
  ['banks going back to before 1900', { rest: 'banks', kinds: companies, time: 'founded ..1900-01-01' }],
  ['hackaton lisbon any year', { rest: 'hackathon', kinds: events, places: ['lisbon'] }],
  ['series a investors', { rest: 'series a', kinds: investors }],
  ['last devcon', { rest: 'devcon', kinds: events, order: 'newest', time: 'starts ..2026-11-22' }],
  ['when is the next ethdenver?', { rest: 'ethdenver', kinds: events, order: 'soonest', time: 'starts 2026-11-22..' }],
  ['next generation wallets', { rest: 'next generation wallets' }],
  [
    'the last conference in lisbon',
    { rest: 'conference', kinds: events, places: ['lisbon'], order: 'newest', time: 'starts ..2026-11-22' },
  ],
  ['startups founded in 2021 or later', { kinds: companies, time: 'founded 2021-01-01..' }],
  ['firms founded 1980 or earlier', { kinds: companies, time: 'founded ..1981-01-01' }],
  ['companies founded post 2000', { kinds: companies, time: 'founded 2001-01-01..' }],
  ['companies founded within the last twenty years', { kinds: companies, time: 'founded 2006-11-22..2026-11-22' }],
  ['summits in 2024 on defi', { rest: 'summits on defi', kinds: events, time: 'starts 2024-01-01..2025-01-01' }],
  ['dexes in japan', { rest: 'dexes', kinds: companies, places: ['japan'] }],
  ['upcoming conferences', { rest: 'conferences', kinds: events, order: 'soonest', time: 'starts 2026-11-22..' }],
  [
    'past hackathons in berlin',
    { rest: 'hackathons', kinds: events, order: 'newest', places: ['berlin'], time: 'starts ..2026-11-22' },
  ],
  ['companies older than 100 years', { kinds: companies, time: 'founded ..1926-01-01' }],
  ['startups less than 5 years old', { kinds: companies, time: 'founded 2022-01-01..' }],
  ['companies founded over ten years ago', { kinds: companies, time: 'founded ..2016-01-01' }],
  ['events two years ago in berlin', { kinds: events, places: ['berlin'], time: 'starts 2024-01-01..2025-01-01' }],
  ['what size shoes does a five year old wear', { rest: 'what size shoes does a five year old wear' }],
  ['the oldest company in berlin', { kinds: companies, places: ['berlin'], order: 'oldest' }],
  ['in person meetups', { rest: 'meetups', kinds: events, online: false }],
  ['startups and investors in berlin', { kinds: ['companies', 'investors'], places: ['berlin'] }],
];

const byKind: readonly Row[] = [
  ['somebody who audits solidity code', { rest: 'audits solidity code', kinds: people }],
  ['engineers at crypto startups', { rest: 'engineers at crypto', kinds: people }],
  ['journalists and reporters in berlin', { rest: 'journalists and reporters', kinds: people, places: ['berlin'] }],
  ['who knows zero knowledge proofs', { rest: 'knows zero knowledge proofs', kinds: people }],
  ['somebody thinking about voting', { rest: 'thinking about voting', kinds: people }],
  ['compiler and language people', { rest: 'compiler and language', kinds: people }],
  ['sharding researcher', { rest: 'sharding researcher', kinds: people }],
  ['money for somebody with only an idea', { rest: 'money for somebody with only an idea' }],
  ['women in defi', { rest: 'defi', kinds: people }],
  ['solana ecosystem investors', { rest: 'solana ecosystem', kinds: investors }],
  ['multi-stage venture firms', { rest: 'multi-stage venture', kinds: investors }],
  ['pay employees and merchants in tokens', { rest: 'pay employees and merchants in tokens' }],
  ['solidity developers', { rest: 'solidity developers', kinds: people }],
  ['who invests in defi', { rest: 'defi', kinds: investors }],
  ['defi fund', { rest: 'defi', kinds: investors }],
  ['investors', { kinds: investors }],
  ['get-togethers in berlin', { kinds: events, places: ['berlin'] }],
  ['crypto conf in berlin', { rest: 'crypto conference', kinds: events, places: ['berlin'] }],
  ['webinars list pls', { rest: 'webinars', kinds: events }],
  ['chief technology officers at devcon', related('member', 'devcon', people, 'ctos')],
  ['current and former employees of aave', related('member', 'aave', people)],
  ['people in makerdao, now or before', { rest: 'makerdao', kinds: people }],
];

const misspelt: readonly Row[] = [
  ['alternativ to ledger', { like: 'ledger' }],
  ['alternitives to ledger', { like: 'ledger' }],
  ['investers in arbitrum', related('investor', 'arbitrum', investors)],
  ['foundr of ethereum', related('founder', 'ethereum', people)],
  ['compnaies like uniswap', { kinds: companies, like: 'uniswap' }],
  ['confrence in berlin', { rest: 'conference', kinds: events, places: ['berlin'] }],
];

describe.each([
  ['neighbours', neighbours],
  ['constraints', constraints],
  ['kinds', byKind],
  ['misspelt words of questions', misspelt],
])('reads %s', (_, rows) => {
  test.each(rows)('%s', (text, expected) => expect(understood(text)).toEqual({ rest: '', ...expected }));
});

describe('does not interpret', () => {
  test.each([
    ...['Andreessen Horowitz', 'Berlin Blockchain Week', 'ETHDenver 2023', 'First Round Capital', 'Like Company'],
    ...['The Graph', 'Paris Blockchain Summit', 'a16z crypto', 'Founders Fund', 'Investors Exchange', '468 Capital'],
    ...['Bank of America', 'May Protocol', 'Sun Token', 'Lilin Sun', 'Mobile Coin', 'The Fund', 'Builders GmbH'],
    ...['Capital One', 'point nine capital', 'texas pacific land'],
    ...['wallet like a bank', 'i would like tokens', 'berlin', '2024', 'may', 'tomorrow land', ''],
    ...['wo kann ich ethereum kaufen', 'événements crypto à paris', 'ベルリンのスタートアップ', 'стартапы в берлине'],
  ])('%s', (text) => expect(understood(text)).toEqual({ rest: text }));
});

test('parsed parts keep their order and the words as written', () => {
  const parts = (text: string): Question['parts'] => readQuestion(text, knowledge, now).parts;
  expect(parts('zk rollup startups in Berlin founded after 2020')).toEqual([
    { as: 'kind', text: 'startups' },
    { as: 'place', text: 'in Berlin' },
    { as: 'time', text: 'founded after 2020' },
  ]);
  expect(parts('Online hackathons, upcoming')).toEqual([
    { as: 'online', text: 'Online' },
    { as: 'kind', text: 'hackathons,' },
    { as: 'order', text: 'upcoming' },
  ]);
});

test('a place that the data lacks is a part of the question, and its words are searched for', () => {
  const { parts, rest } = readQuestion('defi companies near andorra la vella', knowledge, now);
  expect(rest).toBe('defi near andorra la vella');
  expect(parts.at(-1)).toEqual({ as: 'place', text: 'near andorra la vella' });
});

test('before the data is loaded, countries and regions are recognized and cities are searched for as words', () => {
  const { places, rest } = readQuestion('startups in berlin, germany', emptyKnowledge, now);
  expect({ places, rest }).toEqual({ places: [], rest: 'berlin, germany' });
  const { places: known } = readQuestion('startups in czechia', emptyKnowledge, now);
  expect(known).toEqual([{ text: 'czechia', countries: ['Czechia'], cities: [] }]);
});
