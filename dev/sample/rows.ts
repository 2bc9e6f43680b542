// The form of a line of companies|people|investors|events.ndjson. Every key is present, an unknown value is null, and
// an unknown list is empty.

export const SAMPLE_KINDS = ['companies', 'people', 'investors', 'events'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

export interface SamplePlace {
  readonly city: string | null;
  readonly country: string;
}

export interface SampleSource {
  readonly source: string;
  readonly license: string;
  readonly ref: string;
}

interface CommonRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly logo: string | null;
  readonly overview: string | null;
  readonly location_json: SamplePlace | null;
  readonly links: Readonly<Record<string, string>>;
  readonly _src: readonly SampleSource[];
}

export interface CompanyRow extends CommonRow {
  readonly tagline: string | null;
  /** The same number as `employee_count`. */
  readonly total_employees: number | null;
  readonly employee_count: number | null;
  readonly year_founded: number | null;
  /** YYYY-MM-DD. */
  readonly founded_date: string | null;
  readonly website: string | null;
  readonly tags: readonly string[];
  readonly company_stage: string | null;
  readonly funding_stage: string | null;
  /** US dollars, a decimal string with two digits. */
  readonly total_funding_usd: string | null;
  readonly is_verified: boolean | null;
  readonly aliases: readonly string[];
  readonly former_names: readonly string[];
  readonly tickers: readonly string[];
  readonly ecosystems: readonly string[];
  /** Names of investors; a few are not in the sample. */
  readonly investors: readonly string[];
}

export interface SampleRole {
  readonly title: string;
  readonly organisation: string;
  readonly detail: string | null;
}

export interface PersonRow extends CommonRow {
  readonly headline: string | null;
  readonly roles: readonly SampleRole[];
  readonly companies: readonly string[];
  readonly events: readonly string[];
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly proposals: readonly string[];
}

export interface SamplePortfolioEntry {
  readonly name: string;
  readonly slug: string | null;
}

export interface InvestorRow extends CommonRow {
  readonly website: string | null;
  readonly investor_type: string | null;
  readonly investment_focus: readonly string[];
  readonly investment_stages: readonly string[];
  readonly ticket_size: string | null;
  readonly portfolio_companies: readonly SamplePortfolioEntry[];
  readonly aliases: readonly string[];
}

export interface EventRow extends CommonRow {
  readonly website: string | null;
  /** YYYY-MM-DD. */
  readonly start_date: string | null;
  /** YYYY-MM-DD, never before `start_date`. */
  readonly end_date: string | null;
  readonly year: number | null;
  readonly is_online: boolean | null;
  readonly venue: string | null;
  readonly organizer: string | null;
  readonly event_types: readonly string[];
  readonly tags: readonly string[];
  readonly ecosystems: readonly string[];
  readonly capacity: number | null;
}

export interface SampleRowOf {
  readonly companies: CompanyRow;
  readonly people: PersonRow;
  readonly investors: InvestorRow;
  readonly events: EventRow;
}
