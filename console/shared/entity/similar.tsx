import type { EntityPage, SimilarEntity } from '../../../src/pages/page.ts';
import { entityHref, kindWords } from '../kinds.ts';
import { Monogram } from '../monogram.tsx';
import { slugWords } from '../record.ts';
import { Section } from './section.tsx';

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
