import { useId } from 'preact/hooks';
import { kindWords } from '../../kinds.ts';
import { Monogram } from '../../monogram.tsx';
import { Button } from '../../ui/button.tsx';
import type { SearchType } from '../options.ts';
import type { Suggestion } from '../requests.ts';
import { type Combobox, useCombobox } from './use-combobox.ts';

interface SearchBoxProps {
  readonly query: string;
  readonly type: SearchType;
  /** Searches for a text. Without it, the form is submitted to its own address. */
  readonly onSearch?: (text: string) => void;
}

/** The search box with suggestions. It is a form, which also works without scripts. */
export function SearchBox({ query, type, onSearch }: SearchBoxProps) {
  const id = useId();
  const combobox = useCombobox(query, type);
  const { text, suggestions, active, close, choose } = combobox;
  return (
    <search>
      <form
        class="search-form"
        action="/search"
        onSubmit={(event) => {
          if (onSearch === undefined) return;
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
          <SearchField id={id} combobox={combobox} />
          <span class="visually-hidden" role="status">
            {countText(suggestions.length)}
          </span>
          <SuggestionList id={id} suggestions={suggestions} active={active} onChoose={choose} />
        </div>
        <Button tone="primary" type="submit">
          Search
        </Button>
      </form>
    </search>
  );
}

function countText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 suggestion' : `${count} suggestions`;
}

function SearchField({ id, combobox }: { readonly id: string; readonly combobox: Combobox }) {
  const { text, suggestions, active, type, close, onKeyDown } = combobox;
  return (
    <input
      id={`${id}-input`}
      type="search"
      name="query"
      // biome-ignore lint/a11y/noRedundantRoles: a field has the role only with the browser's own list.
      role="combobox"
      list={undefined}
      aria-label="Search companies, people, investors and events"
      aria-autocomplete="list"
      aria-keyshortcuts="Control+K Meta+K /"
      title="Press / or Ctrl+K to search"
      aria-expanded={suggestions.length > 0}
      aria-controls={`${id}-list`}
      aria-activedescendant={suggestions.length > 0 && active >= 0 ? `${id}-${active}` : undefined}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      maxLength={256}
      enterkeyhint="search"
      placeholder="Name, topic, place, ticker…"
      value={text}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={close}
    />
  );
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
