import type { EntityPage } from '../../../src/pages/page.ts';
import { daysText } from '../format.ts';
import { entityHref } from '../kinds.ts';
import { type Fields, fieldsOf, objectsOf, textOf } from '../record.ts';
import { companyHref, Folded, Section } from './relations.tsx';

/** The largest numbers of editions and details of a role that are shown unfolded. */
const editionsShown = 10;
const detailsShown = 3;

/** A person's roles by organization or event, with links to those that have a page. */
export function Roles({ page: { record, related } }: { readonly page: EntityPage }) {
  const known = new Map(
    related.flatMap(({ kind, entities }) =>
      entities.map((entity) => [entity.name.toLowerCase(), { href: entityHref(kind, entity), ...entity }] as const),
    ),
  );
  const groups = new Map<string, Fields[]>();
  for (const role of objectsOf(record, 'roles')) {
    const name = textOf(role, 'organisation') ?? '';
    groups.set(name, [...(groups.get(name) ?? []), role]);
  }
  if (groups.size === 0) return null;
  const entries = Array.from(groups, ([name, roles]) => {
    const [company = null] = roles.map((role) => companyHref(fieldsOf(role.company))).filter((each) => each);
    const found = known.get(name.toLowerCase());
    return { name, roles, href: company ?? found?.href, date: found?.date ?? null };
  });
  // Positions without a date come first, then the latest events.
  const byDate = entries.toSorted((a, b) => (b.date ?? '9999').localeCompare(a.date ?? '9999'));
  return (
    <Section id="roles" title="Roles" count={groups.size}>
      <ul class="timeline">
        {byDate.map((entry) => (
          <RoleGroup key={entry.name} {...entry} />
        ))}
      </ul>
    </Section>
  );
}

interface RoleGroupProps {
  readonly name: string;
  readonly href: string | undefined;
  readonly date: string | null;
  readonly roles: readonly Fields[];
}

function RoleGroup({ name, href, date, roles }: RoleGroupProps) {
  const titles = [...new Set(roles.map((role) => textOf(role, 'title') ?? 'Member'))];
  const details = roles.flatMap((role) => textOf(role, 'detail') ?? []);
  return (
    <li>
      <DateOf day={date} />
      <div>
        <span class="role-title">{titles.join(', ')}</span>{' '}
        {href === undefined ? <span>{name}</span> : <a href={href}>{name}</a>}
        <Folded items={details} shown={detailsShown}>
          {(shown) => (
            <ul class="role-details">
              {shown.map((detail, at) => (
                <li key={at}>{detail}</li>
              ))}
            </ul>
          )}
        </Folded>
      </div>
    </li>
  );
}

/** The date at the start of a line of a timeline. */
function DateOf({ day }: { readonly day: string | null }) {
  const text = daysText(day, null);
  return text === null ? <span /> : <time dateTime={day ?? ''}>{text}</time>;
}

/** The events of a series with their dates, the newest first. */
export function Editions({ page: { record, editions } }: { readonly page: EntityPage }) {
  if (editions.length === 0) return null;
  const own = { id: Number(record.id), name: String(record.name), slug: '', date: textOf(record, 'start_date') };
  const all = [own, ...editions].toSorted((a, b) => (b.date ?? '').localeCompare(a.date ?? ''));
  return (
    <Section id="editions" title="Editions" count={all.length}>
      <Folded items={all} shown={editionsShown}>
        {(shown) => (
          <ol class="timeline">
            {shown.map((edition) => (
              <li key={edition.id}>
                <DateOf day={edition.date} />
                {edition === own ? (
                  <strong aria-current="page">{own.name}</strong>
                ) : (
                  <a href={entityHref('events', edition)}>{edition.name}</a>
                )}
              </li>
            ))}
          </ol>
        )}
      </Folded>
    </Section>
  );
}
