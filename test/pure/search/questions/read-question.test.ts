import { emptyKnowledge } from '../../../../src/search/questions/knowledge.ts';
import type { Question } from '../../../../src/search/questions/question.ts';
import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';
import { companies, events, investors, people, related, understood } from '../../../support/search/understood.ts';

/** Returns the relation of those who have left, and the remaining words. */
const former = (of: string, rest = '') => ({ ...related('member', of, people, rest), tense: 'past' });

type Row = readonly [text: string, expected: Readonly<Record<string, unknown>>];

const relations: readonly Row[] = [
  ['Who is the founder of Ethereum?', related('founder', 'Ethereum', people)],
  ["uniswap's founders", related('founder', 'uniswap', people)],
  ['co-founders of the Ethereum Foundation', related('founder', 'Ethereum Foundation', people)],
  ['founder of the graph', related('founder', 'the graph', people)],
  ['who founded aave', related('founder', 'aave', people)],
  ['companies founded by hayden adams', related('founder', 'hayden adams', companies)],
  ['what did hayden adams found', related('founder', 'hayden adams', companies)],
  ['uniswap investors', related('investor', 'uniswap', investors)],
  ['portfolio companies of paradigm', related('portfolio', 'paradigm', companies)],
  ["paradigm's portfolio", related('portfolio', 'paradigm', companies)],
  ['what did a16z invest in', related('portfolio', 'a16z', companies)],
  ['which companies did a16z back', related('portfolio', 'a16z', companies)],
  ['companies backed by paradigm', related('portfolio', 'paradigm', companies)],
  ['pantera backed companies', related('portfolio', 'pantera', companies)],
  ['companies where a16z is an investor', related('portfolio', 'a16z', companies)],
  ['everything consensys has invested in', related('portfolio', 'consensys', companies)],
  ['startups that paradigm has invested in', related('portfolio', 'paradigm', companies)],
  ['paradigm-backed startups', related('portfolio', 'paradigm', companies)],
  ['former employees of consensys', former('consensys')],
  ['engineers at consensys', related('member', 'consensys', people, 'engineers')],
  ['where does hayden adams work', related('member', 'hayden adams', companies)],
  ['speakers at devcon', related('speaker', 'devcon', people)],
  ['did anybody speak at devcon 5', related('speaker', 'devcon 5', people)],
  ['who is aave backed by', related('investor', 'aave', investors)],
  ['where did vitalik speak', related('speaker', 'vitalik', events)],
  ['which devcons has danny ryan spoken at', related('speaker', 'danny ryan', events, 'devcons')],
  ['previously at status', former('status')],
  ['ex aragon developers', former('aragon', 'developers')],
  ['which funds invested into aave', related('investor', 'aave', investors)],
  ['people who worked in parity', related('member', 'parity', people)],
  ['authors of eip-1559', related('author', 'eip-1559', people)],
  ['who wrote eip-1559', related('author', 'eip-1559', people)],
  ['vcs that invest in defi', { rest: 'defi', kinds: investors }],
  ['which investors backed lens protocol', related('investor', 'lens protocol', investors)],
  ['the graph founder', related('founder', 'the graph', people)],
  ['who is the ethereum founder', related('founder', 'ethereum', people)],
  ['who is the cto of openzeppelin', related('member', 'openzeppelin', people, 'cto')],
  ['devcon 5 speakers on privacy', related('speaker', 'devcon 5', people, 'privacy')],
  ['who organizes ethprague', { rest: 'ethprague', kinds: events }],
  ['authors of standards for tokens', { rest: 'standards for tokens', kinds: people }],
  ['people speaking at ethprague', related('speaker', 'ethprague', people)],
  ['who works on zk at consensys', related('member', 'consensys', people, 'zk')],
  ['developers who gave a talk about zk at devcon 5', related('speaker', 'devcon 5', people, 'developers zk')],
  ['who is head of security at aave', related('member', 'aave', people, 'head of security')],
  ['how many people spoke at devcon 5', related('speaker', 'devcon 5', people)],
  ['which defi investors backed aave', related('investor', 'aave', investors, 'defi')],
  ['Which venture funds backed Optimism?', { ...related('investor', 'Optimism', investors) }],
  ['who is behind tornado cash', related('founder', 'tornado cash', people)],
  ['who are the venture firms behind aave', related('investor', 'aave', investors)],
  ['aave team members', related('member', 'aave', people)],
  ['devcon 4 speaker list', related('speaker', 'devcon 4', people)],
  ['inventor of proof of stake', related('founder', 'proof of stake', people)],
  ['firms that invested in aave', related('investor', 'aave', investors)],
  ['spoke at devcon 5', related('speaker', 'devcon 5', people)],
  ['consensys staff', related('member', 'consensys', people)],
  ['startups that hire staff', { rest: 'hire staff', kinds: companies }],
  ['conferences where danny ryan gave a talk', related('speaker', 'danny ryan', events, 'conferences')],
  ['angels behind aave', related('investor', 'aave', investors)],
  ['funds founded by hayden adams', related('founder', 'hayden adams', investors)],
  ['events by webzero', related('organizer', 'webzero', events)],
  ['events organised by the ethereum foundation', related('organizer', 'ethereum foundation', events)],
];

