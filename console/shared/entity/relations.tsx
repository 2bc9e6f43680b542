import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { KindName } from '../../../src/kinds/kind.ts';
import type { EntityPage, RelatedGroup, SimilarEntity } from '../../../src/pages/page.ts';
import { entityHref, kindWords } from '../kinds.ts';
import { Monogram } from '../monogram.tsx';
import { type Fields, fieldsOf, numberOf, objectsOf, slugWords, textOf } from '../record.ts';
import { Button } from '../ui/button.tsx';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly count?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ id, title, count, children }: SectionProps) {
  return (
    <section class="entity-section" aria-labelledby={`entity-${id}`}>
      <h2 class="eyebrow" id={`entity-${id}`}>
        {title} {count !== undefined && <span class="section-count">{count}</span>}
      </h2>
      {children}
    </section>
  );
}

/** The number of entries that are shown before "Show all". */
const entriesShown = 24;

interface RelatedProps {
  readonly group: RelatedGroup;
  /** Names of related entities that are not in the database. */
  readonly others: readonly string[];
  /** The search for the whole group. */
  readonly moreHref: string | null;
}

/** Related entities of one kind. */
export function Related({ group: { kind, entities, more }, others, moreHref }: RelatedProps) {
  const entries: readonly Entry[] = [
    ...entities.map(({ id, name, slug }) => ({ name, href: entityHref(kind, { id, slug }) })),
    ...others.map((name) => ({ name, href: null })),
  ];
  return (
    <Section id={`related-${kind}`} title={kindWords[kind].many} count={more ? `${entries.length}+` : entries.length}>
      <Entries kind={kind} entries={entries} />
      {more && moreHref !== null && (
        <p class="small">
          <a href={moreHref}>All {kindWords[kind].many.toLowerCase()}</a>
        </p>
      )}
    </Section>
  );
}

/** A person's role and its organization. */
export function Roles({ record }: { readonly record: Fields }) {
  const roles = objectsOf(record, 'roles');
  if (roles.length === 0) return null;
  return (
    <Section id="roles" title="Roles" count={roles.length}>
      <ul class="roles">
        {roles.map((role, at) => (
          <Role key={at} role={role} />
        ))}
      </ul>
    </Section>
  );
}

function Role({ role }: { readonly role: Fields }) {
  const href = companyHref(fieldsOf(role.company));
  const organisation = textOf(role, 'organisation');
  const detail = textOf(role, 'detail');
  return (
    <li>
      <span class="role-title">{textOf(role, 'title') ?? 'Member'}</span>
      {organisation !== null && <span>{href === null ? organisation : <a href={href}>{organisation}</a>}</span>}
      {detail !== null && <span class="muted">{detail}</span>}
    </li>
  );
}

/** Returns the page of a company; null if the company is not in the database. */
function companyHref(company: Fields | null): string | null {
  const id = company === null ? null : numberOf(company, 'id');
  return company === null || id === null ? null : entityHref('companies', { id, slug: textOf(company, 'slug') });
}

/** The companies of an investor, including those that are not in the database. */
export function Portfolio({ record }: { readonly record: Fields }) {
  const [all, setAll] = useState(false);
  const companies = objectsOf(record, 'portfolio_companies');
  if (companies.length === 0) return null;
  const shown = all ? companies : companies.slice(0, entriesShown);
  return (
    <Section id="portfolio" title="Portfolio" count={companies.length.toLocaleString('en')}>
      <Entries
        kind="companies"
        entries={shown.map((company) => ({ name: textOf(company, 'name') ?? '', href: companyHref(company) }))}
      />
      {shown.length < companies.length && (
        <Button small onClick={() => setAll(true)}>
          Show all {companies.length.toLocaleString('en')}
        </Button>
      )}
    </Section>
  );
}

interface Entry {
  readonly name: string;
  /** Null if the entity is not in the database. */
  readonly href: string | null;
}

function Entries({ kind, entries }: { readonly kind: KindName; readonly entries: readonly Entry[] }) {
  return (
    <ul class="related">
      {entries.map(({ name, href }) => {
        const inside = (
          <>
            <Monogram kind={kind} name={name} size="small" />
            <span>{name}</span>
          </>
        );
        return (
          <li key={`${href} ${name}`}>
            {href === null ? <span class="related-plain">{inside}</span> : <a href={href}>{inside}</a>}
          </li>
        );
      })}
    </ul>
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
  const names = Object.entries(shared).flatMap(([name, values]) =>
    page.kind === 'people' && name !== 'tags' ? values.map((slug) => nameOf(page, slug)) : values,
  );
  if (names.length === 0) return 'Similar description';
  const more = names.length - sharedShown;
  return `Shares ${names.slice(0, sharedShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns the name of a company or event, which records of people identify by slug. */
function nameOf({ related }: EntityPage, slug: string): string {
  const entities = related.flatMap((group) => group.entities);
  return entities.find((entity) => entity.slug === slug)?.name ?? slugWords(slug);
}
