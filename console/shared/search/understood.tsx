import { Button } from '../ui/button.tsx';
import { RemovableChip } from '../ui/chip.tsx';
import { partDays, partLabel, withoutPart } from './question.ts';
import type { Found } from './requests.ts';
import type { SearchState } from './state.ts';

interface UnderstoodProps {
  readonly state: SearchState;
  readonly found: Found;
  readonly onChange: (next: SearchState) => void;
}

/** Shows the API's reading of a query as removable parts, or a button to turn it on. */
export function UnderstoodParts({ state, found: { understood }, onChange }: UnderstoodProps) {
  if (state.literal)
    return (
      <section class="understood" aria-label="Understood">
        <span class="muted">Searching for the exact words.</span>
        <Button small tone="quiet" onClick={() => onChange({ ...state, literal: false, page: 1 })}>
          Interpret the query
        </Button>
      </section>
    );
  if (understood === null || understood.parts.length === 0) return null;
  return (
    <section class="understood" aria-label="Understood">
      <span class="muted">Understood</span>
      <ul class="chips">
        {understood.parts.map((part, at) => (
          <li key={`${at} ${part.text}`}>
            <RemovableChip
              note={partDays(part, understood)}
              onRemove={() => onChange({ ...state, query: withoutPart(state.query, part), page: 1 })}
            >
              {partLabel(part, understood)}
            </RemovableChip>
          </li>
        ))}
      </ul>
      <Button small tone="quiet" onClick={() => onChange({ ...state, literal: true, page: 1 })}>
        Search exact words
      </Button>
    </section>
  );
}
