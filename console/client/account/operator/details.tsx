import { formatNumber } from '../format.ts';
import { Fact, Time } from '../parts.tsx';
import { readable } from '../words.ts';

/** What a report says, name by name: each command decides for itself what its report has. */
export function Details({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="fact-grid">
      {Object.entries(of).map(([name, value]) => (
        <Fact key={name} term={readable(name)}>
          <Value value={value} />
        </Fact>
      ))}
    </dl>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined || value === '') return <span class="muted">None</span>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'string') return /^\d{4}-\d{2}-\d{2}T/.test(value) ? <Time at={value} exact /> : value;
  if (Array.isArray(value)) return <Items values={value} />;
  return isObject(value) ? <Details of={value} /> : String(value);
}

function Items({ values }: { readonly values: readonly unknown[] }) {
  if (values.length === 0) return <span class="muted">None</span>;
  return (
    <ul class="fact-list">
      {values.map((value, i) => (
        <li key={i}>
          <Value value={value} />
        </li>
      ))}
    </ul>
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
