import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

// The words of the fictional sample, from the JSON files in `words`. They were invented for this project, and any
// likeness to a real organisation is accidental. Surnames are coined; given names and cities are real.

function read<Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> {
  return schema.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'words', `${name}.json`), 'utf8')));
}

const list = z.array(z.string()).nonempty();

const place = z.object({ city: z.string(), country: z.string() });
export type Place = z.infer<typeof place>;
export const PLACES = read('places', z.array(place).nonempty());

/** The words for a company's name, tags and overview. */
const trade = z.object({
  noun: z.string(),
  seconds: list,
  tags: list,
  /** In the third person, to follow the name. */
  does: list,
  who: list,
  /** Whole sentences without their full stop. */
  how: list,
});
export type Trade = z.infer<typeof trade>;
export const TRADES = read('trades', z.array(trade).nonempty());

const eventType = z.object({
  type: z.string(),
  /** The words that follow a series' first word: "Lantern" + "Summit". */
  titles: list,
  daysMax: z.number(),
  capacities: z.array(z.number()).nonempty(),
});
export type EventType = z.infer<typeof eventType>;
export const {
  eventTypes: EVENT_TYPES,
  venues: VENUES,
  organizers: ORGANIZERS,
  eventSentences: EVENT_SENTENCES,
} = read(
  'events',
  z.object({ eventTypes: z.array(eventType).nonempty(), venues: list, organizers: list, eventSentences: list }),
);

/** These words also begin joined names: "Marrow" + "gate". */
export const {
  foreWords: FORE_WORDS,
  aftWords: AFT_WORDS,
  openings: OPENINGS,
  middles: MIDDLES,
  closings: CLOSINGS,
  markedWords: MARKED_WORDS,
  plainSeconds: PLAIN_SECONDS,
  numbers: NUMBERS,
  investorTails: INVESTOR_TAILS,
  chains: CHAINS,
} = read(
  'names',
  z.object({
    foreWords: list,
    aftWords: list,
    openings: list,
    middles: list,
    closings: list,
    markedWords: list,
    plainSeconds: list,
    numbers: list,
    investorTails: list,
    chains: list,
  }),
);

export const {
  givenNames: GIVEN_NAMES,
  surnameFronts: SURNAME_FRONTS,
  surnameEnds: SURNAME_ENDS,
  particles: PARTICLES,
  leadTitles: LEAD_TITLES,
  staffTitles: STAFF_TITLES,
  sideTitles: SIDE_TITLES,
  fundTitles: FUND_TITLES,
  talks: TALKS,
  proposalTopics: PROPOSAL_TOPICS,
  habits: HABITS,
} = read(
  'people',
  z.object({
    givenNames: list,
    surnameFronts: list,
    surnameEnds: list,
    particles: list,
    leadTitles: list,
    staffTitles: list,
    sideTitles: list,
    fundTitles: list,
    talks: list,
    proposalTopics: list,
    habits: list,
  }),
);

/** Sentences with places in braces, such as {name}, which the row builders fill in. */
export const {
  overviewOpenings: OVERVIEW_OPENINGS,
  overviewMiddles: OVERVIEW_MIDDLES,
  overviewEnds: OVERVIEW_ENDS,
  taglines: TAGLINES,
  investorOpenings: INVESTOR_OPENINGS,
  investorSentences: INVESTOR_SENTENCES,
  ticketSizes: TICKET_SIZES,
} = read(
  'text',
  z.object({
    overviewOpenings: list,
    overviewMiddles: list,
    overviewEnds: list,
    taglines: list,
    investorOpenings: list,
    investorSentences: list,
    ticketSizes: list,
  }),
);

/** Names that are not in the sample, for references without a target. */
export const {
  unknownInvestors: UNKNOWN_INVESTORS,
  unknownCompanies: UNKNOWN_COMPANIES,
  lostCompany: LOST_COMPANY,
  lostEventSlug: LOST_EVENT_SLUG,
} = read(
  'unknown',
  z.object({
    unknownInvestors: list,
    unknownCompanies: list,
    lostCompany: z.object({ name: z.string(), slug: z.string() }),
    lostEventSlug: z.string(),
  }),
);

export const INVESTOR_TYPES = ['venture-capital', 'corporate', 'angel', 'accelerator', 'dao', 'family-office'] as const;
