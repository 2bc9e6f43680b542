import { useId, useRef, useState } from 'preact/hooks';
import { entityHref, kindWords } from '../kinds.ts';
import { Monogram } from '../monogram.tsx';
import { useNavigate } from '../navigation.ts';
import { Button } from '../ui/button.tsx';
import type { SearchType } from './options.ts';
import type { Suggestion } from './requests.ts';
import { useSlashKey } from './use-slash-key.ts';
import { useSuggestions } from './use-suggestions.ts';

interface SearchBoxProps {
  readonly query: string;
  readonly type: SearchType;
  /** Searches for a text; without it the form's own address is gone to. */
  readonly onSearch: (text: string) => void;
  readonly placeholder?: string;
}

/**
 * The search box with suggestions, as the ARIA practices have an editable combobox with a list: arrows go through the
 * suggestions while the focus stays, Enter takes the one that is marked or else searches, Escape closes the list. Without
 * scripts it is a form.
 */
export function SearchBox({ query, type, onSearch, placeholder }: SearchBoxProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  // What is typed belongs to a question; once that is another one, from the address bar, it is what is shown.
  const [typed, setTyped] = useState({ text: query, of: query });
  const text = typed.of === query ? typed.text : query;
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const suggestions = useSuggestions(text, type, open);
  const expanded = open && suggestions.length > 0;
  useSlashKey(input);

  function close(): void {
    setOpen(false);
    setActive(-1);
  }

  /** Goes through the suggestions and, as one place more, the text itself. */
  function move(step: 1 | -1): void {
    // With nothing suggested, down is where the results are.
    if (open && step === 1 && suggestions.length === 0) firstResult()?.focus();
    setOpen(true);
    const count = suggestions.length + 1;
    setActive(((active + 1 + step + count) % count) - 1);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const chosen = expanded ? suggestions[active] : undefined;
    const action = {
      Escape: expanded ? close : undefined,
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Enter: chosen === undefined ? undefined : () => navigate(hrefOf(chosen)),
    }[event.key];
    if (action === undefined || event.isComposing) return;
    event.preventDefault();
    action();
  }

  return (
    <search>
      <form
        class="search-form"
        action="/search"
        onSubmit={(event) => {
          event.preventDefault();
          close();
          onSearch(text.trim());
        }}
      >
        {type !== 'all' && <input type="hidden" name="type" value={type} />}
        <div class="combobox">
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
            <circle cx="8.5" cy="8.5" r="6" />
            <path d="M13 13l5 5" />
          </svg>
          <input
            ref={input}
            id={`${id}-input`}
            type="search"
            name="query"
            // biome-ignore lint/a11y/noRedundantRoles: a field has the role only with the browser's own list.
            role="combobox"
            list={undefined}
            aria-label="Search companies, people, investors and events"
            aria-autocomplete="list"
            aria-expanded={expanded}
            aria-controls={`${id}-list`}
            aria-activedescendant={expanded && active >= 0 ? `${id}-${active}` : undefined}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={256}
            enterkeyhint="search"
            placeholder={placeholder}
            value={text}
            onInput={(event) => {
              setTyped({ text: event.currentTarget.value, of: query });
              setOpen(true);
              setActive(-1);
            }}
            onKeyDown={onKeyDown}
            onBlur={close}
          />
          <span class="combobox-key" aria-hidden="true">
            /
          </span>
          <span class="visually-hidden" role="status">
            {expanded ? `${suggestions.length} ${suggestions.length === 1 ? 'suggestion' : 'suggestions'}` : ''}
          </span>
          <SuggestionList
            id={id}
            suggestions={expanded ? suggestions : []}
            active={active}
            onChoose={(chosen) => navigate(hrefOf(chosen))}
          />
        </div>
        <Button tone="primary" type="submit">
          Search
        </Button>
      </form>
    </search>
  );
}

function firstResult(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.results .result-link');
}

function hrefOf({ entity_type, slug, id }: Suggestion): string {
  return entityHref(entity_type, slug || id);
}

interface SuggestionListProps {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly onChoose: (suggestion: Suggestion) => void;
}

function SuggestionList({ id, suggestions, active, onChoose }: SuggestionListProps) {
  return (
    <div
      class="suggestions"
      id={`${id}-list`}
      role="listbox"
      aria-label="Suggestions"
      hidden={suggestions.length === 0}
    >
      {suggestions.map((suggestion, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field, which names the marked one.
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are taken by the text field.
        <div
          key={`${suggestion.entity_type} ${suggestion.id}`}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === active}
          // The field would lose the focus, and close the list, before the click arrives.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
        >
          <Monogram kind={suggestion.entity_type} name={suggestion.name} size="small" />
          <span class="suggestion-name">{suggestion.name}</span>
          <span class={`kind kind-${suggestion.entity_type}`}>{kindWords[suggestion.entity_type].one}</span>
        </div>
      ))}
    </div>
  );
}
