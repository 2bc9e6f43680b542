import { useEffect, useState } from 'preact/hooks';
import { ApiError, get } from '../../account-api.ts';
import { entityHref } from '../../kinds.ts';
import { navigate } from '../../navigation.ts';
import type { SearchType } from '../options.ts';
import type { Suggestion } from '../requests.ts';

/** The pause in typing after which suggestions are requested, in milliseconds. */
const pauseMs = 160;
const charactersMin = 2;
const suggestionsMax = 8;
const rememberedMax = 100;
const none: readonly Suggestion[] = [];

/** Earlier suggestions, so that deleting a letter needs no request. */
const remembered = new Map<string, readonly Suggestion[]>();
/** After a refusal, no request is sent until this time. */
let refusedUntilMs = 0;

/**
 * Returns suggestions for a text that is being typed; none if the request fails, as they are only a help.
 * @param active true if suggestions would be shown
 */
function useSuggestions(text: string, type: SearchType, active: boolean): readonly Suggestion[] {
  const [suggestions, setSuggestions] = useState(none);
  useEffect(() => {
    const typed = text.trim();
    const name = `${type} ${typed.toLowerCase()}`;
    const known = remembered.get(name);
    if (!active || typed.length < charactersMin) return setSuggestions(none);
    if (known !== undefined) return setSuggestions(known);
    const aborting = new AbortController();
    const timer = setTimeout(async () => {
      if (performance.now() < refusedUntilMs) return;
      const params = new URLSearchParams({ q: typed, type, limit: String(suggestionsMax) });
      try {
        const found = await get<{ readonly suggestions: readonly Suggestion[] }>(`suggest?${params}`, aborting.signal);
        if (remembered.size >= rememberedMax) remembered.clear();
        remembered.set(name, found.suggestions);
        setSuggestions(found.suggestions);
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        refusedUntilMs = performance.now() + (error.retryAfterSeconds ?? 5) * 1_000;
        setSuggestions(none);
      }
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [text, type, active]);
  return suggestions;
}

/** The state of a search box: its text, its suggestions and its keyboard handling. */
export interface Combobox {
  readonly text: string;
  /** Empty while the list is closed. */
  readonly suggestions: readonly Suggestion[];
  /** The index of the marked suggestion; -1 for the typed text. */
  readonly active: number;
  type(text: string): void;
  close(): void;
  choose(suggestion: Suggestion): void;
  onKeyDown(event: KeyboardEvent): void;
}

/**
 * The ways of an editable combobox with a list: arrows go through the suggestions while the focus stays, Enter takes the
 * one that is marked or else is left to the form, Escape closes the list.
 * @param query what was searched for last; once that is another question, it is what the box shows
 */
export function useCombobox(query: string, type: SearchType): Combobox {
  const [typed, setTyped] = useState({ text: query, of: query });
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const text = typed.of === query ? typed.text : query;
  const found = useSuggestions(text, type, open);
  const suggestions = open ? found : [];

  function close(): void {
    setOpen(false);
    setActive(-1);
  }

  function choose({ entity_type, slug, id }: Suggestion): void {
    navigate(entityHref(entity_type, { id, slug }));
  }

  /** Moves the mark through the suggestions and the typed text. */
  function move(step: 1 | -1): void {
    setOpen(true);
    const count = suggestions.length + 1;
    setActive(((active + 1 + step + count) % count) - 1);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const chosen = suggestions[active];
    const action = {
      Escape: suggestions.length > 0 ? close : undefined,
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Enter: chosen === undefined ? undefined : () => choose(chosen),
    }[event.key];
    if (action === undefined || event.isComposing) return;
    event.preventDefault();
    action();
  }

  return {
    text,
    suggestions,
    active,
    type(next) {
      setTyped({ text: next, of: query });
      setOpen(true);
      setActive(-1);
    },
    close,
    choose,
    onKeyDown,
  };
}