const founder = { role: 'founder', of: '', or: [] };
const speaker = { role: 'speaker', of: 'devcon 5', or: [] };

const severalRelations: readonly Row[] = [
  ['investors that backed both chainlink and aave', toBoth('investor', 'chainlink', 'aave', investors)],
  ['companies that a16z and paradigm invested in', toBoth('portfolio', 'a16z', 'paradigm', companies)],
  ['companies a16z and paradigm both backed', toBoth('portfolio', 'a16z', 'paradigm', companies)],
  ['vcs that backed aave as well as compound', toBoth('investor', 'aave', 'compound', investors)],
  ['founders of aave and compound', { ...related('founder', 'aave', people), relation: either('aave', 'compound') }],
  ['ex-consensys founders', { ...related('member', 'consensys', people), also: [founder] }],
  ['founders who used to be at consensys', { ...former('consensys'), also: [founder] }],
  ['founders who previously worked at aave', { ...former('aave'), also: [founder] }],
  ['founders who spoke at devcon 5', { kinds: people, relation: speaker, also: [founder] }],
  ['people who founded a company', { kinds: people, relation: founder }],
];

function toBoth(role: string, of: string, other: string, kinds: readonly string[]) {
  return { ...related(role, of, kinds), also: [{ role, of: other, or: [] }] };
}

function either(of: string, ...or: readonly string[]) {
  return { ...founder, of, or };
}

const spoke = related('speaker', 'devcon', people);

