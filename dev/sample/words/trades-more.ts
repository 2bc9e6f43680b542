import type { Trade } from './trades.ts';

/** Infrastructure, community and media trades. */
export const MORE_TRADES: readonly Trade[] = [
  {
    noun: 'NFT marketplace',
    seconds: ['Gallery', 'Bazaar', 'Editions', 'Collect'],
    tags: ['nft', 'marketplace', 'art', 'collectibles'],
    does: [
      'sells art editions',
      'auctions collectibles',
      'rents out in-game items',
      'lets musicians sell their masters in parts',
    ],
    who: ['artists', 'collectors', 'museums', 'labels'],
    how: [
      'Royalties are enforced by the contract',
      'Bids are sealed until the auction ends',
      'Curators earn a share of what they list',
    ],
  },
  {
    noun: 'game studio',
    seconds: ['Games', 'Arcade', 'Quest', 'Play'],
    tags: ['gaming', 'nft', 'metaverse', 'entertainment'],
    does: [
      'makes an on-chain strategy game',
      'publishes card games with tradable decks',
      'runs tournaments with instant prizes',
      'builds a farming game for phones',
    ],
    who: ['players', 'guilds', 'streamers', 'modders'],
    how: [
      'Items survive the season and can be sold',
      'The first hour is free and needs no wallet',
      'Matches are replayable from the chain alone',
    ],
  },
  {
    noun: 'identity protocol',
    seconds: ['Identity', 'Passport', 'Names', 'Proof'],
    tags: ['identity', 'privacy', 'credentials', 'zero-knowledge'],
    does: [
      'issues verifiable credentials',
      'proves age without a birthday',
      'resolves human-readable names',
      'checks personhood without biometrics',
    ],
    who: ['universities', 'employers', 'applications', 'citizens'],
    how: [
      'Only the proof leaves the phone',
      'Credentials can be revoked without telling who held them',
      'Names work on every connected chain',
    ],
  },
  {
    noun: 'storage network',
    seconds: ['Storage', 'Archive', 'Vaults', 'Depot'],
    tags: ['storage', 'infrastructure', 'data-availability', 'depin'],
    does: [
      'stores files on independent nodes',
      'archives public records for a century',
      'offers data availability to rollups',
      'rents spare disks',
    ],
    who: ['archivists', 'rollup teams', 'film makers', 'researchers'],
    how: [
      'Every file is erasure-coded over forty nodes',
      'Nodes prove possession each hour',
      'A single payment endows a file for good',
    ],
  },
  {
    noun: 'analytics platform',
    seconds: ['Analytics', 'Insights', 'Index', 'Metrics'],
    tags: ['analytics', 'data', 'research', 'dashboard'],
    does: [
      'indexes chains and answers SQL',
      'labels wallets',
      'charts protocol revenue',
      'alerts compliance teams to tainted funds',
    ],
    who: ['analysts', 'auditors', 'journalists', 'token funds'],
    how: [
      'Tables are fresh within a block',
      'Every figure links to the query behind it',
      'Labels carry their evidence',
    ],
  },
  {
    noun: 'security firm',
    seconds: ['Security', 'Audits', 'Watch', 'Sentinel'],
    tags: ['security', 'audit', 'bug-bounty', 'formal-verification'],
    does: ['audits smart contracts', 'runs bug bounties', 'proves contracts formally', 'watches mempools for attacks'],
    who: ['protocol teams', 'bridges', 'exchanges', 'governments'],
    how: [
      'Two reviewers read every line apart before they compare',
      'Findings become regression tests',
      'An emergency desk answers at all hours',
    ],
  },
  {
    noun: 'rollup',
    seconds: ['Rollup', 'Scale', 'Chain', 'Layer'],
    tags: ['layer-2', 'rollup', 'scaling', 'zero-knowledge'],
    does: [
      'runs a zero-knowledge rollup',
      'sequences transactions for app chains',
      'proves blocks with recursive proofs',
      'launches rollups as a service',
    ],
    who: ['developers', 'game studios', 'exchanges', 'enterprises'],
    how: [
      'Proofs post every minute',
      'Anyone can force a transaction through the base layer',
      'Sequencers rotate each epoch',
    ],
  },
  {
    noun: 'staking provider',
    seconds: ['Staking', 'Validators', 'Yield', 'Stake'],
    tags: ['staking', 'liquid-staking', 'validators', 'yield'],
    does: [
      'operates validators',
      'issues a liquid staking token',
      'restakes idle collateral',
      'spreads stake over home operators',
    ],
    who: ['holders', 'custodians', 'home stakers', 'foundations'],
    how: [
      'Keys are split over four operators',
      'Rewards are paid out weekly',
      'Slashing losses are covered from its own bond',
    ],
  },
  {
    noun: 'governance toolkit',
    seconds: ['DAO', 'Governance', 'Assembly', 'Council'],
    tags: ['dao', 'governance', 'voting', 'treasury'],
    does: ['hosts votes for DAOs', 'manages treasuries', 'pays contributors on milestones', 'delegates votes by topic'],
    who: ['communities', 'delegates', 'cooperatives', 'grant programmes'],
    how: [
      'Votes are free and settled on-chain',
      'Delegation ends by itself after a year',
      'Budgets unlock step by step',
    ],
  },
  {
    noun: 'custodian',
    seconds: ['Custody', 'Trust', 'Vault', 'Strongroom'],
    tags: ['custody', 'institutional', 'compliance', 'mpc'],
    does: [
      'holds digital assets for institutions',
      'splits keys with multi-party computation',
      'provides cold storage',
      'settles trades off-exchange',
    ],
    who: ['banks', 'pension funds', 'exchanges', 'family offices'],
    how: [
      'No single person can move an asset',
      'Policies are written in plain language and enforced by hardware',
      'Assets are bankruptcy-remote',
    ],
  },
  {
    noun: 'developer platform',
    seconds: ['Tools', 'Stack', 'Nodes', 'Compiler'],
    tags: ['developer-tools', 'infrastructure', 'sdk', 'rpc'],
    does: [
      'runs node endpoints',
      'ships a debugger for smart contracts',
      'simulates transactions before they are signed',
      'compiles contracts for several chains',
    ],
    who: ['developers', 'wallet makers', 'auditors', 'hackathon teams'],
    how: [
      'Every call can be replayed at any block',
      'Test networks start in a second',
      'Errors name the line and the storage slot',
    ],
  },
  {
    noun: 'energy network',
    seconds: ['Energy', 'Grid', 'Carbon', 'Climate'],
    tags: ['depin', 'energy', 'regenerative-finance', 'carbon'],
    does: [
      'meters rooftop solar on-chain',
      'trades carbon credits',
      'rewards sensors for air quality data',
      'shares charging points',
    ],
    who: ['households', 'cities', 'growers', 'fleet owners'],
    how: [
      'Meters sign their own readings',
      'Credits are retired in public',
      'Neighbours settle among themselves each night',
    ],
  },
];
