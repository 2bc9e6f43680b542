import { useEffect, useState } from 'preact/hooks';
import type { SearchType } from '../options.ts';
import { fetchSuggestions, type Suggestion } from '../requests.ts';

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
export function useSuggestions(text: string, type: SearchType, active: boolean): readonly Suggestion[] {
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
      const answer = await fetchSuggestions(params, aborting.signal).catch(() => null);
      if (answer === null) return;
      if (!answer.ok) {
        refusedUntilMs = performance.now() + (answer.retryAfterSeconds ?? 5) * 1_000;
        return setSuggestions(none);
      }
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(name, answer.data.suggestions);
      setSuggestions(answer.data.suggestions);
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [text, type, active]);
  return suggestions;
}