const exclusions: readonly Row[] = [
  ['events not in berlin', { kinds: events, excluded: ['not in berlin'] }],
  ['startups outside of europe', { kinds: companies, excluded: ['outside of europe'] }],
  ['non-US staking companies', { rest: 'staking', kinds: companies, excluded: ['non-US'] }],
  ['firms not in the us since 2011', { kinds: companies, excluded: ['not in the us'], time: 'founded 2011-01-01..' }],
  ['events in berlin not in 2023', { kinds: events, places: ['berlin'], excluded: ['not in 2023'] }],
  ['hackathons that are not online', { rest: 'hackathons', kinds: events, excluded: ['that are not online'] }],
  ["investors that didn't invest in uniswap", { kinds: investors, excluded: ["that didn't invest in uniswap"] }],
  ['who did not speak at devcon 5', { kinds: people, excluded: ['did not speak at devcon 5'] }],
  ['non-ethereum wallets', { rest: 'wallets', kinds: companies, withoutTopics: ['ethereum'] }],
  ['startups not focused on defi', { kinds: companies, withoutTopics: ['defi'] }],
  ['events other than conferences', { kinds: events, withoutTopics: ['conferences'] }],
  ["companies that don't operate in japan", { kinds: companies, excluded: ["that don't operate in japan"] }],
  ['funds that do not invest in defi', { kinds: investors, withoutTopics: ['defi'] }],
  ['hackathons anywhere but berlin', { rest: 'hackathons', kinds: events, excluded: ['anywhere but berlin'] }],
  ['companies that are not regulated', { kinds: companies, withoutTopics: ['regulated'] }],
  ['companies neither in berlin nor in japan', { kinds: companies, excluded: ['neither in berlin nor in japan'] }],
  ['companies that are not in berlin nor japan', { kinds: companies, excluded: ['that are not in berlin nor japan'] }],
  ['summits not in 2024 nor in 2023', { rest: 'summits', kinds: events, excluded: ['not in 2024', 'nor in 2023'] }],
  ['dex which isn’t on ethereum or solana', { rest: 'dex', withoutTopics: ['ethereum', 'solana'] }],
  ['wallets, no browser extensions', { rest: 'wallets', kinds: companies, withoutTopics: ['browser extensions'] }],
  ['staking without solana support', { rest: 'staking', withoutTopics: ['solana'] }],
  ['projects other than wallets', { kinds: companies, withoutTopics: ['wallets'] }],
  ['dex projects not part of the ethereum ecosystem', { rest: 'dex', kinds: companies, withoutTopics: ['ethereum'] }],
  ['funds that avoid defi', { kinds: investors, withoutTopics: ['defi'] }],
  ['startups outside of defi', { kinds: companies, withoutTopics: ['defi'] }],
  ['companies not run from berlin', { kinds: companies, excluded: ['not run from berlin'] }],
  ['wallets with no kyc', { rest: 'wallets', kinds: companies, withoutTopics: ['kyc'] }],
  ['companies not founded in japan', { kinds: companies, excluded: ['not founded in japan'] }],
  ['companies without a token', { kinds: companies }],
  ['wallets on base that never issued a token', { rest: 'wallets on base' }],
  ['dex not on eth', { rest: 'dex', withoutTopics: ['ethereum'] }],
  ['wallets minus the solana ones', { rest: 'wallets', kinds: companies, withoutTopics: ['solana'] }],
  ['devcon but not the berlin one', { rest: 'devcon', excluded: ['but not the berlin one'] }],
  ['firms not in defi, staking or security', { kinds: companies, withoutTopics: ['defi', 'staking', 'security'] }],
  ['dex without smart contract, not on base', { rest: 'dex', withoutTopics: ['smart contract', 'base'] }],
  ['events in any country but japan', { kinds: events, excluded: ['any country but japan'] }],
  ['uk firms, not dexes, nft or defi', { kinds: companies, places: ['uk'], withoutTopics: ['dexes', 'nft', 'defi'] }],
  ['events in japan in any city except berlin', { kinds: events, places: ['japan'], excluded: ['except berlin'] }],
  ['aave people except the ceo', { rest: 'aave', kinds: people, withoutTopics: ['ceo'] }],
  ['not a wallet', { withoutTopics: ['wallet'] }],
  ['meetups except those in berlin', { rest: 'meetups', kinds: events, excluded: ['except those in berlin'] }],
  ["firms that haven't been backed by a16z", { kinds: companies, excluded: ["that haven't been backed by a16z"] }],
  ['devcon speakers who are not developers', { ...spoke, withoutTopics: ['developers'] }],
  ['non founders at aave', { rest: 'aave', withoutTopics: ['founders'] }],
  ['people who arent a founder', { kinds: people, excluded: ['who arent a founder'] }],
  ['who is not an investor in aave', { kinds: people, excluded: ['is not an investor in aave'] }],
  ['startups that never raised in berlin', { kinds: companies, excluded: ['that never raised'], places: ['berlin'] }],
  ['startups without investors in berlin', { kinds: companies, excluded: ['without investors'], places: ['berlin'] }],
  [
    "wallets that don't have outside backers",
    { rest: 'wallets', kinds: companies, excluded: ["that don't have outside backers"] },
  ],
  ['investors in aave other than paradigm', { ...related('investor', 'aave', investors), without: ['paradigm'] }],
  ['who spoke at devcon excluding devcon 5', { ...spoke, excluded: ['excluding devcon 5'], without: ['devcon 5'] }],
  ['wallets that have never been hacked', { rest: 'wallets', kinds: companies, withoutTopics: ['hacked'] }],
  ['events excluding hackathons and devcon', { kinds: events, withoutTopics: ['hackathons'], without: ['devcon'] }],
  ['what is on ramp', { rest: 'what is on ramp' }],
  ['dexes without investor protection', { rest: 'dexes', kinds: companies, withoutTopics: ['investor protection'] }],
  ['people at aave except its founders', { ...related('member', 'aave', people), excluded: ['except its founders'] }],
  ['defi week, no meetups and no parties', { rest: 'defi week', withoutTopics: ['meetups', 'parties'] }],
  ['events elsewhere than in berlin', { kinds: events, excluded: ['elsewhere than in berlin'] }],
  ['firms that paradigm did not invest in', { kinds: companies, excluded: ['that paradigm did not invest in'] }],
  ['wallets that do not need privacy', { rest: 'wallets', kinds: companies, withoutTopics: ['privacy'] }],
  ['firms with their seat in neither japan nor brazil', { kinds: companies, excluded: ['neither japan nor brazil'] }],
  ['events in germany, but none in berlin', { kinds: events, places: ['germany'], excluded: ['but none in berlin'] }],
  ['summits other than the devcon ones', { rest: 'summits', kinds: events, without: ['devcon'] }],
  ['dex but no privacy no staking', { rest: 'dex', withoutTopics: ['privacy', 'staking'] }],
  ['solana firms minus anything touching staking', { rest: 'solana', kinds: companies, withoutTopics: ['staking'] }],
  ['investors in aave but not in lido', { ...related('investor', 'aave', investors), excluded: ['but not in lido'] }],
  ['what did paradigm back besides lido', { ...related('portfolio', 'paradigm', companies), without: ['lido'] }],
];

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
  ['companies with 50-100 employees', { kinds: companies, amounts: ['employees 50..101'] }],
  ['startups with a team of over 50', { kinds: companies, amounts: ['employees 51..'] }],
  ['companies employing fifty or more', { kinds: companies, amounts: ['employees 50..'] }],
  ['companies with at least $1M raised', { kinds: companies, amounts: ['funding 1000000..'] }],
  ['solana project no token but raised money', { rest: 'solana', kinds: companies, amounts: ['funding 0.01..'] }],
  ['companies with six investors or more', { kinds: companies }],
  ['an event for more than 500 ppl', { kinds: events }],
  ['developers with more then 3 proposals', { rest: 'developers', kinds: people }],
  ['top 10 people in defi', { rest: 'top 10 people in defi' }],
  ['wallets with more than 1 million users', { rest: 'wallets', kinds: companies }],
  ['companies valued at over a billion', { kinds: companies }],
  ['hackathons with prizes over $100k', { rest: 'hackathons', kinds: events }],
];

