import type { ComponentChildren } from 'preact';
import type { KindName } from '../../../src/kinds/kind.ts';
import type { EntityPage, RelatedGroup, SimilarEntity } from '../../../src/pages/page.ts';
import { formatNumber } from '../format.ts';
import { entityHref, kindWords } from '../kinds.ts';
import { Monogram } from '../monogram.tsx';
import { type Fields, labelOf, numberOf, objectsOf, slugWords, textOf, textsOf } from '../record.ts';
import { emptySearch, type SearchState, searchHref } from '../search/state.ts';
import { ChipLink } from '../ui/chip.tsx';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly count?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ id, title, count, children }: SectionProps) {
  return (
    <section class="entity-section" aria-labelledby={`entity-${id}`}>
      <h2 id={`entity-${id}`}>
        {title} {count !== undefined && <span class="section-count">{count}</span>}
      </h2>
      {children}
    </section>
  );
}

interface RelatedProps {
  readonly group: RelatedGroup;
  /** Names of related entities that are not in the database. */
  readonly others: readonly string[];
  /** The search for the group; null if no filter exists for the relation. */
  readonly filters: SearchState['filters'] | null;
}

export function Related({ group: { kind, entities, more }, others, filters }: RelatedProps) {
  const entries: readonly Entry[] = [
    ...entities.map(({ id, name, slug }) => ({ name, href: entityHref(kind, { id, slug }) })),
    ...others.map((name) => ({ name, href: null })),
  ];
  const { many } = kindWords[kind];
  const count = formatNumber(entries.length);
  return (
    <Section id={`related-${kind}`} title={many} count={more ? `${count}+` : count}>
      <Entries kind={kind} entries={entries} />
      {filters !== null && entities.length > 1 && <OpenInSearch type={kind} filters={filters} />}
    </Section>
  );
}

/** A link to a list as search results, which can be filtered, sorted and exported. */
function OpenInSearch(search: Pick<SearchState, 'type' | 'filters'>) {
  return (
    <p class="small">
      <a href={searchHref({ ...emptySearch, ...search })}>Open in search</a>
    </p>
  );
}

/** The proposals of a person to Ethereum. */
export function Proposals({ record }: { readonly record: Fields }) {
  const proposals = textsOf(record, 'proposals');
  if (proposals.length === 0) return null;
  return (
    <Section id="proposals" title="Proposals" count={proposals.length}>
      <Folded items={proposals} shown={proposalsShown}>
        {(shown) => (
          <div class="chips">
            {shown.map((name) => (
              <ChipLink key={name} href={`https://eips.ethereum.org/EIPS/eip-${name.replace(/\D/g, '')}`}>
                {name}
              </ChipLink>
            ))}
          </div>
        )}
      </Folded>
    </Section>
  );
}

/** Returns the page of a company; null if the company is not in the database. */
export function companyHref(company: Fields | null): string | null {
  const id = company === null ? null : numberOf(company, 'id');
  return company === null || id === null ? null : entityHref('companies', { id, slug: textOf(company, 'slug') });
}

/** The companies of an investor, including those that are not in the database. */
export function Portfolio({ record }: { readonly record: Fields }) {
  const companies = objectsOf(record, 'portfolio_companies');
  if (companies.length === 0) return null;
  const entries = companies.map((company) => ({ name: textOf(company, 'name') ?? '', href: companyHref(company) }));
  return (
    <Section id="portfolio" title="Portfolio" count={formatNumber(companies.length)}>
      <Entries kind="companies" entries={entries} />
      {entries.some(({ href }) => href !== null) && (
        <OpenInSearch type="companies" filters={{ investor: [String(record.id)] }} />
      )}
    </Section>
  );
}

/** The largest numbers of entries and proposals that are shown unfolded. */
const entriesShown = 24;
const proposalsShown = 12;

interface FoldedProps<Item> {
  readonly items: readonly Item[];
  readonly shown: number;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** A list whose rest is folded. It also unfolds without scripts. */
export function Folded<Item>({ items, shown, children }: FoldedProps<Item>) {
  // A single entry takes no more space than its fold.
  const end = items.length === shown + 1 ? items.length : shown;
  const rest = items.slice(end);
  return (
    <>
      {items.length > 0 && children(items.slice(0, end))}
      {rest.length > 0 && (
        <details class="more">
          <summary>Show {formatNumber(rest.length)} more</summary>
          {children(rest)}
        </details>
      )}
    </>
  );
}

interface Entry {
  readonly name: string;
  /** Null if the entity is not in the database. */
  readonly href: string | null;
}

function Entries({ kind, entries }: { readonly kind: KindName; readonly entries: readonly Entry[] }) {
  return (
    <Folded items={entries} shown={entriesShown}>
      {(shown) => (
        <ul class="related">
          {shown.map(({ name, href }) => {
            const inside = (
              <>
                <Monogram kind={kind} name={name} size="small" />
                <span>{name}</span>
              </>
            );
            return (
              <li key={`${href} ${name}`}>
                {href === null ? (
                  <span class="related-plain" title="Not in the database">
                    {inside}
                  </span>
                ) : (
                  <a href={href}>{inside}</a>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </Folded>
  );
}

/** The largest number of shared values listed for an entity. */
const sharedShown = 3;

/** Entities of the same kind that have most in common with this one, with the shared values. */
export function Similar({ page }: { readonly page: EntityPage }) {
  const { kind, similar } = page;
  if (similar.length === 0) return null;
  return (
    <Section id="similar" title={`Similar ${kindWords[kind].many.toLowerCase()}`}>
      <ul class="similar">
        {similar.map((entity) => (
          <li key={entity.id}>
            <Monogram kind={kind} name={entity.name} size="small" />
            <div>
              <a href={entityHref(kind, entity)}>{entity.name}</a>
              <p class="small muted">{sharedText(page, entity)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function sharedText(page: EntityPage, { shared }: SimilarEntity): string {
  const all = Object.entries(shared).flatMap(([name, values]) =>
    values.map((value) => (page.kind === 'people' && name !== 'tags' ? nameOf(page, value) : labelOf(value))),
  );
  const names = [...new Set(all)];
  // Without a description, only the names were compared.
  const isDescribed = ['tagline', 'headline', 'overview'].some((field) => textOf(page.record, field) !== null);
  if (names.length === 0) return isDescribed ? 'Similar description' : 'Similar name';
  const more = names.length - sharedShown;
  return `Shares ${names.slice(0, sharedShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns the name of a company or event, which records of people identify by slug. */
function nameOf({ related }: EntityPage, slug: string): string {
  const entities = related.flatMap((group) => group.entities);
  return entities.find((entity) => entity.slug === slug)?.name ?? slugWords(slug);
}
