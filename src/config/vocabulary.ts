import { readFileSync } from 'node:fs';
import type { Vocabulary } from '../search/vocabulary/vocabulary.ts';
import { parseVocabulary } from '../search/vocabulary/vocabulary-file.ts';

let read: Vocabulary | undefined;

/** The vocabulary of `vocabulary.txt`, read once. Throws `VocabularyError` where the file needs a correction. */
export function readVocabulary(): Vocabulary {
  read ??= parseVocabulary(readFileSync(new URL('../search/vocabulary/vocabulary.txt', import.meta.url), 'utf8'));
  return read;
}