const neighbours: readonly Row[] = [
  ['companies like uniswap', { kinds: companies, like: 'uniswap' }],
  ['alternatives to ledger', { like: 'ledger' }],
  ['metamask alternatives', { like: 'metamask' }],
  ['best alternative to the graph', { like: 'the graph' }],
  ['something similar to opensea but on solana', { rest: 'solana', like: 'opensea' }],
  ['instead of metamask', { like: 'metamask' }],
  ['wallet to use instead of metamask', { rest: 'wallet', like: 'metamask' }],
  ['alternatives to maker', { like: 'maker' }],
  ['wallets like metamask that support solana', { rest: 'solana', like: 'metamask' }],
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
  ['wallets you can use on solana', { rest: 'wallets solana', kinds: companies }],
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
  ['ethereum meetup berlin', { rest: 'ethereum meetup', kinds: events, places: ['berlin'] }],
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
  ['startups in the ethereum ecosystem', { rest: 'ethereum ecosystem', kinds: companies }],
  ['companies from 1999', { kinds: companies, time: 'founded 1999-01-01..2000-01-01' }],
  ['firms based lisbon 2023', { kinds: companies, places: ['lisbon'], time: 'founded 2023-01-01..2024-01-01' }],
  ['lawyer speaking lisbon', { rest: 'lawyer', kinds: people, places: ['lisbon'] }],
  ['lisbon 2024 or after', { kinds: events, places: ['lisbon'], time: 'starts 2024-01-01..' }],
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
  ['relations', relations],
  ['neighbours', neighbours],
  ['constraints', constraints],
  ['kinds', byKind],
  ['misspelt words of questions', misspelt],
  ['several relations', severalRelations],
  ['exclusions', exclusions],
  ['amounts', amounts],
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
