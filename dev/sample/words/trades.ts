import { MORE_TRADES } from './trades-more.ts';

/** What a company does: the words its names, tags and overviews are made of. */
export interface Trade {
  readonly noun: string;
  readonly seconds: readonly string[];
  readonly tags: readonly string[];
  /** Third person, completes "{name} …". */
  readonly does: readonly string[];
  readonly who: readonly string[];
  /** Whole sentences without their full stop. */
  readonly how: readonly string[];
}

const FINANCE_TRADES: readonly Trade[] = [
  {
    noun: 'decentralised exchange',
    seconds: ['Exchange', 'Swap', 'Markets', 'Trade'],
    tags: ['defi', 'exchange', 'dex', 'amm', 'trading'],
    does: [
      'swaps tokens without an order desk',
      'runs an automated market maker',
      'matches spot orders on-chain',
      'routes trades across liquidity pools',
    ],
    who: ['traders', 'market makers', 'treasuries', 'retail investors'],
    how: [
      'Liquidity providers choose the price range they serve',
      'Orders are batched so that nobody can trade ahead of them',
      'A router splits each swap over the deepest pools',
    ],
  },
  {
    noun: 'lending market',
    seconds: ['Lending', 'Credit', 'Loans', 'Finance'],
    tags: ['defi', 'lending', 'borrowing', 'credit'],
    does: [
      'lends against collateral',
      'matches borrowers with lenders at fixed rates',
      'offers overcollateralised loans',
      'underwrites credit lines without collateral',
    ],
    who: ['borrowers', 'funds', 'small businesses', 'stablecoin holders'],
    how: [
      'Interest follows the use of each pool',
      'Liquidations run as small Dutch auctions',
      'Risky assets sit in isolated markets',
    ],
  },
  {
    noun: 'wallet',
    seconds: ['Wallet', 'Keys', 'Pocket', 'Safe'],
    tags: ['wallet', 'self-custody', 'mobile', 'account-abstraction'],
    does: [
      'keeps keys in a smart-contract wallet',
      'makes a self-custody wallet with social recovery',
      'ships a browser wallet that simulates each transaction',
      'builds hardware wallets',
    ],
    who: ['newcomers', 'families', 'collectors', 'treasurers'],
    how: [
      'Guardians can restore an account when a phone is lost',
      'Spending limits apply before the signature is asked',
      'Gas can be paid in any stable token',
    ],
  },
  {
    noun: 'cross-chain bridge',
    seconds: ['Bridge', 'Crossing', 'Relay', 'Ferry'],
    tags: ['bridge', 'interoperability', 'cross-chain', 'messaging'],
    does: [
      'bridges assets between chains',
      'relays messages across networks',
      'moves liquidity between rollups in one block',
      'verifies foreign chains with light clients',
    ],
    who: ['applications', 'rollup teams', 'exchanges', 'asset issuers'],
    how: [
      'Transfers settle against a bond that watchers can challenge',
      'No multisig holds user funds',
      'Proofs are checked by light clients on both sides',
    ],
  },
  {
    noun: 'price oracle',
    seconds: ['Oracle', 'Feeds', 'Signal', 'Data'],
    tags: ['oracle', 'data', 'price-feeds', 'infrastructure'],
    does: [
      'publishes price feeds',
      'brings weather and freight data on-chain',
      'runs an optimistic oracle for disputes',
      'aggregates prices from independent reporters',
    ],
    who: ['lending markets', 'derivatives desks', 'insurers', 'prediction markets'],
    how: [
      'Reporters stake and are slashed for outliers',
      'Each feed names its sources and its delay',
      'Consumers pull a signed price only when they need it',
    ],
  },
  {
    noun: 'stablecoin issuer',
    seconds: ['Dollar', 'Reserve', 'Mint', 'Stable'],
    tags: ['stablecoin', 'payments', 'reserves', 'defi'],
    does: [
      'issues a fully reserved stablecoin',
      'mints a stable token against staked assets',
      'keeps a euro stablecoin at par',
      'tokenises treasury bills',
    ],
    who: ['merchants', 'savers', 'exporters', 'payroll firms'],
    how: [
      'Reserves are attested every morning',
      'Redemption at par is open to every holder',
      'A stability pool absorbs bad debt first',
    ],
  },
  {
    noun: 'derivatives venue',
    seconds: ['Perps', 'Options', 'Futures', 'Hedge'],
    tags: ['defi', 'derivatives', 'perpetuals', 'options'],
    does: [
      'lists perpetual futures',
      'writes covered options in vaults',
      'clears interest-rate swaps',
      'offers structured products with a stated worst case',
    ],
    who: ['professional traders', 'miners', 'hedgers', 'funds'],
    how: [
      'Margin is cross-collateral and marked every second',
      'An insurance fund stands before any socialised loss',
      'Funding is paid by the hour',
    ],
  },
  {
    noun: 'payments network',
    seconds: ['Pay', 'Payments', 'Remit', 'Checkout'],
    tags: ['payments', 'remittance', 'merchant', 'fintech'],
    does: [
      'settles card and stablecoin payments',
      'sends remittances in seconds',
      'streams salaries by the minute',
      'gives shops a stablecoin checkout',
    ],
    who: ['merchants', 'freelancers', 'migrant workers', 'marketplaces'],
    how: [
      'Payouts land in local currency the same day',
      'Refunds work like those of a card',
      'Invoices reconcile themselves against the ledger',
    ],
  },
  {
    noun: 'insurance mutual',
    seconds: ['Cover', 'Mutual', 'Assurance', 'Shield'],
    tags: ['insurance', 'risk', 'defi', 'cover'],
    does: [
      'covers smart-contract failure',
      'pools risk against custody loss',
      'insures crops with parametric contracts',
      'sells cover against depegs',
    ],
    who: ['depositors', 'farmers', 'protocols', 'custodians'],
    how: [
      'Members vote on claims with their own stake',
      'Payouts trigger on published data, without a claim form',
      'Capital is spread over uncorrelated risks',
    ],
  },
];

/** Every trade of the sample. */
export const TRADES: readonly Trade[] = [...FINANCE_TRADES, ...MORE_TRADES];
