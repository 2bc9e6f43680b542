import type { EntityPage, SimilarEntity } from '../../../src/pages/page.ts';
import { entityHref, kindWords } from '../kinds.ts';
import { Monogram } from '../monogram.tsx';
import { slugWords } from '../record.ts';
import { Section } from './section.tsx';

/** Things in common that are told of each. */
const sharedShown = 3;

/** Entities of the same kind that have most in common with this one, and what that is. */
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
  if (names.length === 0) return 'Described alike';
  const more = names.length - sharedShown;
  return `Shares ${names.slice(0, sharedShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Of a company or event, which records of people name by their slugs. */
function nameOf({ related }: EntityPage, slug: string): string {
  const entities = related.flatMap((group) => group.entities);
  return entities.find((entity) => entity.slug === slug)?.name ?? slugWords(slug);
}
