import type { ComponentChildren } from 'preact';

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
