import { yearOf } from './days.ts';
import { type Coined, companyName, nameStream, respelt } from './naming.ts';
import { type Random, random } from './random.ts';
import { PLACES, type Place, TRADES, type Trade } from './words.ts';

export interface CompanyPlan extends Coined {
  readonly index: number;
  readonly trade: Trade;
  readonly place: Place;
  /** Days since 1970-01-01. */
  readonly foundedDay: number;
  /** 0 (an idea) to 6 (public). */
  readonly maturity: number;
}

const FIRST_FOUNDED_DAY = 15_706; // 2013-01-01
const LAST_FOUNDED_DAY = 20_088; // 2024-12-31
const NAME_ATTEMPTS_MAX = 20;
/** Number of companies for which the short word lists suffice. */
const UNCROWDED_COMPANIES = 1_000;
const MATURITY_WEIGHTS = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6] as const;

/** Draws until the name is new in the district. After the last attempt, a duplicate is accepted. */
export function unusedName<T extends { name: string }>(taken: Set<string>, draw: (attempt: number) => T): T {
  let drawn = draw(0);
  for (let attempt = 1; attempt < NAME_ATTEMPTS_MAX && taken.has(drawn.name); attempt += 1) drawn = draw(attempt);
  taken.add(drawn.name);
  return drawn;
}

/** Young companies are not public yet, and old ones are past the idea. */
function maturityOf(facts: Random, foundedYear: number): number {
  const drawn = facts.pick(MATURITY_WEIGHTS);
  if (foundedYear >= 2024) return Math.min(drawn, 2);
  if (foundedYear >= 2022) return Math.min(drawn, 4);
  return foundedYear < 2019 ? Math.max(drawn, 2) : drawn;
}

/** Returns `count` companies of a district. */
export function planCompanies(seed: number, first: number, count: number): CompanyPlan[] {
  const taken = new Set<string>();
  const plans: CompanyPlan[] = [];
  for (let index = first; index < first + count; index += 1) {
    const facts = random(`${seed}|plan|companies|${index}`);
    const trade = facts.pick(TRADES);
    // One name in sixteen is a neighbour's name in another spelling, because search must distinguish near names.
    const neighbour = plans.length > 0 && facts.chance(0.06) ? facts.pick(plans) : null;
    const coined = unusedName(taken, (attempt) => {
      const stream = nameStream(seed, 'companies', index, attempt);
      const name = neighbour === null || attempt > 3 ? null : respelt(stream, neighbour);
      return neighbour === null || name === null
        ? companyName(stream, trade, index >= UNCROWDED_COMPANIES)
        : { name, words: neighbour.words };
    });
    const age = facts.next() * facts.next();
    const foundedDay = LAST_FOUNDED_DAY - Math.floor(age * (LAST_FOUNDED_DAY - FIRST_FOUNDED_DAY + 1));
    plans.push({
      ...coined,
      index,
      trade,
      place: facts.pick(PLACES),
      foundedDay,
      maturity: maturityOf(facts, yearOf(foundedDay)),
    });
  }
  return plans;
}
