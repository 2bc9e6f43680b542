import { formatNumber } from '../format.ts';

interface PaginationProps {
  readonly page: number;
  readonly totalPages: number;
  /** Returns the address of a page, so that links can be opened in a new tab. */
  readonly hrefOf: (page: number) => string;
}

export function Pagination({ page, totalPages, hrefOf }: PaginationProps) {
  if (totalPages <= 1) return null;
  return (
    <nav class="pagination" aria-label="Pages">
      <Step to={page - 1} label="Previous" rel="prev" off={page <= 1} hrefOf={hrefOf} />
      <ol>
        {nearbyPages(page, totalPages).map((at, index, all) => (
          <li key={at}>
            {index > 0 && at - (all[index - 1] ?? 0) > 1 && <span class="pagination-gap">…</span>}
            <a href={hrefOf(at)} aria-label={`Page ${at}`} aria-current={at === page ? 'page' : undefined}>
              {formatNumber(at)}
            </a>
          </li>
        ))}
      </ol>
      <Step to={page + 1} label="Next" rel="next" off={page >= totalPages} hrefOf={hrefOf} />
    </nav>
  );
}

interface StepProps extends Pick<PaginationProps, 'hrefOf'> {
  readonly to: number;
  readonly label: string;
  readonly rel: string;
  readonly off: boolean;
}

function Step({ to, label, rel, off, hrefOf }: StepProps) {
  if (off) return <span class="pagination-step pagination-off">{label}</span>;
  return (
    <a class="pagination-step" rel={rel} href={hrefOf(to)}>
      {label}
    </a>
  );
}

/** Returns the first page, the last page and the neighbours of this page. */
export function nearbyPages(page: number, totalPages: number): readonly number[] {
  const wanted = [1, page - 1, page, page + 1, totalPages];
  return [...new Set(wanted)].filter((at) => at >= 1 && at <= totalPages).sort((a, b) => a - b);
}
