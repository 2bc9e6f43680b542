import { readFileSync } from 'node:fs';
import type { Vocabulary } from '../search/vocabulary/vocabulary.ts';
import { parseVocabulary } from '../search/vocabulary/vocabulary-file.ts';

let read: Vocabulary | undefined;

/**
 * Returns the vocabulary of `vocabulary.txt`, which is read once. Throws `VocabularyError` if the file has a mistake.
 */
export function readVocabulary(): Vocabulary {
  read ??= parseVocabulary(readFileSync(new URL('../search/vocabulary/vocabulary.txt', import.meta.url), 'utf8'));
  return read;
}
