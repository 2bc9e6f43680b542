// Sentence patterns. {name} {does} {who} {how} {city} {year} {chain} {noun} {people} are filled in by the row builders.

export const OVERVIEW_OPENINGS = [
  '{name} {does} for {who}.',
  '{name} is {aNoun} that {does} for {who}.',
  'Built in {city}, {name} {does} for {who}.',
  'For {who}, {name} {does}.',
  'Since {year}, {name} {does}; its users are mostly {who}.',
] as const;

export const OVERVIEW_MIDDLES = [
  '{how}.',
  '{how}, on {chain} and elsewhere.',
  'On {chain}, {howLower}.',
  'What sets it apart: {howLower}.',
] as const;

export const OVERVIEW_ENDS = [
  'The team of {people} works from {city} and answers its own support mail.',
  'Its contracts are open source and were audited twice.',
  'Fees go to the treasury, which token holders govern.',
  'A public status page reports every incident.',
  'The company began as a weekend project and found paying users within a year.',
  'A mobile application followed in the second year.',
  'It publishes reserves and liabilities every month.',
  'An interface for developers is free up to a thousand calls a day.',
  'The roadmap is decided in open calls on the first Tuesday of each month.',
] as const;

export const TAGLINES = [
  'The {noun} for {who}',
  '{Does}',
  'A calmer {noun}',
  'Your {noun}, without the middle',
  '{Noun} on {chain}',
  '{Does}, at last',
] as const;

export const INVESTOR_OPENINGS = [
  '{name} backs {focus} founders at {stages}.',
  '{name} invests as {type} in {focus}, based in {city}.',
  'From {city}, {name} writes first cheques for {focus} teams.',
  '{name} invests in {focus} and {focus2}, mostly at {stages}.',
] as const;

export const INVESTOR_SENTENCES = [
  'Partners have run exchanges, mines and bakeries.',
  'It holds for ten years and publishes its mistakes.',
  'It leads rounds, takes board seats rarely, and answers within a week.',
  'Its platform team helps with audits, hiring and listing.',
  'A tenth of each fund goes to public goods.',
  'It runs validators on {chain} and votes in public.',
  'Half of its portfolio was met at hackathons.',
] as const;

export const INVESTOR_TYPES = ['venture-capital', 'corporate', 'angel', 'accelerator', 'dao', 'family-office'] as const;

export const TICKET_SIZES = [
  '$10-50K',
  '$25-100K',
  '$0.1-0.5M',
  '$0.25-1M',
  '$0.5-3M',
  '$1-5M',
  '$2-15M',
  '$10-40M',
] as const;
