// Names that rows mention and no row bears, so that references without a target can be tried.

/** Investors that companies name and the sample does not have. */
export const UNKNOWN_INVESTORS = [
  'Gorseway Unlisted Partners',
  'The Quiet Pier Fund',
  'Twelve Owls Capital',
  'Undisclosed Angels of Brackwater',
  'Old Kiln Ventures',
  'Sablewick Family Trust',
  'Paper Kite Syndicate',
  'Nonesuch Growth',
] as const;

/** Companies that portfolios and roles name and the sample does not have. */
export const UNKNOWN_COMPANIES = [
  'Brackwater Exchange',
  'Old Kiln Software',
  'Sablewick Pay',
  'Nonesuch Protocol',
  'Pale Anchor Labs',
  'Thrice Labs',
  'Winterbourne Custody',
  'Seven Pails',
  'Umbral Post',
  'Gorseway Wallet',
] as const;

/** A company and an event whose slugs resolve to nothing. */
export const LOST_COMPANY = { name: 'Gorseway Wallet Lost', slug: 'gorseway-wallet-lost' } as const;
export const LOST_EVENT_SLUG = 'gorseway-gathering-2022';
