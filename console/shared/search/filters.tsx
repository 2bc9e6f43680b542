import { useState } from 'preact/hooks';
import { utcDay } from '../durations.ts';
import { labelOf } from '../record.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ChipLink } from '../ui/chip.tsx';
import { Field } from '../ui/field.tsx';
import { type FilterName, type FilterOption, filterOptions, filtersOf } from './options.ts';
import type { FacetValue, SearchProgress } from './requests.ts';
import { countFilters, type SearchState, searchHref, withValues, withValueToggled } from './state.ts';

/** The number of values that are shown before "Show all". */
const valuesShown = 7;

interface FiltersProps {
  readonly state: SearchState;
  readonly progress: SearchProgress;
  readonly onChange: (next: SearchState) => void;
}

/** The filters of a search. Small screens fold them. */
export function Filters({ state, progress: { answered, found }, onChange }: FiltersProps) {
  const [unfolded, setUnfolded] = useState(false);
  const chosen = countFilters(state);
  const offered = filtersOf(state.type);
  const bounds = offered.filter((name) => ['number', 'date'].includes(filterOptions[name].form));
  return (
    <section class={unfolded ? 'filters filters-unfolded' : 'filters'} aria-label="Filters">
      <div class="filters-head">
        <Button small class="filters-toggle" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
          Filters{chosen === 0 ? '' : ` (${chosen})`}
        </Button>
        {chosen > 0 && (
          <ButtonLink small tone="quiet" href={searchHref({ ...state, page: 1, filters: {} })}>
            Clear all
          </ButtonLink>
        )}
      </div>
      <div class="filters-body">
        {state.type === 'events' && state.filters.starts_from === undefined && (
          <div class="chips">
            <ChipLink href={searchHref(withValues(state, 'starts_from', [utcDay(Date.now())]))}>
              Upcoming events
            </ChipLink>
          </div>
        )}
        {offered.map((name) => {
          const { form }: FilterOption = filterOptions[name];
          if (form === 'number' || form === 'date') return null;
          // The values depend on the query and on the other filters.
          const stale = searchHref(withValues(state, name, [])) !== searchHref(withValues(answered, name, []));
          return <FilterValues key={name} {...{ name, state, stale }} values={found?.facets?.[name] ?? []} />;
        })}
        {bounds.length > 0 && (
          <div key={state.type} class="bounds">
            {bounds.map((name) => (
              <Bound
                key={name}
                name={name}
                value={state.filters[name]?.[0] ?? ''}
                onChange={(value) => onChange(withValues(state, name, value === '' ? [] : [value]))}
              />
            ))}
          </div>
        )}
      </div>
    </section>
  );
}

interface FilterValuesProps {
  readonly name: FilterName;
  readonly values: readonly FacetValue[];
  readonly state: SearchState;
  /** True while the values are those of an earlier search, with which this one may have no results. */
  readonly stale: boolean;
}

function FilterValues({ name, values, state, stale }: FilterValuesProps) {
  const chosen = state.filters[name] ?? [];
  const hrefOf = (value: string) => searchHref(withValueToggled(state, name, value));
  const [all, setAll] = useState(false);
  const { label, form }: FilterOption = filterOptions[name];
  const rest = values.filter(({ value }) => !chosen.some((each) => sameValue(each, String(value))));
  if (chosen.length === 0 && rest.length === 0) return null;
  const shown = all ? rest : rest.slice(0, Math.max(0, valuesShown - chosen.length));
  return (
    <fieldset class="filter">
      <legend class="eyebrow">{label}</legend>
      <div class="chips">
        {chosen.map((value) => (
          <ChipLink key={value} removes look="chosen" href={hrefOf(value)} note={countOf(values, value)}>
            {form === 'id' ? `#${value}` : valueText(value)}
          </ChipLink>
        ))}
        {shown.map(({ value, count }) => (
          <ChipLink key={String(value)} href={stale ? null : hrefOf(String(value))} note={count}>
            {valueText(String(value))}
          </ChipLink>
        ))}
        {shown.length < rest.length && (
          <button type="button" class="chip chip-more" onClick={() => setAll(true)}>
            {rest.length - shown.length} more
          </button>
        )}
      </div>
    </fieldset>
  );
}

/** Compares values without regard to case, as filters do. */
function sameValue(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function countOf(values: readonly FacetValue[], chosen: string): number | undefined {
  return values.find(({ value }) => sameValue(String(value), chosen))?.count;
}

function valueText(value: string): string {
  return { true: 'Yes', false: 'No' }[value] ?? labelOf(value);
}

interface BoundProps {
  readonly name: FilterName;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Bound({ name, value, onChange }: BoundProps) {
  const { label, form }: FilterOption = filterOptions[name];
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type={form === 'date' ? 'date' : 'number'}
          min={form === 'date' ? undefined : name.startsWith('founded') ? 1 : 0}
          max={form === 'date' ? undefined : name.startsWith('founded') ? 9_999 : 2_147_483_647}
          value={value}
          // Not with every digit: half a year is none.
          onChange={(event) => {
            if (event.currentTarget.validity.valid) onChange(event.currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}
