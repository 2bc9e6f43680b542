import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { KindName } from '../../../src/kinds/kind.ts';
import { type EntityPage, identifierOf, type Site } from '../../../src/pages/page.ts';
import { entityFacts } from '../entity/facts.tsx';
import { Folded, Portfolio, Proposals, Related, Section, Similar } from '../entity/relations.tsx';
import { Editions, Roles } from '../entity/timelines.tsx';
import { kindList, kindWords } from '../kinds.ts';
import { Monogram } from '../monogram.tsx';
import {
  type Fields,
  fieldsOf,
  hostOf,
  labelOf,
  objectsOf,
  slugWords,
  textOf,
  textsOf,
  webAddress,
} from '../record.ts';
import type { FilterName } from '../search/options.ts';
import { ApiRequest } from '../search/snippets.tsx';
import { emptySearch, searchHref } from '../search/state.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Badge, ChipLink } from '../ui/chip.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { EmptyState } from '../ui/notes.tsx';

export function EntityView({ site, page }: { readonly site: Site; readonly page: EntityPage }) {
  const { kind, record } = page;
  const name = textOf(record, 'name') ?? kindWords[kind].one;
  const identifier = identifierOf({ id: Number(record.id), slug: textOf(record, 'slug') });
  const line = textOf(record, 'tagline') ?? textOf(record, 'headline');
  const overview = textOf(record, 'overview');
  const groups = relatedGroups(page);
  const isUnrelated = groups.length === 0 && objectsOf(record, 'portfolio_companies').length === 0;
  const facts = entityFacts(kind, record);
  return (
    <article class="page entity-page">
      <header class="entity-head">
        <Monogram kind={kind} name={name} size="large" />
        <div>
          <p class="entity-kind">
            {page.backHref !== null && (
              <a href={page.backHref} onClick={goBack}>
                ← Back to results
              </a>
            )}
            <a class={`kind kind-${kind}`} href={searchHref({ ...emptySearch, type: kind })}>
              {kindWords[kind].one}
            </a>
            {record.is_verified === true && <Badge tone="good">Verified</Badge>}
          </p>
          <h1>{name}</h1>
          {line !== null && <p class="lead">{line}</p>}
          <Links record={record} />
        </div>
      </header>
      <div class="entity-columns">
        <div class="entity-main">
          {overview !== null && overview !== line && <Overview text={overview} />}
          {line === null && overview === null && isUnrelated && <NoDescription kind={kind} />}
          <Editions page={page} />
          <Roles page={page} />
          <Proposals record={record} />
          <Portfolio record={record} />
          {groups.map(({ group, others }) => (
            <Related
              key={group.kind}
              group={group}
              others={others}
              filters={kind === 'companies' ? { company: [String(record.id)] } : null}
            />
          ))}
          <Similar page={page} />
        </div>
        {facts.length > 0 && (
          <dl class="facts">
            {facts.map(({ label, value }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
        <div class="entity-labels">
          <Chips title="Tags" record={record} field="tags" page={page} filter="tag" />
          <Chips title="Ecosystems" record={record} field="ecosystems" page={page} filter="ecosystem" />
          <Chips title="Focus" record={record} field="investment_focus" page={page} filter="focus" />
        </div>
      </div>
      <ApiRequest origin={site.origin} request={{ path: `/api/v1/${kind}/${encodeURIComponent(identifier)}` }}>
        <RecordJson record={record} />
      </ApiRequest>
    </article>
  );
}

/** Goes back to the place in the results, if they are the page before in the history. */
function goBack(event: MouseEvent & { readonly currentTarget: HTMLAnchorElement }): void {
  if (history.length < 2 || document.referrer !== event.currentTarget.href) return;
  event.preventDefault();
  history.back();
}

/** Fields with the names or slugs of other entities, which may not be in the database. */
const namesOfOthers: readonly (readonly [of: KindName, field: string, shown: KindName, by: 'name' | 'slug'])[] = [
  ['companies', 'investors', 'investors', 'name'],
  ['people', 'companies', 'companies', 'slug'],
  ['people', 'events', 'events', 'slug'],
];

/**
 * Related entities by kind: links to those with pages of their own, and names of the others. Those of a person's roles
 * are listed with the roles.
 */
function relatedGroups({ kind, record, related }: EntityPage) {
  const inRoles = objectsOf(record, 'roles').map((role) => textOf(role, 'organisation')?.toLowerCase());
  return kindList.flatMap((shown) => {
    const group = related.find((each) => each.kind === shown) ?? { kind: shown, entities: [], more: false };
    const named = namesOfOthers.find(([of, , other]) => of === kind && other === shown);
    // A partial list may lack entities that are in the database.
    const names = named === undefined || group.more ? [] : textsOf(record, named[1]);
    const by = named?.[3] ?? 'name';
    const others = [...new Set(names)]
      .filter((name) => !group.entities.some((entity) => entity[by] === name))
      .map((name) => (by === 'slug' ? slugWords(name) : name));
    const entities = group.entities.filter(({ name }) => !inRoles.includes(name.toLowerCase()));
    return entities.length + others.length === 0 ? [] : [{ group: { ...group, entities }, others }];
  });
}

/** Shown for an entity about which little more than its name is known. */
function NoDescription({ kind }: { readonly kind: KindName }) {
  const browse = `Browse ${kindWords[kind].many.toLowerCase()}`;
  return (
    <EmptyState
      title="No description yet"
      action={<ButtonLink href={searchHref({ ...emptySearch, type: kind })}>{browse}</ButtonLink>}
    >
      Our sources have little more than this name.
    </EmptyState>
  );
}

function Overview({ text }: { readonly text: string }) {
  return (
    <section class="overview" aria-label="Overview">
      {text
        .split(/\n\s*\n/)
        .filter((paragraph) => paragraph.trim() !== '')
        .map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
    </section>
  );
}

/** Sites with unusual spelling. */
const linkNames: Readonly<Record<string, string>> = {
  github: 'GitHub',
  linkedin: 'LinkedIn',
  twitter: 'Twitter',
  x: 'X',
  telegram: 'Telegram',
  discord: 'Discord',
  youtube: 'YouTube',
  medium: 'Medium',
  farcaster: 'Farcaster',
};

function Links({ record }: { readonly record: Fields }) {
  const website = webAddress(textOf(record, 'website'));
  const others = Object.entries(fieldsOf(record.links) ?? {}).flatMap(([name, address]) => {
    const url = webAddress(typeof address === 'string' ? address : null);
    return url === null || url.href === website?.href ? [] : [[name, url] as const];
  });
  if (website === null && others.length === 0) return null;
  return (
    <ul class="entity-links">
      {website !== null && (
        <li>
          <a href={website.href} rel="noopener noreferrer nofollow">
            {hostOf(website)}
          </a>
        </li>
      )}
      {others.map(([name, url]) => (
        <li key={name}>
          <a href={url.href} rel="noopener noreferrer nofollow">
            {linkNames[name.toLowerCase()] ?? name}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The largest number of tags that are shown unfolded. */
const valuesShown = 20;

interface ChipsProps {
  readonly title: string;
  readonly record: Fields;
  readonly field: string;
  readonly page: EntityPage;
  readonly filter: FilterName;
}

function Chips({ title, record, field, page, filter }: ChipsProps): ComponentChildren {
  const values = [...new Set(textsOf(record, field))];
  if (values.length === 0) return null;
  return (
    <Section id={field} title={title}>
      <Folded items={values} shown={valuesShown}>
        {(shown) => (
          <div class="chips">
            {shown.map((value) => (
              <ChipLink
                key={value}
                href={searchHref({ ...emptySearch, type: page.kind, filters: { [filter]: [value] } })}
              >
                {labelOf(value)}
              </ChipLink>
            ))}
          </div>
        )}
      </Folded>
    </Section>
  );
}

/** The whole record as JSON, rendered only when it is opened: some records have thousands of lines. */
function RecordJson({ record }: { readonly record: Fields }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="record-json" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>View as JSON</summary>
      {open && <CodeBlock code={JSON.stringify(record, null, 2)} what="record" />}
    </details>
  );
}
