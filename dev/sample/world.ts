import { slugOf } from './naming.ts';
import { DISTRICT, type DistrictPlan, type InvestorPlan, type PersonPlan, planDistrict } from './plan.ts';
import type { CompanyPlan } from './plan-companies.ts';
import type { EventPlan } from './plan-events.ts';
import { SAMPLE_KINDS, type SampleKind } from './rows.ts';

/** The id of a kind's first row. A kind has at most `SAMPLE_ROWS_MAX` rows. */
const FIRST_ID: Readonly<Record<SampleKind, number>> = {
  companies: 1_000_001,
  people: 2_000_001,
  investors: 3_000_001,
  events: 4_000_001,
};

export const SAMPLE_ROWS_MAX = 1_000_000;

/** Number of districts whose slugs are made unique by counting ("name", "name-2"). Later slugs end in the row's id. */
const TIDY_DISTRICTS = 10;
const PLANS_HELD_MAX = 4;

/** Everything that a seed determines, computed on demand. */
export interface World {
  readonly seed: number;
  /** The plan of the district that a row is in; `index` counts from 0 within its kind. */
  readonly districtOf: (kind: SampleKind, index: number) => DistrictPlan;
  /** The oldest district, whose investors are known everywhere. */
  readonly capital: () => DistrictPlan;
  readonly idOf: (kind: SampleKind, index: number) => number;
  /** Unique within its kind. */
  readonly slugOf: (kind: SampleKind, plan: CompanyPlan | PersonPlan | InvestorPlan | EventPlan) => string;
}

function baseOf(plan: { readonly name: string; readonly slugBase?: string }): string {
  return slugOf(plan.slugBase ?? plan.name);
}

function tidySlugs(plans: readonly DistrictPlan[], kind: SampleKind): string[] {
  const taken = new Set<string>();
  return plans.flatMap((plan) =>
    plan[kind].map((entity) => {
      const base = baseOf(entity);
      let slug = base;
      for (let turn = 2; taken.has(slug); turn += 1) slug = `${base}-${turn}`;
      taken.add(slug);
      return slug;
    }),
  );
}

/** A world of any size holds ten plans for the counted slugs, and a few more for the rows being written. */
export function createWorld(seed: number): World {
  const held = new Map<number, DistrictPlan>();
  let tidyPlans: readonly DistrictPlan[] | undefined;
  const tidy = new Map<SampleKind, string[]>();

  const founding = (): readonly DistrictPlan[] => {
    tidyPlans ??= Array.from({ length: TIDY_DISTRICTS }, (_, number) => planDistrict(seed, number));
    return tidyPlans;
  };
  const district = (number: number): DistrictPlan => {
    const known = founding()[number] ?? held.get(number);
    if (known !== undefined) return known;
    const oldest = held.keys().next();
    if (held.size >= PLANS_HELD_MAX && !oldest.done) held.delete(oldest.value);
    const plan = planDistrict(seed, number);
    held.set(number, plan);
    return plan;
  };
  const idOf = (kind: SampleKind, index: number): number => FIRST_ID[kind] + index;
  return {
    seed,
    idOf,
    capital: () => district(0),
    districtOf: (kind, index) => district(Math.floor(index / DISTRICT[kind])),
    slugOf: (kind, plan) => {
      if (tidy.size === 0) for (const each of SAMPLE_KINDS) tidy.set(each, tidySlugs(founding(), each));
      // No name ends in seven digits, so a slug that ends in its id is unique.
      return tidy.get(kind)?.[plan.index] ?? `${baseOf(plan)}-${idOf(kind, plan.index)}`;
    },
  };
}

/** Returns the plan at an index of its kind: company 205 is the sixth of district 2. */
export function planAt<K extends SampleKind>(plan: DistrictPlan, kind: K, index: number): DistrictPlan[K][number] {
  const found = plan[kind][index % DISTRICT[kind]];
  if (found === undefined) throw new RangeError(`no ${kind} row at ${index}`);
  return found;
}
